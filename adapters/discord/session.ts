/**
 * The gateway's sessions, over restarts. A session that is resumed replays what it was not told to have arrived, so the
 * sequence that is kept, resumed from, and told in heartbeats is the last one up to which the core has everything: not
 * the last one received. A crash in between brings some events once more, and the core knows them by their keys.
 *
 * Written without waiting for the disk: an older file costs redeliveries, a lost one the catch-up by REST.
 *
 * What was said between two sessions comes by neither. So the time up to which everything was heard is kept as well, and
 * a session that follows another leaves a gap from there, until somebody has read what was said in it.
 */
import type { Millis } from '../../src/messaging/contract.js'
import { KeptFile } from './kept.js'
import { fields, number, text } from './shape.js'

/** As `@discordjs/ws` hands them over. */
export interface SessionInfo {
  sessionId: string
  resumeURL: string
  sequence: number
  shardId: number
  shardCount: number
}

/** What a session belongs to: with another token, other intents or another Discord it is of no use. */
export interface Owner {
  application: string
  intents: number
  apiUrl: string
}

/** One dispatch on its way to the core. */
export interface Ticket {
  /** Names the dispatch: the same when a RESUME replays it. */
  readonly delivery: string
  /** The core has it. */
  settle(): void
}

interface InFlight {
  sequence: number
  at: Millis
  settled: boolean
}

/** What was missed for longer is answered by nobody. Milliseconds. */
export const UNLISTED = 24 * 60 * 60_000

export class Session {
  #info: SessionInfo | null = null
  /** In the order of arrival. */
  #inFlight: InFlight[] = []
  #first = 0
  /** Everything up to then was heard. */
  #heardAt: Millis | null = null
  #gap: Millis | null = null
  /** Where the last gaps began: nothing lists direct chats, so what was said there is found one by one. */
  #unlisted: Millis | null = null
  readonly #file: KeptFile

  constructor(
    folder: string,
    /** Accounts share the folder. */
    connection: string,
    private readonly shard: number,
    private owner: Owner,
    private readonly now: () => Millis,
  ) {
    this.#file = new KeptFile(folder, `${connection}-session-${shard}.json`)
  }

  /** Where the next connection goes on; null: a new session is begun. */
  get info(): SessionInfo | null {
    return this.#info
  }

  /** Since when something may have been said that no session heard; null: since never. */
  get gap(): Millis | null {
    return this.#gap
  }

  /** Since when something may have been said in a direct chat that no session heard. */
  get unlisted(): Millis | null {
    return this.#unlisted
  }

  /** What was said in the gap will be read, whatever happens. */
  closeGap(): void {
    this.#gap = null
    this.#save()
  }

  /** Dispatches that the core does not have yet. */
  get waiting(): number {
    return this.#inFlight.length - this.#first
  }

  /** The session of an earlier life, if it is one of this owner's. */
  async load(): Promise<void> {
    const saved = fields(await this.#file.read())
    const { application, intents, apiUrl } = this.owner
    if (saved.application !== application || saved.apiUrl !== apiUrl) return
    this.#heardAt = number(saved.heardAt) ?? null
    this.#gap = number(saved.gap) ?? null
    this.#unlisted = number(saved.unlisted) ?? null
    if (saved.intents === intents) this.#info = infoOf(saved.session, this.shard)
  }

  /** A new session is about to be asked for: from its first moment on, what is said may be lost with this process. */
  expect(): void {
    if (this.#heardAt !== null) return
    this.#heardAt = this.now()
    this.#file.writeNow(() => this.#kept())
  }

  /** READY: a new session. Known to the next life before anything is said in it: else that would be lost with this one. */
  begin(info: SessionInfo): void {
    this.restart()
    this.#info = { ...info }
    this.#gap ??= this.#heardAt
    // The first of those that still matter.
    if (this.#unlisted === null || this.now() - this.#unlisted > UNLISTED) this.#unlisted = this.#gap
    this.#heardAt = this.now()
    this.#file.writeNow(() => this.#kept())
  }

  /** A connection begins: what was in flight comes again if it is not settled by then. */
  restart(): void {
    this.#inFlight = []
    this.#first = 0
  }

  /** Discord has forgotten the session, or will have. */
  drop(): void {
    this.restart()
    if (this.#info === null) return
    this.#info = null
    this.#save()
  }

  /** Other intents: the session knows the old ones. */
  rebind(owner: Owner): void {
    this.owner = owner
    this.drop()
  }

  /** A dispatch arrived. */
  receive(sequence: number): Ticket {
    const entry: InFlight = { sequence, at: this.now(), settled: false }
    const info = this.#info
    this.#inFlight.push(entry)
    return {
      delivery: `${info?.sessionId ?? 'none'}:${sequence}`,
      settle: () => {
        if (entry.settled) return
        entry.settled = true
        this.#advance()
      },
    }
  }

  /** Resolves when what is known is written; what is learnt later is not. */
  close(): Promise<void> {
    return this.#file.close()
  }

  /** Up to the first that is not settled. */
  #advance(): void {
    let last: InFlight | undefined
    for (let next = this.#inFlight[this.#first]; next?.settled; next = this.#inFlight[this.#first]) {
      last = next
      this.#first++
    }
    if (this.#first > 1_000 || this.#first === this.#inFlight.length) {
      this.#inFlight.splice(0, this.#first)
      this.#first = 0
    }
    if (last === undefined || this.#info === null || last.sequence <= this.#info.sequence) return
    this.#info.sequence = last.sequence
    this.#heardAt = last.at
    this.#save()
  }

  #save(): void {
    this.#file.write(() => this.#kept())
  }

  #kept(): object {
    return {
      ...this.owner,
      session: this.#info,
      heardAt: this.#heardAt,
      gap: this.#gap,
      unlisted: this.#unlisted,
    }
  }
}

function infoOf(value: unknown, shard: number): SessionInfo | null {
  const saved = fields(value)
  const sessionId = text(saved.sessionId)
  const resumeURL = text(saved.resumeURL)
  const sequence = number(saved.sequence)
  const shardCount = number(saved.shardCount)
  if (sessionId === undefined || resumeURL === undefined || sequence === undefined) return null
  if (shardCount === undefined || saved.shardId !== shard) return null
  return { sessionId, resumeURL, sequence, shardId: shard, shardCount }
}
