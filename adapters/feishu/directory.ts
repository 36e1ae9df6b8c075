/**
 * Names of people and chats. Events name nobody but those who are mentioned, so the members of a chat are read, and who
 * is not among them is asked for alone. Kept for an hour, never waited for long; whoever cannot be asked about is called
 * by their id.
 */
import type { Clock, Logger, Member, Millis } from '../../src/messaging/contract.js'
import { type Api, idPath } from './api.js'
import { Cache } from './cache.js'
import { CallFailed, SCOPE_MISSING } from './failures.js'
import type { Known, KnownChat, Names } from './raw.js'
import { type Fields, fields, list, nativeId, text } from './shape.js'

const KEEP: Millis = 60 * 60_000
const KEEP_UNKNOWN: Millis = 5 * 60_000
const MOST_PEOPLE = 10_000
const MOST_CHATS = 2_000
/** The acknowledgement has 3 s. */
const PATIENCE: Millis = 1_500
const CALL: Millis = 5_000
const MOST_IDS = 50
/** https://open.feishu.cn/document/server-docs/group/chat-member/get */
const PAGE = 100
/** Groups have up to 50,000 members; an answer names those of the first pages. */
const MOST_PAGES = 50
/** A list that did not have somebody is read anew after this. */
const LIST_AGAIN: Millis = 10 * 60_000

export class Directory {
  readonly #people: Cache<Known>
  readonly #chats: Cache<KnownChat>
  /** When the members of a chat were last read for names. */
  readonly #lists: Cache<true>
  /** Calls that may not be made, until when. */
  readonly #closed = new Map<string, Millis>()

  constructor(
    private readonly api: Api,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly selfId: string,
  ) {
    this.#people = new Cache(clock, KEEP, KEEP_UNKNOWN, MOST_PEOPLE)
    this.#chats = new Cache(clock, KEEP, KEEP_UNKNOWN, MOST_CHATS)
    this.#lists = new Cache(clock, LIST_AGAIN, LIST_AGAIN, MOST_CHATS)
  }

  /** The names in an event: at once where all are known, else when they are there or patience is over. */
  names(body: unknown, chat: string | undefined): Names | Promise<Names> {
    const people = idsIn(body, this.selfId)
    const unknown = people.filter((id) => this.#people.get(id) === undefined)
    const waits: Promise<unknown>[] = []
    if (unknown.length > 0) waits.push(this.#find(unknown, chat))
    if (chat !== undefined && this.#chats.get(chat) === undefined) waits.push(this.chat(chat))
    const known = (): Names => ({
      people: pick(people, (id) => this.#people.last(id)),
      chats: pick(chat === undefined ? [] : [chat], (id) => this.#chats.last(id)),
    })
    if (waits.length === 0) return known()
    return this.#patiently(Promise.allSettled(waits)).then(known)
  }

  /** As far as it is known. */
  isDirect(chat: string): boolean {
    return this.#chats.last(chat)?.kind === 'dm'
  }

  /** https://open.feishu.cn/document/server-docs/group/chat/get-2 */
  chat(id: string): Promise<KnownChat | null> {
    return this.#chats.ask(id, async () => {
      const found = await this.#tryCall('chats', `im/v1/chats/${idPath(id)}`)
      if (found === undefined || found === null) return found
      const name = text(found.name)
      return {
        kind: found.chat_mode === 'p2p' ? 'dm' : 'group',
        ...(name !== undefined && found.chat_mode !== 'p2p' && { name }),
      }
    })
  }

  /**
   * Everybody in a chat but its bots, who are not listed.
   *
   * @throws CallFailed
   */
  async *members(chat: string): AsyncGenerator<Member> {
    const seen = new Set<string>()
    for await (const page of this.#pages(chat)) {
      for (const { id, known } of page) {
        // People who came in the same second are listed together, and may come twice.
        if (seen.has(id)) continue
        seen.add(id)
        yield {
          id,
          name: known.name,
          kind: 'person',
          ...(known.outside !== undefined && { outside: known.outside }),
        }
      }
    }
  }

  /** What an event tells by itself: who is mentioned, who came, what a chat is called now. */
  learn(type: string | undefined, event: Fields): void {
    for (const value of [...list(fields(event.message).mentions), ...list(event.users)]) {
      const { id, user_id: user, name } = fields(value)
      const open = nativeId(fields(id).open_id) ?? nativeId(fields(user).open_id)
      if (open !== undefined && text(name) !== undefined) this.#people.set(open, { name: String(name) })
    }
    const { chat_id: spoken, chat_type: kind } = fields(event.message)
    // A direct chat has no name to ask for.
    if (kind === 'p2p' && nativeId(spoken) !== undefined) this.#chats.set(String(spoken), { kind: 'dm' })
    const chat = nativeId(event.chat_id)
    if (chat === undefined || type?.startsWith('im.chat.') !== true) return
    const name = text(fields(event.after_change).name) ?? text(event.name)
    if (name !== undefined) this.#chats.set(chat, { ...this.#chats.last(chat), kind: 'group', name })
  }

  async #find(ids: readonly string[], chat: string | undefined): Promise<void> {
    if (chat !== undefined) await this.#lists.ask(chat, () => this.#readList(chat))
    const left = ids.filter((id) => this.#people.get(id) === undefined)
    await Promise.all(left.map((id) => this.#person(id)))
  }

  /** https://open.feishu.cn/document/server-docs/contact-v3/user/get */
  async #person(id: string): Promise<void> {
    await this.#people.ask(id, async () => {
      const found = await this.#tryCall('users', `contact/v3/users/${idPath(id)}`, {
        user_id_type: 'open_id',
      })
      if (found === undefined || found === null) return found
      const user = fields(found.user)
      const names = [text(user.name), text(user.nickname), text(user.en_name)].filter(
        (one) => one !== undefined,
      )
      const [name, ...aliases] = [...new Set(names)]
      return name === undefined ? null : { name, ...(aliases.length > 0 && { aliases }) }
    })
  }

