/**
 * Reads what was said while a connection was away. Each place that was spoken in lately is asked for what follows its last
 * known message, and what is found is accepted as if it had just arrived; what is known already changes nothing. It reads
 * one place after another, keeps out of the way of everything else, and never throws: what it could not read stays marked
 * in the store for the next time.
 */
import type { Clock, Logger, Millis } from './ambient.js'
import { type Connection, type ConnectionId, type InboundMessage, PlatformFailure } from './contract.js'
import type { Directory, Entry } from './directory.js'
import { chatKeyOf } from './keys.js'
import {
  CATCH_UP_ANSWERED,
  CATCH_UP_PAGE,
  CATCH_UP_PAGES,
  CATCH_UP_PLACES,
  CATCH_UP_SINCE,
} from './limits.js'
import type { AcceptItem, MissedPlace, Store } from './store.js'
import { within } from './within.js'

/** How long one page may take. */
const PATIENCE = 30_000
/** Pauses after a failure, doubled each time; how often a page is tried. */
const PAUSE_FIRST = 1_000
const PAUSE_MOST = 60_000
const TRIES = 4
/** When what is left is tried again while the connection stays up. */
const AGAIN = 5 * 60_000

export interface CatchUpOptions {
  store: Pick<Store, 'newest' | 'missed' | 'noteMissed' | 'caughtUp'>
  directory: Directory
  clock: Clock
  log: Logger
  /** Stores them in their order. @returns how many were new */
  accept(
    entry: Entry,
    messages: readonly { event: InboundMessage; missed: NonNullable<AcceptItem['missed']> }[],
  ): Promise<number>
}

type Outcome = 'done' | 'given-up' | 'left'

interface Tally {
  places: number
  messages: number
  givenUp: number
  left: number
}

