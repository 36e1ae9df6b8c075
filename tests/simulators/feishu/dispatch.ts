/**
 * Brings events to one app, by long connection or by webhook, until they are acknowledged.
 *
 * Not taken within 3 s - no answer, an error, or `{code: 500}` - an event comes again after 15 s, 5 minutes, 1 hour and
 * 6 hours; then never. https://open.feishu.cn/document/server-docs/event-subscription-guide/overview
 * Presses are not repeated: the person sees that nobody answers.
 * https://open.feishu.cn/document/event-subscription-guide/callback-subscription/callback-overview
 */
import type { WebSocket } from 'ws'
import type { VirtualClock } from '../kit/clock.js'
import { Deadlines } from '../kit/deadlines.js'
import { Deliveries, type Delivery } from '../kit/deliveries.js'
import type { Changes } from '../kit/events.js'
import type { Recorder } from '../kit/recorder.js'
import { type Fields, fieldsOf } from './fields.js'
import { type PostResult, postTo, webhookAgent } from './post-to.js'
import type { Sockets } from './sockets.js'

/** What is delivered. */
export interface Outgoing {
  kind: 'event' | 'callback'
  body: Fields
}

const ACK_MS = 3_000
/** When each retry comes after the attempt before it failed. */
const RETRY_MS = [15_000, 300_000, 3_600_000, 21_600_000]
/** Without a connection an event is kept as long as its retries would take. */
const KEEP_MS = RETRY_MS.reduce((sum, ms) => sum + ms, 0)
const MOST_POSTS = 64

interface Flight {
  readonly delivery: Delivery<Outgoing>
  state: 'idle' | 'sent' | 'waiting'
  failures: number
  socket?: WebSocket
  frame?: string
  undo?: () => void
  /** When its next retry is due. */
  due?: number
}

export interface DispatcherOptions {
  clock: VirtualClock
  changes: Changes
  recorder: Recorder
  sockets: Sockets
  isEager: boolean
  /** A retry's own event_id; null: the first one's. */
  freshId: (() => string) | null
  nonce: () => string
  encryptKey: () => string | null
  /** Seconds by which the clock behind signatures is off. */
  skew: () => number
  /** What the app answered; undefined: nothing in time, or that it failed. */
  onResponse: (outgoing: Outgoing, response: { body: unknown } | undefined) => void
}

