/**
 * Brings events to the bot, by socket or by webhook, until they are acknowledged.
 *
 * Not acknowledged within 3 s, by whatever reason, an event comes again: at once, after 1 minute, after 5 minutes, with
 * the number and the reason of the retry; then never. https://docs.slack.dev/apis/events-api#retries
 * Presses, commands and shortcuts are not repeated: the person sees that the app does not respond.
 */
import type { WebSocket } from 'ws'
import type { VirtualClock } from '../kit/clock.js'
import { Deadlines } from '../kit/deadlines.js'
import { Deliveries, type Delivery } from '../kit/deliveries.js'
import type { Changes } from '../kit/events.js'
import type { Recorder } from '../kit/recorder.js'
import { type PostResult, postTo, type RetryReason, webhookAgent } from './post-to.js'
import type { Outgoing } from './publisher.js'
import type { Sockets } from './sockets.js'

const ACK_MS = 3_000
/** When the first, second and third retry comes after the attempt before it failed. */
const RETRY_MS = [0, 60_000, 300_000]
/** Without a connection an event is kept as long as its retries would take. */
const KEEP_MS = 360_000
const MOST_POSTS = 64

interface Flight {
  readonly delivery: Delivery<Outgoing>
  state: 'idle' | 'sent' | 'waiting'
  failures: number
  reason?: RetryReason
  socket?: WebSocket
  envelope?: string
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
  envelope: () => string
  signingSecret: () => string
  /** Seconds by which the clock behind signatures is off. */
  skew: () => number
  /** What the bot sent along with its acknowledgement. */
  onResponse: (outgoing: Outgoing, response: unknown) => void
}

export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #deliveries: Deliveries<Outgoing>
  readonly #flights = new Map<string, Flight>()
  readonly #byEnvelope = new Map<string, Flight>()
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

  /** Ids of what was given up: nobody acknowledged it in any attempt, or nobody was there for a press. */
  get lost(): readonly string[] {
    return this.#lost
  }

  /** When the next retry is due; undefined: none waits. */
  get waitsUntil(): number | undefined {
    const due = [...this.#flights.values()]
      .filter(({ state }) => state === 'waiting')
      .map((flight) => flight.due ?? 0)
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

  /** The URL events are posted to; null: they go to sockets. */
  webhook(url: string | null): void {
    this.#webhook = url
    if (url !== null) this.connected()
  }

  get webhookUrl(): string | null {
    return this.#webhook
  }

  /** Somebody is there to take what waits. */
  connected(): void {
    for (const delivery of [...this.#deliveries.waiting]) {
      const flight = this.#flights.get(delivery.id)
      if (flight === undefined) this.#launch(delivery)
      else if (flight.state === 'idle' || (flight.state === 'waiting' && this.#options.isEager))
        this.#send(flight)
      else if (
        flight.socket !== undefined &&
        !this.#options.sockets.isLive(flight.socket) &&
        this.#options.isEager
      )
        this.#fail(flight, 'timeout')
    }
  }

  /** A socket went: what it had not acknowledged failed. */
  socketClosed(socket: WebSocket): void {
    for (const delivery of [...this.#deliveries.waiting]) {
      const flight = this.#flights.get(delivery.id)
      if (flight?.state === 'sent' && flight.socket === socket) this.#fail(flight, 'timeout')
    }
  }

  acknowledge(envelope: string, response: unknown): void {
    const delivery = this.#byEnvelope.get(envelope)?.delivery
    if (delivery === undefined) return
    this.#settle(delivery.id)
    this.#options.onResponse(delivery.body, response)
  }

  close(): void {
    for (const flight of this.#flights.values()) flight.undo?.()
    this.#agent.destroy()
    this.#acks.close()
    this.#keeps.close()
    this.#flights.clear()
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
    const flight: Flight = { delivery, state: 'idle', failures: 0 }
    this.#flights.set(delivery.id, flight)
    // An acknowledgement that was lost makes a first retry.
    if (delivery.repeated)
      Object.assign(flight, { failures: 1, reason: this.#webhook === null ? 'timeout' : 'http_timeout' })
    this.#send(flight)
  }

  #send(flight: Flight): void {
    const { delivery } = flight
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
    if (flight.envelope !== undefined) this.#byEnvelope.delete(flight.envelope)
    const envelope = this.#options.envelope()
    this.#byEnvelope.set(envelope, flight)
    delivery.attempts++
    const { type, payload } = delivery.body
    Object.assign(flight, {
      state: 'sent',
      socket,
      envelope,
      undo: this.#acks.add(() => this.#fail(flight, 'timeout')),
    })
    this.#options.sockets.send(socket, {
      envelope_id: envelope,
      payload,
      type,
      accepts_response_payload: type !== 'events_api',
      ...(type === 'events_api' && {
        retry_attempt: flight.failures,
        retry_reason: flight.failures === 0 ? '' : (flight.reason ?? ''),
      }),
    })
  }

  /** Nobody is connected. */
  #keep(flight: Flight): void {
    const { delivery } = flight
    if (delivery.body.type !== 'events_api') {
      this.#giveUp(delivery)
      return
    }
    flight.state = 'idle'
    flight.failures = Math.max(1, flight.failures)
    flight.reason ??= 'connection_failed'
    flight.undo = this.#keeps.add(() => this.#giveUp(delivery))
  }

  #post(flight: Flight, url: string): void {
    const { delivery } = flight
    if (this.#posting >= MOST_POSTS) {
      flight.state = 'idle'
      return
    }
    this.#posting++
    delivery.attempts++
    flight.state = 'sent'
    const headers: Record<string, string> =
      flight.failures > 0
        ? {
            'x-slack-retry-num': String(flight.failures),
            'x-slack-retry-reason': flight.reason ?? 'unknown_error',
          }
        : {}
    const { clock, signingSecret, skew } = this.#options
    void postTo(url, delivery.body, {
      clock,
      timeoutMs: ACK_MS,
      headers,
      secret: signingSecret(),
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
    if (result.ok) {
      this.#settle(delivery.id)
      this.#options.onResponse(delivery.body, result.response)
    } else if (result.noRetry) this.#giveUp(delivery)
    else this.#fail(flight, result.reason)
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

  #fail(flight: Flight, reason: RetryReason): void {
    const { delivery } = flight
    if (this.#flights.get(delivery.id) !== flight) return
    flight.undo?.()
    const wait = RETRY_MS[flight.failures]
    flight.failures++
    flight.reason = reason
    if (wait === undefined || delivery.body.type !== 'events_api') {
      this.#giveUp(delivery)
      return
    }
    flight.state = 'waiting'
    if (wait === 0) {
      this.#send(flight)
      return
    }
    flight.due = this.#options.clock.now() + wait
    this.#options.changes.changed()
    flight.undo = this.#options.clock.after(wait, () => this.#send(flight))
  }

  #giveUp(delivery: Delivery<Outgoing>): void {
    this.#forget(delivery.id)
    this.#deliveries.drop(delivery.id)
    this.#lost.push(delivery.id)
    this.#options.changes.changed()
  }

  #settle(id: string): void {
    this.#forget(id)
    this.#deliveries.acknowledge(id)
  }

  #forget(id: string): void {
    const flight = this.#flights.get(id)
    flight?.undo?.()
    if (flight?.envelope !== undefined) this.#byEnvelope.delete(flight.envelope)
    this.#flights.delete(id)
  }
}