export class CatchUp {
  readonly #options: CatchUpOptions
  readonly #up = new Map<ConnectionId, Connection>()
  /** The last message before each connection went away: by its number, for clocks are set and messages overtake. */
  readonly #away = new Map<ConnectionId, Promise<number>>()
  readonly #born: Promise<number>
  readonly #running = new Map<ConnectionId, Promise<void>>()
  /** Who sleeps, and for which connection. */
  readonly #wakes = new Map<() => void, ConnectionId>()
  #closed = false
  #end: () => void = () => undefined
  /** Settles when it is closed: a platform that does not answer holds up no end. */
  readonly #closing = new Promise<null>((resolve) => {
    this.#end = () => resolve(null)
  })
  #unwatch: () => void

  constructor(options: CatchUpOptions) {
    this.#options = options
    this.#born = this.#newest()
    this.#unwatch = options.directory.watch(() => this.#look())
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#end()
    this.#unwatch()
    for (const wake of this.#wakes.keys()) wake()
    await Promise.all(this.#running.values())
  }

  /** Asked at once, so that nothing that is accepted later comes before it. */
  #newest(): Promise<number> {
    const newest = this.#options.store.newest()
    // Where it cannot be read, nothing counts as heard.
    return newest.catch(() => 0)
  }

  #look(): void {
    const { directory } = this.#options
    for (const entry of directory.all()) {
      const { id, connection } = entry
      const isUp = connection !== null && entry.state.phase === 'ready'
      const before = this.#up.get(id)
      if (before !== undefined && (!isUp || before !== connection)) {
        this.#up.delete(id)
        this.#away.set(id, this.#newest())
        for (const [wake, whose] of this.#wakes) if (whose === id) wake()
      }
      if (!isUp || this.#up.has(id)) continue
      this.#up.set(id, connection)
      if (connection.history === undefined || !entry.platform.can.history) continue
      this.#start(entry, connection, this.#away.get(id) ?? this.#born)
    }
  }

  /** After the one before it, if that is still at work for the connection that went away. */
  #start(entry: Entry, connection: Connection, newest: Promise<number>): void {
    const { log } = this.#options
    entry.catchingUp = true
    const work = (this.#running.get(entry.id) ?? Promise.resolve())
      .then(async () => {
        // Marked by the first round; the later ones go on with what is left.
        let told = connection.missed === undefined
        for (let upTo = await newest; !this.#isOver(entry, connection); upTo = 0) {
          told ||= await this.#listen(entry, connection)
          if ((await this.#round(entry, connection, upTo)) && told) return
          await this.#sleep(entry.id, this.#options.clock.now() + AGAIN)
        }
      })
      .catch((error: unknown) =>
        log.error({ connection: entry.id, error: String(error) }, 'what was missed could not be read'),
      )
      .finally(() => {
        if (this.#running.get(entry.id) !== work) return
        this.#running.delete(entry.id)
        entry.catchingUp = false
      })
    this.#running.set(entry.id, work)
  }

  /** What the platform itself says was missed. @returns whether it has said everything */
  async #listen(entry: Entry, connection: Connection): Promise<boolean> {
    const { store, clock, log } = this.#options
    try {
      const heard = within(PATIENCE, clock, async (isLate) => {
        for await (const { place, after } of connection.missed?.() ?? []) {
          // A place that is not stored must be told again.
          if (isLate() || this.#isOver(entry, connection)) return false
          await store.noteMissed({ chatKey: chatKeyOf(entry.id, place.chat), place, after }, entry.id)
        }
        return true
      })
      return (await Promise.race([heard, this.#closing])) ?? false
    } catch (error) {
      log.warn(
        { connection: entry.id, error: String(error) },
        'the platform did not say where something was missed; it is asked again later',
      )
      return false
    }
  }

  /** @returns whether all is read, as far as it can be */
  async #round(entry: Entry, connection: Connection, upTo: number): Promise<boolean> {
    try {
      return await this.#readPlaces(entry, connection, upTo)
    } catch (error) {
      this.#options.log.warn(
        { connection: entry.id, error: String(error) },
        'what was missed could not be stored; it is read again later',
      )
      return false
    }
  }

  /** @param before what was read of earlier places in the same round */
  async #readPlaces(
    entry: Entry,
    connection: Connection,
    upTo: number,
    before: Tally = { places: 0, messages: 0, givenUp: 0, left: 0 },
  ): Promise<boolean> {
    const { store, clock, log } = this.#options
    const places = await store.missed({
      connection: entry.id,
      upTo,
      since: clock.now() - CATCH_UP_SINCE,
      max: CATCH_UP_PLACES,
    })
    if (places.length === 0) return true
    const tally: Tally = { ...before, places: before.places + places.length, left: places.length }
    const ends: Promise<void>[] = []
    for (const place of places) {
      const outcome = await this.#place(entry, connection, place, tally)
      if (outcome === 'left') break
      tally.left--
      if (outcome === 'given-up') tally.givenUp++
      ends.push(store.caughtUp(place, outcome))
    }
    await Promise.all(ends)
    log.info({ connection: entry.id, ...tally }, 'read what was said while the connection was away')
    this.#options.directory.set(entry.id, {
      caughtUp: { at: clock.now(), messages: tally.messages, complete: tally.left + tally.givenUp === 0 },
    })
    if (tally.left > 0) return false
    // As many as it asked for: there may be more.
    return places.length < CATCH_UP_PLACES || (await this.#readPlaces(entry, connection, 0, tally))
  }

  #isOver(entry: Entry, connection: Connection): boolean {
    return this.#closed || entry.connection !== connection
  }

  async #place(entry: Entry, connection: Connection, missed: MissedPlace, tally: Tally): Promise<Outcome> {
    const { store, clock } = this.#options
    let { after } = missed
    for (let page = 0; page < CATCH_UP_PAGES; page++) {
      const read = await this.#page(entry, connection, { ...missed, after })
      if (!Array.isArray(read)) return read
      const oldest = clock.now() - CATCH_UP_ANSWERED
      tally.messages += await this.#options.accept(
        entry,
        read.map((event) => ({ event, missed: event.at < oldest ? 'context' : 'decide' })),
      )
      const last = read.at(-1)?.id ?? after
      // A page that is nearly full may have lost what is no message: more may follow it.
      if (read.length < CATCH_UP_PAGE / 2 || last === after) return 'done'
      after = last
      await store.caughtUp({ ...missed, after }, 'more')
    }
    return 'given-up'
  }

  /** One page, however often it takes within reason; or why there is none. */
  async #page(
    entry: Entry,
    connection: Connection,
    { place, after }: MissedPlace,
  ): Promise<InboundMessage[] | Exclude<Outcome, 'done'>> {
    const { clock, log } = this.#options
    for (let pause = PAUSE_FIRST, tries = 1; !this.#isOver(entry, connection); tries++, pause *= 2) {
      let until = clock.now() + pause
      try {
        const reading = within(PATIENCE, clock, async (isLate) => {
          const found: InboundMessage[] = []
          for await (const event of connection.history?.(place, { after, limit: CATCH_UP_PAGE }) ?? []) {
            if (isLate() || this.#isOver(entry, connection)) break
            if (event.kind === 'message') found.push(event)
          }
          return found
        })
        const read = await Promise.race([reading, this.#closing])
        if (this.#isOver(entry, connection)) return 'left'
        if (read !== null) return read
      } catch (error) {
        log.debug(
          { connection: entry.id, place, error: String(error) },
          'a page of what was missed was not read',
        )
        if (!(error instanceof PlatformFailure)) return 'given-up'
        const { failure } = error
        if (failure.kind === 'rate-limited') until = failure.retryAt
        else if (failure.kind !== 'unreachable' && failure.kind !== 'ambiguous') return 'given-up'
      }
      if (tries >= TRIES) return 'left'
      await this.#sleep(entry.id, Math.min(until, clock.now() + PAUSE_MOST))
    }
    return 'left'
  }

  #sleep(id: ConnectionId, until: Millis): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel()
        this.#wakes.delete(wake)
        resolve()
      }
      const cancel = this.#options.clock.at(until, wake)
      this.#wakes.set(wake, id)
    })
  }
}
