/** Events on their way to the bot: in order, held, reordered, repeated, acknowledged. */

export interface Delivery<Body> {
  /** The platform's own id of this delivery. A redelivery has the same. */
  readonly id: string
  readonly body: Body
  /** How often it was handed out. */
  attempts: number
  /** It was acknowledged before: sent again all the same. */
  repeated: boolean
  /** How many of its attempts were made before it was put in the row the last time. */
  attemptsBefore: number
}

export interface DeliveriesOptions {
  /** Called when something became ready to be handed out. */
  onReady: () => void
  /** Called when one is acknowledged. */
  onAcknowledged?: (id: string) => void
  /** How many acknowledged ones are kept to be sent again. */
  remember?: number
}

export class Deliveries<Body> {
  readonly #waiting: Delivery<Body>[] = []
  readonly #held: Delivery<Body>[] = []
  readonly #done: Delivery<Body>[] = []
  readonly #acknowledged: string[] = []
  readonly #options: DeliveriesOptions
  #holding = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
  }

  /** Those ready to be handed out, oldest first. Not acknowledged yet. */
  get waiting(): readonly Delivery<Body>[] {
    return this.#waiting
  }

  get pending(): number {
    return this.#waiting.length + this.#held.length
  }

  get acknowledged(): readonly string[] {
    return this.#acknowledged
  }

  push(id: string, body: Body): void {
    const delivery = { id, body, attempts: 0, repeated: false, attemptsBefore: 0 }
    if (this.#holding) {
      this.#held.push(delivery)
      return
    }
    this.#waiting.push(delivery)
    this.#options.onReady()
  }

  /** Keeps what comes from now on; returns what lets it go, in an order of one's own (default: as it came). */
  hold(): (order?: (held: readonly Delivery<Body>[]) => readonly Delivery<Body>[]) => void {
    this.#holding = true
    return (order = (held) => held) => {
      this.#holding = false
      const held = this.#held.splice(0)
      this.#waiting.push(...order(held))
      this.#options.onReady()
    }
  }

  /** One delivery was acknowledged. Unknown ids are none of ours. */
  acknowledge(id: string): void {
    const at = this.#waiting.findIndex((delivery) => delivery.id === id)
    if (at >= 0) this.#settle(this.#waiting.splice(at, 1))
  }

  /** All waiting ones that `isDone` holds for were acknowledged: a confirmed offset. */
  acknowledgeAll(isDone: (delivery: Delivery<Body>) => boolean): void {
    // The usual case is a few at the front of a queue that may be long.
    let count = 0
    while (count < this.#waiting.length && isDone(this.#waiting[count] as Delivery<Body>)) count++
    this.#settle(this.#waiting.splice(0, count))
    for (let at = this.#waiting.length - 1; at >= 0; at--) {
      if (isDone(this.#waiting[at] as Delivery<Body>)) this.#settle(this.#waiting.splice(at, 1))
    }
  }

  /** Sends the last `count` acknowledged ones again, as if their acknowledgement had been lost. */
  redeliver(count = 1): number {
    const again = this.#done.splice(Math.max(0, this.#done.length - count))
    for (const delivery of again) {
      delivery.repeated = true
      delivery.attemptsBefore = delivery.attempts
    }
    this.#waiting.unshift(...again)
    if (again.length > 0) this.#options.onReady()
    return again.length
  }

  /** Gives one up, unacknowledged. */
  drop(id: string): void {
    const at = this.#waiting.findIndex((delivery) => delivery.id === id)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  /** Drops all that waits, unacknowledged. */
  clear(): void {
    this.#waiting.length = 0
    this.#held.length = 0
  }

  #settle(done: readonly Delivery<Body>[]): void {
    for (const delivery of done) {
      this.#acknowledged.push(delivery.id)
      this.#done.push(delivery)
      this.#options.onAcknowledged?.(delivery.id)
    }
    const most = this.#options.remember ?? 1_000
    if (this.#done.length > most * 2) this.#done.splice(0, this.#done.length - most)
  }
}
