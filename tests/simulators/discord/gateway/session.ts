/**
 * One session of the gateway: what was sent to it, by number, and how far it says it has come. It outlives its
 * connection, and the process behind that. https://docs.discord.com/developers/events/gateway#resuming
 *
 * Discord has no acknowledgement of an event. What comes nearest is the sequence of a heartbeat or of a RESUME: the
 * client says that it has all up to there.
 */

/** What carries a session's frames. */
export interface Carrier {
  session: Session | null
  send(frame: string): void
  op(op: number, data?: unknown): void
  close(code: number, reason: string): void
}

interface Kept {
  seq: number
  frame: string
}

export interface SessionOptions {
  id: string
  intents: number
  shard: readonly [number, number]
  /** How many events are kept to be replayed. */
  buffer: number
  onAcknowledged: (id: string) => void
}

export class Session {
  readonly id: string
  readonly intents: number
  readonly shard: readonly [number, number]
  /** The live connection. */
  connection: Carrier | null = null
  /** Since when it is without one, by the simulator's clock. */
  since = 0
  readonly #options: SessionOptions
  #seq = 0
  /** READY and what else a resuming client does not want again. */
  #kept: Kept[] = []
  /** Sequences that were not acknowledged yet, oldest first; the first `#head` of them are done with. */
  #open: number[] = []
  #head = 0
  /** While a replay is wanted by force: where it begins. */
  #rewindTo: number | null = null
  /** Oldest sequence from which all that followed is still there. */
  #from = 0

  constructor(options: SessionOptions) {
    this.id = options.id
    this.intents = options.intents
    this.shard = options.shard
    this.#options = options
  }

  get seq(): number {
    return this.#seq
  }

  /** Events that the client has not said to have. */
  get pending(): number {
    return this.#open.length - this.#head
  }

  /** Ids of those. */
  get open(): string[] {
    return this.#open.slice(this.#head).map((seq) => `${this.id}:${seq}`)
  }

  /** @param json the event's data, written already: it goes to several sessions */
  dispatch(type: string, json: string): void {
    const frame = this.#frame(type, json)
    this.#kept.push({ seq: this.#seq, frame })
    this.#open.push(this.#seq)
    if (this.#kept.length > this.#options.buffer * 1.5) {
      const gone = this.#kept.splice(0, this.#kept.length - this.#options.buffer)
      this.#from = gone.at(-1)?.seq ?? this.#from
    }
    this.connection?.send(frame)
  }

  /** An event about the session itself, which is never replayed and which nobody waits for. */
  tell(type: string, data: unknown): void {
    const frame = this.#frame(type, JSON.stringify(data))
    this.connection?.send(frame)
  }

  /** The client has everything up to here. False: there never was such a number. */
  acknowledge(seq: number, isResume = false): boolean {
    if (seq > this.#seq) return false
    // What is said on a connection that is about to be replaced has nothing to say of the replay.
    if (this.#rewindTo !== null && !isResume) return true
    const until = this.#rewindTo === null ? seq : Math.min(seq, this.#rewindTo)
    while (this.#head < this.#open.length && (this.#open[this.#head] ?? 0) <= until) {
      this.#options.onAcknowledged(`${this.id}:${this.#open[this.#head++]}`)
    }
    if (this.#head > 1_000) {
      this.#open = this.#open.slice(this.#head)
      this.#head = 0
    }
    return true
  }

  /** Makes the next RESUME begin so many events before what the client has. Returns how many there are. */
  rewind(count: number): number {
    const first = this.#open[this.#head] ?? this.#seq + 1
    const done = this.#kept.filter(({ seq }) => seq < first).slice(-count)
    const [oldest] = done
    if (count <= 0 || oldest === undefined) return 0
    this.#rewindTo = oldest.seq - 1
    this.#open = [...done.map(({ seq }) => seq), ...this.#open.slice(this.#head)]
    this.#head = 0
    return done.length
  }

  /** Sends again all that came after `seq`. False: some of it is no longer there. */
  replay(seq: number): boolean {
    const from = Math.min(seq, this.#rewindTo ?? seq)
    if (from < this.#from) return false
    this.#rewindTo = null
    for (const kept of this.#kept) if (kept.seq > from) this.connection?.send(kept.frame)
    return true
  }

  #frame(type: string, json: string): string {
    this.#seq++
    return `{"t":${JSON.stringify(type)},"s":${this.#seq},"op":0,"d":${json}}`
  }
}
