/**
 * Server-sent events of the local rooms: every change once, in order, and what was missed after a break.
 *
 * A stream first reads the log up to the newest change, then goes live. Nothing is queued for a reader who does not
 * read: his stream is ended, and his browser comes back with `Last-Event-ID`.
 */
import type { Clock } from '../../src/messaging/contract.js'
import type { Db } from './db.js'
import type { LogEvent } from './protocol.js'

const HEARTBEAT = 15_000
/** Bytes that may wait for a slow reader. */
const MOST_UNREAD = 256 * 1024
const PAGE = 100
export const MOST_STREAMS = 200

/** What is not kept: somebody types, a note for one person. */
export interface Ephemeral {
  type: 'typing' | 'whisper'
  room: string
  /** Only streams opened `as` this person are told. */
  to?: string
  data: object
}

export interface StreamOptions {
  /** Absent: all rooms. */
  rooms?: ReadonlySet<string> | undefined
  /** The reader, as far as notes for one person go. */
  as?: string | undefined
  /** The last event the reader has seen. Absent: from now on. */
  lastEventId?: number | undefined
  signal: AbortSignal
}

interface Stream extends StreamOptions {
  controller: ReadableStreamDefaultController<Uint8Array>
  /** The last change that was sent, or passed over. */
  cursor: number
  live: boolean
  /** Wakes a catch-up that waits for the reader. */
  wake: () => void
  end: () => void
}

const encoder = new TextEncoder()

export class Hub {
  #streams = new Set<Stream>()
  #cancelHeartbeat: (() => void) | null = null
  #closed = false

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    /** Number of the newest change. */
    private head: number,
    /** What readers are shown of a change. */
    private readonly present: (event: LogEvent) => object,
  ) {}

  get size(): number {
    return this.#streams.size
  }

  /** Changes that were just committed. */
  publish(events: readonly LogEvent[]): void {
    for (const event of events) {
      this.head = event.id
      const chunk = encoder.encode(frame(event.type, this.present(event), event.id))
      for (const stream of this.#streams) {
        if (!stream.live || event.id <= stream.cursor) continue
        stream.cursor = event.id
        if (concerns(stream, event.room)) this.#send(stream, chunk)
      }
    }
  }

  whisper(event: Ephemeral): void {
    const chunk = encoder.encode(frame(event.type, event.data))
    for (const stream of this.#streams) {
      const meant = event.to === undefined || event.to === stream.as
      if (stream.live && meant && concerns(stream, event.room)) this.#send(stream, chunk)
    }
  }

  /** Null when there are too many streams already, or the connection closes. */
  open(options: StreamOptions): ReadableStream<Uint8Array> | null {
    if (this.#closed || this.#streams.size >= MOST_STREAMS) return null
    let stream: Stream | undefined
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          stream = this.#add(options, controller)
        },
        pull: () => stream?.wake(),
        cancel: () => stream?.end(),
      },
      { highWaterMark: MOST_UNREAD, size: (chunk) => chunk.byteLength },
    )
  }

  /** Ends every stream. */
  close(): void {
    this.#closed = true
    for (const stream of [...this.#streams]) stream.end()
  }

  #add(options: StreamOptions, controller: ReadableStreamDefaultController<Uint8Array>): Stream {
    const end = () => {
      options.signal.removeEventListener('abort', end)
      if (!this.#streams.delete(stream)) return
      stream.wake()
      if (this.#streams.size === 0) {
        this.#cancelHeartbeat?.()
        this.#cancelHeartbeat = null
      }
      try {
        controller.close()
      } catch {
        // The reader has cancelled it already.
      }
    }
    const stream: Stream = {
      ...options,
      controller,
      cursor: options.lastEventId ?? this.head,
      live: false,
      wake: () => {},
      end,
    }
    this.#streams.add(stream)
    options.signal.addEventListener('abort', end)
    if (options.signal.aborted) end()
    this.#beat()
    if (options.lastEventId === undefined) {
      stream.live = true
      this.#send(stream, encoder.encode(`retry: 1000\n${frame('hello', { head: this.head }, this.head)}`))
    } else {
      this.#send(stream, encoder.encode('retry: 1000\n\n'))
      this.#catchUp(stream).catch(() => end())
    }
    return stream
  }

  async #catchUp(stream: Stream): Promise<void> {
    // A number from the future comes from a database that is no more.
    if (stream.cursor > this.head) return this.#reset(stream)
    let first = true
    while (this.#streams.has(stream)) {
      if (stream.cursor >= this.head) {
        stream.live = true
        return
      }
      const { events, oldest, head } = await this.db.call('log', { after: stream.cursor, limit: PAGE })
      if (!this.#streams.has(stream)) return
      if (first && stream.cursor < oldest - 1) return this.#reset(stream)
      first = false
      for (const event of events) {
        stream.cursor = event.id
        if (concerns(stream, event.room)) {
          stream.controller.enqueue(encoder.encode(frame(event.type, this.present(event), event.id)))
        }
      }
      if (events.length === 0) stream.cursor = Math.max(stream.cursor, head)
      await this.#room(stream)
    }
  }

  /** What was missed is not in the log any more: the reader must load the rooms afresh. */
  #reset(stream: Stream): void {
    stream.cursor = this.head
    stream.live = true
    this.#send(stream, encoder.encode(frame('reset', { head: this.head }, this.head)))
  }

  /** Waits until the reader has read. */
  #room(stream: Stream): Promise<void> {
    if ((stream.controller.desiredSize ?? 0) > MOST_UNREAD / 2) return Promise.resolve()
    return new Promise((resolve) => {
      stream.wake = () => {
        stream.wake = () => {}
        resolve()
      }
    })
  }

  #send(stream: Stream, chunk: Uint8Array): void {
    if ((stream.controller.desiredSize ?? 0) < chunk.byteLength) {
      stream.end()
      return
    }
    stream.controller.enqueue(chunk)
  }

  /** A comment keeps proxies from ending a quiet stream, and finds readers who are gone. */
  #beat(): void {
    if (this.#cancelHeartbeat !== null || this.#streams.size === 0) return
    this.#cancelHeartbeat = this.clock.at(this.clock.now() + HEARTBEAT, () => {
      this.#cancelHeartbeat = null
      const chunk = encoder.encode(': alive\n\n')
      for (const stream of [...this.#streams]) this.#send(stream, chunk)
      this.#beat()
    })
  }
}

function concerns(stream: StreamOptions, room: string): boolean {
  return stream.rooms === undefined || stream.rooms.has(room)
}

/** JSON holds no line break, so one `data:` line is enough. */
function frame(type: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
