/** Several bots in one world: each has a simulator of its own, over the same people, chats and messages. */

/** A world as another of its bots has it: the same in all but who the bot is. */
export function asHadBy<World extends { readonly bot: object }>(world: World, bot: World['bot']): World {
  return new Proxy(world, {
    get(target, key) {
      if (key === 'bot') return bot
      const value: unknown = Reflect.get(target, key, target)
      // Private fields are the world's own.
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
