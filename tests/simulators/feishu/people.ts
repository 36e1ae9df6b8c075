/** What people of a tenant do, in the words that only Feishu has. */
import type { Call, Person } from '../kit/stage.js'
import { type Fields, isFields, textOf } from './fields.js'
import type { Hub, Toast } from './hub.js'
import { change, disband, join, leave } from './membership.js'
import type { AppOptions } from './options.js'
import { addReaction, edit, post, recall, removeReaction } from './posting.js'
import { press } from './presses.js'
import { type FeishuSaid, place, speak } from './speaking.js'
import { compose } from './text/compose.js'
import { emojiName } from './text/emoji.js'
import { paragraphsOf } from './text/post.js'
import { render } from './text/render.js'
import { idsOf, tenantOf } from './wire.js'
import type { Chat, Mention, Message, MessageType } from './world.js'

export interface GroupOptions {
  people?: readonly Person[]
  /** `topic`: every message at the top level begins a topic. Default `group`. */
  mode?: 'group' | 'topic'
  /** The bot is in it. Default true. */
  joined?: boolean
  /** Other apps in it. */
  apps?: readonly FeishuApp[]
  owner?: Person
}

/** Another app of the tenant, to connect to as to the first. Its ids of people are its own. */
export interface FeishuApp {
  readonly appId: string
  /** Its bot, as the app under test knows it. */
  readonly person: Person
  settings(how: 'socket' | 'webhook'): Record<string, unknown>
  /** What this app calls somebody. */
  openId(person: Person): string
  readonly calls: readonly Call[]
  readonly acknowledged: readonly string[]
  readonly pending: number
  /** Live long connections. */
  readonly connections: number
  webhook(url: string | null): void
}

export class People {
  readonly #hub: Hub
  readonly #addApp: (options: AppOptions) => FeishuApp

  constructor(hub: Hub, addApp: (options: AppOptions) => FeishuApp) {
    this.#hub = hub
    this.#addApp = addApp
  }

  /** Somebody new, also when the name is taken. */
  person(name: string): Person {
    const { unionId } = this.#hub.world.addUser({ name })
    this.#hub.changes.changed()
    return this.personOf(unionId)
  }

  /** Somebody of another company. A chat that they are in is an external one. */
  externalPerson(name: string): Person {
    const { unionId } = this.#hub.world.addUser({ name, tenant: 'f1e2d3c4b5a69788', email: '' })
    return this.personOf(unionId)
  }

  /** Another app, with a bot, connections and ids of its own. */
  app(options: AppOptions): FeishuApp {
    return this.#addApp(options)
  }

  /** By principal: a union_id, or the id of an app. */
  personOf(who: string): Person {
    const { world, main } = this.#hub
    return { id: world.openId(main.appId, who), name: world.nameOf(who) }
  }

  /** What somebody is called by the app under test: open_id, union_id, user_id and e-mail address. */
  idsOf(person: Person): { openId: string; unionId: string; userId: string; email: string } {
    const user = this.#hub.world.user(this.#who(person))
    return { openId: person.id, unionId: user.unionId, userId: user.userId, email: user.email }
  }

