/** Makes room for recorded updates in a world that does not know their chats and people. */
import type { Update } from './feed.js'
import type { Json } from './shapes.js'
import type { ChatType, World } from './world.js'

/** The chat of an update; what it names is added where it is missing. Its id is the lane of its updates. */
export function adopt(world: World, update: Update): string {
  const body = Object.entries(update).find(([kind]) => kind !== 'update_id')?.[1] as Json | undefined
  const message = (body?.message ?? body) as Json | undefined
  for (const person of [body?.from, body?.user, message?.from]) adoptAccount(world, person)
  const chat = (message?.chat ?? body?.chat) as Json | undefined
  if (typeof chat?.id !== 'number') return ''
  adoptChat(world, chat, message)
  return String(chat.id)
}

function adoptAccount(world: World, user: unknown): void {
  const { id, first_name: name, username, is_bot: isBot } = (user ?? {}) as Json
  if (typeof id !== 'number' || world.accounts.has(id)) return
  world.addAccount(String(name ?? ''), {
    id,
    isBot: isBot === true,
    ...(typeof username === 'string' && { username }),
  })
}

function adoptChat(
  world: World,
  { id, type, title, is_forum: isForum }: Json,
  message: Json | undefined,
): void {
  const known = world.chats.get(Number(id))
  const isPrivate = type === 'private'
  if (!known && isPrivate && !world.accounts.has(Number(id)))
    world.addAccount(String(title ?? ''), { id: Number(id) })
  const chat =
    known ??
    (isPrivate
      ? world.dm(Number(id))
      : world.addChat(type as ChatType, String(title ?? ''), { id: Number(id), isForum: isForum === true }))
  if (!known) world.join(chat, world.bot.id, { seesAll: true })
  const from = (message?.from as Json | undefined)?.id
  if (typeof from === 'number' && !chat.members.has(from)) world.join(chat, from)
  const post = message?.message_id
  if (typeof post !== 'number' || chat.posts.has(post)) return
  world.passId(chat, post)
  chat.posts.set(post, {
    id: post,
    chat: chat.id,
    ...(typeof from === 'number' && { from }),
    date: Number(message?.date ?? world.now()),
    isTopic: message?.is_topic_message === true,
    ...(typeof message?.message_thread_id === 'number' && { thread: message.message_thread_id }),
    body: { text: String(message?.text ?? message?.caption ?? ''), entities: [] },
    silent: false,
    reactions: new Map(),
    pings: [],
  })
}
