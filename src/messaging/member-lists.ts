/**
 * Who can be named in an answer: the people a chat is known to have, and where a name in the answer is not among them,
 * those that the platform lists. A list is asked for at most every few minutes a chat, is waited for only a moment, and no
 * failure of it is one of the answer: its names stay text.
 */
import type { Clock, Logger, Millis } from './ambient.js'
import type { Member, Place } from './contract.js'
import type { Entry } from './directory.js'
import { LISTED_MOST } from './facts.js'
import { MEMBERS_PATIENCE, MEMBERS_TTL } from './limits.js'
import type { ClaimedTurn, Store } from './store.js'
import { findMentions } from './text/index.js'
import { within } from './within.js'

/** Chats whose last reading is remembered. */
const REMEMBERED = 1_000
/** Members that are written down at once. */
const CHUNK = 200

export interface MemberListsOptions {
  store: Pick<Store, 'members' | 'noteMembers' | 'noteListed' | 'factsOf'>
  clock: Clock
  log: Logger
}

export class MemberLists {
  readonly #options: MemberListsOptions
  readonly #readAt = new Map<string, Millis>()

  constructor(options: MemberListsOptions) {
    this.#options = options
  }

  /** People that `text` may name in this chat. */
  async for(
    text: string,
    { chatKey, place }: { chatKey: string; place: Place },
    entry: Entry | undefined,
  ): Promise<Member[]> {
    if (!/[@＠]\S/u.test(text)) return []
    const known = await this.#known(chatKey)
    if (!leavesNames(text, known) || !this.#isDue(chatKey)) return known
    if (entry?.connection?.members === undefined) return known
    const read = await within(MEMBERS_PATIENCE, this.#options.clock, () => this.#read(entry, chatKey, place))
    return read === null ? known : this.#known(chatKey)
  }

  /** The turn with what everybody here may know, once the platform has said who that is. Never rejects. */
  async listed(turn: ClaimedTurn, entry: Entry | undefined): Promise<ClaimedTurn> {
    const { chatKey, place } = turn
    const { store, clock, log } = this.#options
    if (entry?.connection?.members === undefined || !this.#isDue(chatKey)) return turn
    try {
      const read = await within(MEMBERS_PATIENCE, clock, () => this.#read(entry, chatKey, place))
      if (read === null) return turn
      const facts = await store.factsOf(chatKey, clock.now())
      return facts.length === 0 ? turn : { ...turn, facts }
    } catch (error) {
      log.info({ chatKey, error: String(error) }, 'who reads along here could not be asked')
      return turn
    }
  }

  #known(chatKey: string): Promise<Member[]> {
    return peopleOf(this.#options.store, chatKey)
  }

  #isDue(chatKey: string): boolean {
    const { clock } = this.#options
    const at = this.#readAt.get(chatKey)
    return at === undefined || clock.now() - at >= MEMBERS_TTL
  }

  /** Goes on to its end when it takes longer than anybody waits: the next answer has the names. */
  async #read(entry: Entry, chatKey: string, place: Place): Promise<void> {
    const { store, clock, log } = this.#options
    this.#readAt.delete(chatKey)
    this.#readAt.set(chatKey, clock.now())
    for (const oldest of this.#readAt.keys()) {
      if (this.#readAt.size <= REMEMBERED) break
      this.#readAt.delete(oldest)
    }
    let chunk: Member[] = []
    let isInside = true
    let count = 0
    const note = async (): Promise<void> => {
      if (chunk.length > 0) await store.noteMembers(entry.id, place.chat, chunk, clock.now())
      chunk = []
    }
    try {
      for await (const member of entry.connection?.members?.(place) ?? []) {
        chunk.push(member)
        count++
        isInside &&= member.kind !== 'person' || member.outside === false
        if (chunk.length === CHUNK) await note()
      }
      await note()
      // Only where the platform says it of each of them.
      if (isInside && count > 0 && count <= LISTED_MOST)
        await store.noteListed(entry.id, place.chat, clock.now())
    } catch (error) {
      log.info({ chatKey, error: String(error) }, 'the members of a chat could not be read; names stay text')
      await note().catch(() => undefined)
    }
  }
}

/** Who a chat is known to have: bots are not named in an answer. */
export async function peopleOf(store: Pick<Store, 'members'>, chatKey: string): Promise<Member[]> {
  return (await store.members(chatKey)).filter(({ kind }) => kind === 'person')
}

/** An `@` with something behind it that is nobody known. */
function leavesNames(text: string, known: readonly Member[]): boolean {
  const candidates = known.map(({ name, aliases }) => ({ name, aliases: aliases ?? [] }))
  const { mentions } = findMentions(text, candidates)
  return (text.match(/[@＠]\S/gu)?.length ?? 0) > mentions.length
}