  /** A chat, without the events of its making. Its id. */
  group(title: string, options: GroupOptions = {}): string {
    const { world, main, clock } = this.#hub
    const people = (options.people ?? []).map((person) => this.#who(person))
    const owner = options.owner === undefined ? people[0] : this.#who(options.owner)
    const chat = world.addChat({
      mode: options.mode ?? 'group',
      name: title,
      created: clock.now(),
      members: new Set(people),
      apps: new Set([
        ...(options.joined === false ? [] : [main.appId]),
        ...(options.apps ?? []).map(({ appId }) => appId),
      ]),
      external: people.some((who) => tenantOf(this.#hub, who) !== world.tenant),
      ...(owner !== undefined && { owner }),
    })
    this.#hub.changes.changed()
    return chat.id
  }

  /** A chat in which every message at the top level begins a topic. */
  topicGroup(title: string, people: readonly Person[]): string {
    return this.group(title, { people, mode: 'topic' })
  }

  say(chat: string, person: Person, text: string, options: FeishuSaid = {}): string {
    return speak(this.#hub, this.#open(chat), this.#who(person), text, options).id
  }

  /**
   * Rich text, as clients make it: `{title, content: [[{tag, …}]]}`. `at` elements name people by open_id, or `all`.
   * https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content
   */
  richText(chat: string, person: Person, content: Fields, options: FeishuSaid = {}): string {
    const mentions: Mention[] = []
    const keys: string[] = []
    const lines = paragraphsOf(content).map((line) =>
      line.map((element) => {
        for (const name of ['image_key', 'file_key'])
          if (textOf(element[name]) !== '') keys.push(textOf(element[name]))
        return element.tag === 'at' ? this.#at(element, mentions) : element
      }),
    )
    const where = place(this.#hub, this.#open(chat), options)
    const kept = { title: textOf(content.title), content: lines }
    return this.#post(chat, person, { type: 'post', content: kept, mentions, keys, ...where })
  }

  /** A message of any type, with its content as it is: stickers, cards of people and groups, what may come yet. */
  send(
    chat: string,
    person: Person,
    type: MessageType,
    content: Fields | string,
    options: FeishuSaid = {},
  ): string {
    const keys = isFields(content) ? [textOf(content.image_key), textOf(content.file_key)] : []
    const where = place(this.#hub, this.#open(chat), options)
    return this.#post(chat, person, { type, content, keys: keys.filter((key) => key !== ''), ...where })
  }

  sticker(chat: string, person: Person): string {
    return this.send(chat, person, 'sticker', { file_key: this.#hub.world.ids.next('file_v3_') })
  }

  /** Several messages in one: apps get a fixed text, and read the rest by the id. */
  forward(chat: string, person: Person, ids: readonly string[]): string {
    const { world } = this.#hub
    const originals = ids.map((id) => {
      const found = world.messages.get(id)
      if (found === undefined) throw new Error(`There is no message ${id} to forward in the simulated tenant`)
      return found
    })
    const id = this.#post(chat, person, { type: 'merge_forward', content: 'Merged and Forwarded Message' })
    const holder = world.message(chat, id)
    holder.forwarded = originals.map((original): Message => {
      const copy = { ...original, id: world.ids.next('om_'), upper: id, reactions: [] }
      world.messages.set(copy.id, copy)
      return copy
    })
    return id
  }

  /** The id (`omt_…`) of the topic that a message begins, which is opened when there is none yet. */
  topic(chat: string, id: string): string {
    return this.#hub.world.thread(this.#hub.world.message(chat, id))
  }

  /** No app is told. */
  edit(chat: string, id: string, text: string): void {
    const message = this.#hub.world.message(chat, id)
    const typed = compose(this.#hub, text)
    edit(this.#hub, message, { type: 'text', content: { text: typed.text }, mentions: typed.mentions })
  }

  recall(chat: string, id: string, type?: Parameters<typeof recall>[2]): void {
    recall(this.#hub, this.#hub.world.message(chat, id), type)
  }

  react(chat: string, id: string, person: Person, emoji: string): void {
    addReaction(this.#hub, this.#hub.world.message(chat, id), this.#who(person), emojiName(emoji))
  }

  unreact(chat: string, id: string, person: Person, emoji: string): void {
    const message = this.#hub.world.message(chat, id)
    const who = this.#who(person)
    const reaction = message.reactions.find((one) => one.by === who && one.emoji === emojiName(emoji))
    if (reaction !== undefined) removeReaction(this.#hub, message, reaction.id)
  }

  /** @throws Error when the card has no such button: a person cannot press it */
  press(chat: string, id: string, person: Person, value: string): void {
    const hub = this.#hub
    const message = hub.world.message(chat, id)
    const { buttons } = render(hub, hub.world.chat(chat), message)
    const button = buttons.find((candidate) => candidate.value === value)
    const port = hub.ports.get(message.sender)
    if (button === undefined || port === undefined)
      throw new Error(`The message ${id} in ${chat} has no button with the value ${JSON.stringify(value)}`)
    press(hub, port, message, this.#who(person), button)
  }

  /** What people saw after their presses, oldest first. */
  get toasts(): readonly Toast[] {
    return this.#hub.toasts
  }

  /** Somebody, or a bot, comes into a chat. */
  add(chat: string, who: Person, by?: Person): void {
    join(this.#hub, this.#chat(chat), this.#who(who), this.#by(chat, by))
  }

  /** Somebody, or a bot, goes or is removed. */
  remove(chat: string, who: Person, by?: Person): void {
    leave(this.#hub, this.#chat(chat), this.#who(who), this.#by(chat, by))
  }

  /** An invitation is taken back. */
  withdraw(chat: string, who: Person, by?: Person): void {
    leave(this.#hub, this.#chat(chat), this.#who(who), this.#by(chat, by), 'withdrawn')
  }

  rename(chat: string, name: string, by?: Person): void {
    change(this.#hub, this.#chat(chat), { name }, this.#by(chat, by))
  }

  describe(chat: string, description: string, by?: Person): void {
    change(this.#hub, this.#chat(chat), { description }, this.#by(chat, by))
  }

  /** Who may name everybody, and who may speak at all. */
  allow(chat: string, what: Partial<Pick<Chat, 'atAll' | 'speakers'>>, by?: Person): void {
    change(this.#hub, this.#chat(chat), what, this.#by(chat, by))
  }

  disband(chat: string, by?: Person): void {
    disband(this.#hub, this.#chat(chat), this.#by(chat, by))
  }

  /** Names of people change without an event of chats. */
  renamePerson(person: Person, name: string): void {
    this.#hub.world.user(this.#who(person)).name = name
  }

  /** Leaves the company. */
  resign(person: Person): void {
    this.#hub.world.user(this.#who(person)).resigned = true
  }

  /** An entry of the bot's menu in the direct chat. https://open.feishu.cn/document/client-docs/bot-v3/events/menu */
  menu(person: Person, eventKey: string): void {
    const hub = this.#hub
    hub.ports.get(hub.main.appId)?.event('application.bot.menu_v6', {
      operator: { operator_name: person.name, operator_id: idsOf(hub, hub.main, this.#who(person)) },
      event_key: eventKey,
      timestamp: Math.floor(hub.clock.now() / 1000),
    })
  }

  /** Messages of the bot in a direct chat are read. https://open.feishu.cn/document/server-docs/im-v1/message/events/message_read */
  read(person: Person, ids: readonly string[]): void {
    const hub = this.#hub
    const who = this.#who(person)
    hub.ports.get(hub.main.appId)?.event('im.message.message_read_v1', {
      reader: {
        reader_id: idsOf(hub, hub.main, who),
        read_time: String(hub.clock.now()),
        tenant_key: tenantOf(hub, who),
      },
      message_id_list: [...ids],
    })
  }

  #post(chat: string, person: Person, draft: Omit<Parameters<typeof post>[1], 'chat' | 'sender'>): string {
    return post(this.#hub, { chat: this.#open(chat), sender: this.#who(person), ...draft }).id
  }

  #at(element: Fields, mentions: Mention[]): Fields {
    const typed = compose(this.#hub, `<at user_id="${textOf(element.user_id)}"></at>`)
    const mention = typed.mentions[0]
    if (mention === undefined) return element
    if (mention.who !== 'all')
      mention.key = `@_user_${mentions.filter(({ who }) => who !== 'all').length + 1}`
    mentions.push(mention)
    return { ...element, user_id: mention.key, user_name: mention.name }
  }

  #chat(id: string): Chat {
    return this.#hub.world.chat(id)
  }

  /** @throws Error when it was disbanded */
  #open(id: string): Chat {
    const chat = this.#chat(id)
    if (chat.disbanded)
      throw new Error(`The chat ${id} of the simulated tenant was disbanded: nobody can speak there`)
    return chat
  }

  /** Who did it, when nobody says: the owner, or anybody in there. */
  #by(chat: string, by: Person | undefined): string {
    if (by !== undefined) return this.#who(by)
    const { owner, members } = this.#chat(chat)
    return owner ?? [...members][0] ?? this.#hub.main.appId
  }

  /** The principal. @throws Error when there is nobody of this id */
  #who(person: Person): string {
    const { world, main } = this.#hub
    const who = world.resolve(main.appId, person.id)
    if (who === undefined) throw new Error(`The simulated tenant has nobody with the id ${person.id}`)
    return who
  }
}
