/** What was said in a chat or topic before, page by page. https://open.feishu.cn/document/server-docs/im-v1/message/list */
import type { BotIdentity, Inbound, Place } from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import type { Directory } from './directory.js'
import { type Messages, WHOLE_CARDS } from './messages.js'
import type { FeishuRaw } from './raw.js'
import { read } from './read.js'
import { type Fields, fields, list, millisOf, nativeId, text } from './shape.js'

const PAGE = 50
const MOST_PAGES = 10

export interface Archive {
  api: Api
  directory: Directory
  messages: Messages
  self: BotIdentity
  appId: string
}

export interface Span {
  /** Messages behind this one, */
  after?: string | undefined
  /** before this one, */
  before?: string | undefined
  /** and none from before this time: of a chat only, a topic knows no times. */
  since?: number | undefined
}

/**
 * Newest first. Of the topics in a chat only the first message is among them.
 *
 * @throws CallFailed
 */
async function* pages(
  api: Api,
  { chat, thread }: Place,
  span: { from?: number | undefined; until?: number | undefined },
): AsyncGenerator<Fields[]> {
  let token: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const found = await api.call('GET', 'im/v1/messages', {
      query: {
        container_id_type: thread === undefined ? 'chat' : 'thread',
        container_id: thread ?? chat,
        sort_type: 'ByCreateTimeDesc',
        page_size: PAGE,
        ...WHOLE_CARDS,
        ...(thread === undefined && { start_time: inSeconds(span.from), end_time: inSeconds(span.until, 1) }),
        page_token: token,
      },
    })
    yield list(found.items).map(fields)
    token = found.has_more === true ? text(found.page_token) : undefined
    if (token === undefined) return
  }
  throw new TooMuch()
}

class TooMuch extends Error {}

function inSeconds(at: number | undefined, more = 0): number | undefined {
  return at === undefined || at <= 0 ? undefined : Math.floor(at / 1_000) + more
}

/** The messages of a span, oldest first; `complete` tells whether that is all of them. */
export async function messagesOf(
  { api, messages }: Pick<Archive, 'api' | 'messages'>,
  place: Place,
  { after, before, since }: Span,
  enough: (found: number) => boolean = () => false,
): Promise<{ items: Fields[]; complete: boolean }> {
  const timeOf = async (id: string | undefined): Promise<number | undefined> =>
    id === undefined ? undefined : millisOf((await messages.find(id))?.create_time) || undefined
  const [from, until] = await Promise.all([timeOf(after), timeOf(before)])
  const items: Fields[] = []
  let complete = true
  let open = before === undefined
  try {
    look: for await (const page of pages(api, place, { from: from ?? since, until })) {
      for (const item of page) {
        const id = nativeId(item.message_id)
        if (id === undefined) continue
        const at = millisOf(item.create_time)
        if (id === after || (from !== undefined && at < from)) break look
        // What was withdrawn since is found by its time.
        if (open || (until !== undefined && at < until)) items.push(item)
        open ||= id === before
      }
      if (enough(items.length)) break
    }
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error
    complete = false
  }
  return { items: items.reverse(), complete }
}

export async function* history(
  archive: Archive,
  place: Place,
  range: { after?: string; before?: string; limit: number },
): AsyncGenerator<Inbound> {
  const { after, before, limit } = range
  const enough = (found: number): boolean => after === undefined && found >= limit
  const { items } = await messagesOf(archive, place, { after, before }, enough)
  const chosen = after === undefined ? items.slice(-limit) : items.slice(0, limit)
  for (const item of chosen) archive.messages.remembered.note(item)
  for (const item of chosen) {
    const event = await readBack(archive, place, item)
    if (event !== null) yield event
  }
}

/** A message of the archive through the same codec; null where it says nothing. */
async function readBack(archive: Archive, { chat }: Place, item: Fields): Promise<Inbound | null> {
  const { appId, directory, messages, self } = archive
  const answered = nativeId(item.parent_id)
  const parent = answered === undefined ? undefined : messages.remembered.message(answered)
  const names = await directory.names([item, parent], nativeId(item.chat_id) ?? chat)
  const event = read(rawOf(item, chat, appId, { names, ...(parent !== undefined && { parent }) }), self)
  return event.kind === 'skipped' ? null : event
}

export function rawOf(item: Fields, chat: string, appId: string, more: Partial<FeishuRaw> = {}): FeishuRaw {
  return { body: item, from: 'history', chat, appId, ...more }
}