export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #deliveries: Deliveries<Outgoing>
  readonly #flights = new Map<string, Flight>()
  readonly #byFrame = new Map<string, Flight>()
  readonly #acks: Deadlines
  readonly #keeps: Deadlines
  readonly #lost: string[] = []
  readonly #agent = webhookAgent()
  #webhook: string | null = null
  #posting = 0

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#acks = new Deadlines(options.clock, ACK_MS)
    this.#keeps = new Deadlines(options.clock, KEEP_MS)
    this.#deliveries = new Deliveries({
      onReady: () => this.#pump(),
      onAcknowledged: (id) => {
        options.recorder.acknowledged(id)
        options.changes.changed()
      },
    })
  }

  get pending(): number {
    return this.#deliveries.pending
  }

  get acknowledged(): readonly string[] {
    return this.#deliveries.acknowledged
  }

  /** Ids of what was given up: nobody took it in any attempt, or nobody answered a press. */
  get lost(): readonly string[] {
    return this.#lost
  }

  /** When the next retry is due; undefined: none waits. */
  get waitsUntil(): number | undefined {
    const due = [...this.#flights.values()]
      .filter(({ state }) => state === 'waiting')
      .map(({ due }) => due ?? 0)
    return due.length === 0 ? undefined : Math.min(...due)
  }

  push(id: string, outgoing: Outgoing): void {
    this.#options.recorder.delivery(id, outgoing)
    this.#deliveries.push(id, outgoing)
  }

  /** Keeps what comes from now on; the returned function lets it go, in another order where one is given. */
  hold(): ReturnType<Deliveries<Outgoing>['hold']> {
    return this.#deliveries.hold()
  }

  redeliver(count = 1): void {
    this.#deliveries.redeliver(count)
    for (const delivery of [...this.#deliveries.waiting]) {
      if (delivery.repeated && !this.#flights.has(delivery.id)) this.#launch(delivery)
    }
  }

  /** The URL events are posted to; null: they go over long connections. */
  webhook(url: string | null): void {
    this.#webhook = url
    if (url !== null) this.connected()
  }

  get webhookUrl(): string | null {
    return this.#webhook
  }

  /** Somebody is there to take what waits. */
  connected(): void {
    const { isEager, sockets } = this.#options
    for (const delivery of [...this.#deliveries.waiting]) {
      const flight = this.#flights.get(delivery.id)
      if (flight === undefined) this.#launch(delivery)
      else if (!isEager) continue
      else if (flight.state !== 'sent') this.#send(flight)
      // What a dead connection holds has not been read by anybody.
      else if (flight.socket !== undefined && !sockets.isLive(flight.socket)) this.#send(flight)
    }
  }

  /** A connection went: what it had not acknowledged failed. */
  socketClosed(socket: WebSocket): void {
    for (const delivery of [...this.#deliveries.waiting]) {
      const flight = this.#flights.get(delivery.id)
      if (flight?.state === 'sent' && flight.socket === socket) this.#fail(flight)
    }
  }

  /** @param code 200 or 500, as the SDK answers for its handler */
  acknowledge(frame: string, code: number, body: unknown): void {
    const flight = this.#byFrame.get(frame)
    if (flight === undefined) return
    if (code !== 200) {
      this.#fail(flight)
      return
    }
    const { id, body: outgoing } = flight.delivery
    this.#settle(id)
    this.#options.onResponse(outgoing, { body })
  }

  close(): void {
    for (const flight of this.#flights.values()) flight.undo?.()
    this.#agent.destroy()
    this.#acks.close()
    this.#keeps.close()
    this.#flights.clear()
    this.#byFrame.clear()
    this.#deliveries.clear()
  }

  /** Sends what is new: it stands at the end of the queue. */
  #pump(): void {
    const { waiting } = this.#deliveries
    let at = waiting.length
    while (at > 0 && !this.#flights.has(waiting[at - 1]?.id ?? '')) at--
    for (const delivery of waiting.slice(at)) this.#launch(delivery)
  }

  #launch(delivery: Delivery<Outgoing>): void {
    const flight: Flight = { delivery, state: 'idle', failures: delivery.repeated ? 1 : 0 }
    this.#flights.set(delivery.id, flight)
    this.#send(flight)
  }

  #send(flight: Flight): void {
    flight.undo?.()
    if (this.#webhook !== null) {
      this.#post(flight, this.#webhook)
      return
    }
    const socket = this.#options.sockets.pick()
    if (socket === undefined) {
      this.#keep(flight)
      return
    }
    if (flight.frame !== undefined) this.#byFrame.delete(flight.frame)
    const body = this.#bodyOf(flight)
    flight.delivery.attempts++
    const frame = this.#options.sockets.send(socket, body)
    this.#byFrame.set(frame, flight)
    Object.assign(flight, {
      state: 'sent',
      socket,
      frame,
      undo: this.#acks.add(() => this.#fail(flight)),
    })
    this.#options.changes.changed()
  }

  /** A retry may come under another event_id. */
  #bodyOf({ delivery }: Flight): Fields {
    const { body } = delivery.body
    const { freshId } = this.#options
    if (delivery.attempts === 0 || freshId === null || body.header === undefined) return body
    return { ...body, header: { ...fieldsOf(body.header), event_id: freshId() } }
  }

  /** Nobody is connected. */
  #keep(flight: Flight): void {
    const { delivery } = flight
    if (delivery.body.kind === 'callback') this.#giveUp(flight)
    else if (!this.#options.isEager) this.#fail(flight)
    else {
      flight.state = 'idle'
      flight.undo = this.#keeps.add(() => this.#giveUp(flight))
    }
  }

  #post(flight: Flight, url: string): void {
    if (this.#posting >= MOST_POSTS) {
      flight.state = 'idle'
      return
    }
    this.#posting++
    const body = this.#bodyOf(flight)
    flight.delivery.attempts++
    flight.state = 'sent'
    const { clock, encryptKey, skew, nonce } = this.#options
    void postTo(url, body, {
      clock,
      timeoutMs: ACK_MS,
      encryptKey: encryptKey(),
      nonce: nonce(),
      skewSeconds: skew(),
      agent: this.#agent,
    }).then((result) => {
      this.#posting--
      this.#posted(flight, result)
      this.#postNext()
    })
  }

  #posted(flight: Flight, result: PostResult): void {
    const { delivery } = flight
    if (this.#flights.get(delivery.id) !== flight) return
    if (!result.ok) {
      this.#fail(flight)
      return
    }
    this.#settle(delivery.id)
    this.#options.onResponse(delivery.body, { body: result.response })
  }

  /** A place among the posts is free. */
  #postNext(): void {
    if (this.#webhook === null) return
    for (const delivery of this.#deliveries.waiting) {
      const flight = this.#flights.get(delivery.id)
      if (flight?.state !== 'idle') continue
      this.#send(flight)
      if (this.#posting >= MOST_POSTS) return
    }
  }

  #fail(flight: Flight): void {
    const { delivery } = flight
    if (this.#flights.get(delivery.id) !== flight) return
    flight.undo?.()
    const wait = RETRY_MS[flight.failures]
    flight.failures++
    if (wait === undefined || delivery.body.kind === 'callback') {
      this.#giveUp(flight)
      return
    }
    flight.state = 'waiting'
    flight.due = this.#options.clock.now() + wait
    flight.undo = this.#options.clock.after(wait, () => this.#send(flight))
    this.#options.changes.changed()
  }

  #giveUp({ delivery }: Flight): void {
    this.#forget(delivery.id)
    this.#deliveries.drop(delivery.id)
    this.#lost.push(delivery.id)
    if (delivery.body.kind === 'callback') this.#options.onResponse(delivery.body, undefined)
    this.#options.changes.changed()
  }

  #settle(id: string): void {
    this.#forget(id)
    this.#deliveries.acknowledge(id)
  }

  #forget(id: string): void {
    const flight = this.#flights.get(id)
    flight?.undo?.()
    if (flight?.frame !== undefined) this.#byFrame.delete(flight.frame)
    this.#flights.delete(id)
  }
}
