/**
 * Where something was said since a moment, without reading it: every channel and thread names its last message. A direct
 * chat is listed nowhere; the core knows those that were ever used.
 */
import type { Place } from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import { CHANNEL, isThread } from './raw.js'
import { type Fields, fields, list, number, snowflake } from './shape.js'

/** https://docs.discord.com/developers/resources/user#get-current-user-guilds: so many a page. */
const PAGE = 200
/** Of these it is a post that is named last, which is a thread of its own. */
const FORUMS: ReadonlySet<number | undefined> = new Set([CHANNEL.forum, CHANNEL.media])

/**
 * Places with a message behind this id. Two requests a server:
 * https://docs.discord.com/developers/resources/guild#get-guild-channels, #list-active-guild-threads
 *
 * @throws CallFailed
 */
export async function* spokenSince(api: Api, id: string): AsyncGenerator<Place> {
  for await (const guild of guilds(api)) {
    const channels = list(await api.call('GET', ['guilds', guild, 'channels']))
    const { threads } = await api.get(['guilds', guild, 'threads', 'active'])
    for (const channel of [...channels, ...list(threads)].map(fields))
      if (BigInt(snowflake(channel.last_message_id) ?? 0) > BigInt(id)) yield* placeOf(channel)
  }
}

async function* guilds(api: Api): AsyncGenerator<string> {
  for (let after = '0'; ; ) {
    const page = list(await api.call('GET', ['users', '@me', 'guilds'], { query: { after, limit: PAGE } }))
    const ids = page.flatMap((guild) => snowflake(fields(guild).id) ?? [])
    yield* ids
    const last = ids.at(-1)
    if (page.length < PAGE || last === undefined) return
    after = last
  }
}

function* placeOf(channel: Fields): Generator<Place> {
  const id = snowflake(channel.id)
  const type = number(channel.type)
  const parent = snowflake(channel.parent_id)
  if (id === undefined || FORUMS.has(type)) return
  if (!isThread(type)) yield { chat: id }
  else if (parent !== undefined) yield { chat: parent, thread: id }
}