  /** Undefined: it could not be read now. */
  async #readList(chat: string): Promise<true | undefined> {
    if (this.#isClosed('members')) return undefined
    try {
      // The first pages: a large group is not read whole for one name.
      let pages = 0
      for await (const _ of this.#pages(chat)) if (++pages >= 5) break
      return true
    } catch (error) {
      this.#note('members', error)
      return undefined
    }
  }

  async *#pages(chat: string): AsyncGenerator<{ id: string; known: Known }[]> {
    let token: string | undefined
    for (let page = 0; page < MOST_PAGES; page++) {
      const found = await this.api.call('GET', `im/v1/chats/${idPath(chat)}/members`, {
        query: { member_id_type: 'open_id', page_size: PAGE, page_token: token },
        timeoutMs: CALL,
      })
      yield list(found.items).flatMap((value) => {
        const { member_id: open, name, tenant_key: tenant } = fields(value)
        const id = nativeId(open)
        if (id === undefined || text(name) === undefined) return []
        const known: Known = { ...this.#people.last(id), name: String(name) }
        this.#people.set(id, known)
        const outside = this.#isOutside(tenant)
        return [{ id, known: outside === undefined ? known : { ...known, outside } }]
      })
      token = found.has_more === false ? undefined : text(found.page_token)
      if (token === undefined) return
    }
  }

  /** Of which tenant the app is, events tell. */
  tenant: string | undefined

  /** Undefined: it cannot be known. */
  #isOutside(tenant: unknown): boolean | undefined {
    return text(tenant) === undefined || this.tenant === undefined ? undefined : tenant !== this.tenant
  }

  /** Undefined: could not be asked now. Null: there is no such thing, or the app may not see it. */
  async #tryCall(
    what: string,
    path: string,
    query: Record<string, string> = {},
  ): Promise<Fields | null | undefined> {
    if (this.#isClosed(what)) return undefined
    try {
      return await this.api.call('GET', path, { query, timeoutMs: CALL })
    } catch (error) {
      return this.#note(what, error) ? undefined : null
    }
  }

  #isClosed(what: string): boolean {
    return (this.#closed.get(what) ?? 0) > this.clock.now()
  }

  /** True: it may be asked for again some other time. */
  #note(what: string, error: unknown): boolean {
    if (!(error instanceof CallFailed)) throw error
    const { code, details } = error
    this.log.debug({ what, code }, 'a name could not be asked for')
    const wait =
      code === SCOPE_MISSING ? KEEP : details.status === 429 ? (details.waitMs ?? 30_000) : details.waitMs
    if (wait !== undefined) this.#closed.set(what, this.clock.now() + wait)
    return wait !== undefined || typeof code !== 'number'
  }

  async #patiently(work: Promise<unknown>): Promise<void> {
    let cancel: () => void = () => undefined
    const over = new Promise<void>((resolve) => {
      cancel = this.clock.at(this.clock.now() + PATIENCE, resolve)
    })
    await Promise.race([work, over])
    cancel()
  }
}

function pick<T>(ids: readonly string[], get: (id: string) => T | undefined): Record<string, T> {
  const picked: Record<string, T> = Object.create(null) as Record<string, T>
  for (const id of ids) {
    const value = get(id)
    if (value !== undefined) picked[id] = value
  }
  return picked
}

const PERSON = /"(?:open_id|operator_id|id)":"(ou_[A-Za-z0-9_]{1,64})"/g

/** Everybody an event or message names by id. */
export function idsIn(body: unknown, selfId?: string): string[] {
  const found = new Set<string>()
  for (const [, id] of (JSON.stringify(body) ?? '').matchAll(PERSON)) {
    if (id !== undefined && id !== selfId) found.add(id)
    if (found.size >= MOST_IDS) break
  }
  return [...found]
}
