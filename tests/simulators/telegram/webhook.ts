/** Updates sent to the bot's own address. https://core.telegram.org/bots/api#setwebhook, https://core.telegram.org/bots/webhooks */
import type { VirtualClock } from '../kit/clock.js'
import type { Delivery } from '../kit/deliveries.js'
import type { Changes } from '../kit/events.js'
import { badRequest } from './errors.js'
import type { Feed } from './feed.js'
import type { Json } from './shapes.js'

export interface WebhookSettings {
  url: string
  secret: string
  maxConnections: number
}

/** An answer that takes longer counts as none. */
const ANSWER_MS = 60_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** Updates that are looked at for one that may be sent. */
const LOOK = 500

export interface WebhookOptions {
  feed: Feed
  clock: VirtualClock
  changes: Changes
  /** The answer's body may call a method: https://core.telegram.org/bots/faq#how-can-i-make-requests-in-response-to-updates */
  onAnswer: (body: Json) => void
}

/**
 * Posts waiting updates: those of one chat in order, several chats at once. An update that is not taken is sent again
 * with growing waits, and nothing else is sent until it is.
 */
export class Webhook {
  readonly #options: WebhookOptions
  readonly #flying = new Map<string, AbortController>()
  readonly #lanes = new Set<string>()
  #settings: WebhookSettings | null = null
  /** Where posts really go, whatever address was set: a tunnel. */
  #tunnel: string | null = null
  #lastError: { at: number; message: string } | null = null
  #waitMs = 0
  #stuck: string | null = null
  #retry: (() => void) | null = null

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  get active(): boolean {
    return this.#settings !== null
  }

  get secret(): string {
    return this.#settings?.secret ?? ''
  }

  /** @throws ApiError for an address or a secret that Telegram refuses */
  set(settings: WebhookSettings): void {
    if (!/^https:\/\/.+/.test(settings.url) && !/^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(settings.url)) {
      throw badRequest('bad webhook: An HTTPS URL must be provided for webhook')
    }
    if (!/^[A-Za-z0-9_-]{0,256}$/.test(settings.secret)) {
      throw badRequest('secret token contains unallowed characters')
    }
    this.stop()
    this.#settings = settings
    this.#options.feed.onReady = () => this.#send()
    this.#send()
  }

  stop(): void {
    this.#settings = null
    this.#options.feed.onReady = null
    this.cut()
    this.#calm()
  }

  tunnel(url: string | null): void {
    this.#tunnel = url
    this.#calm()
    this.#send()
  }

  /** Ends every post on its way; they are sent again. */
  cut(): void {
    for (const flight of this.#flying.values()) flight.abort()
  }

  info(): Json {
    return {
      url: this.#settings?.url ?? '',
      has_custom_certificate: false,
      pending_update_count: this.#options.feed.deliveries.pending,
      ...(this.#lastError && {
        last_error_date: Math.floor(this.#lastError.at / 1000),
        last_error_message: this.#lastError.message,
      }),
      ...(this.#settings && { max_connections: this.#settings.maxConnections, ip_address: '127.0.0.1' }),
      ...(this.#options.feed.allowed.length > 0 && { allowed_updates: this.#options.feed.allowed }),
    }
  }

  #calm(): void {
    this.#retry?.()
    this.#retry = null
    this.#stuck = null
    this.#waitMs = 0
  }

  #send(): void {
    if (!this.#settings || this.#retry) return
    let looked = 0
    for (const delivery of this.#options.feed.deliveries.waiting) {
      // Behind so many that wait for their chat there is hardly one that need not: looking on would take all the time.
      if (++looked > LOOK && this.#stuck === null) return
      if (this.#flying.size >= this.#settings.maxConnections) return
      if (this.#stuck !== null && delivery.id !== this.#stuck) continue
      if (this.#flying.has(delivery.id) || this.#lanes.has(delivery.body.lane)) continue
      void this.#post(delivery, this.#settings)
    }
  }

  async #post(
    delivery: Delivery<{ update: unknown; lane: string }>,
    settings: WebhookSettings,
  ): Promise<void> {
    const { feed, clock, changes } = this.#options
    const flight = new AbortController()
    this.#flying.set(delivery.id, flight)
    this.#lanes.add(delivery.body.lane)
    delivery.attempts++
    const late = clock.after(ANSWER_MS, () => flight.abort())
    try {
      const response = await fetch(this.#tunnel ?? settings.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(settings.secret !== '' && { 'x-telegram-bot-api-secret-token': settings.secret }),
        },
        body: JSON.stringify(delivery.body.update),
        signal: flight.signal,
        redirect: 'manual',
      })
      const text = await response.text()
      if (!response.ok)
        throw new Error(`Wrong response from the webhook: ${response.status} ${response.statusText}`)
      feed.deliveries.acknowledge(delivery.id)
      if (this.#stuck === delivery.id || this.#stuck === null) this.#calm()
      this.#answered(text)
    } catch (error) {
      if (this.#settings === settings) this.#failed(delivery.id, error, flight.signal.aborted)
    } finally {
      late()
      this.#flying.delete(delivery.id)
      this.#lanes.delete(delivery.body.lane)
      changes.changed()
      this.#send()
    }
  }

  #failed(id: string, error: unknown, isLate: boolean): void {
    const { clock } = this.#options
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    const own = error instanceof Error && error.message.startsWith('Wrong response') ? error.message : null
    this.#lastError = {
      at: clock.now(),
      message:
        own ??
        (isLate ? 'Connection timed out' : cause.includes('ECONNREFUSED') ? 'Connection refused' : cause),
    }
    // The first that fails holds the others up.
    this.#stuck ??= id
    if (this.#retry) return
    this.#waitMs = Math.min(LONGEST_WAIT_MS, this.#waitMs === 0 ? FIRST_WAIT_MS : this.#waitMs * 2)
    this.#retry = clock.after(this.#waitMs, () => {
      this.#retry = null
      this.#send()
    })
  }

  #answered(text: string): void {
    if (!text.startsWith('{')) return
    try {
      const body: unknown = JSON.parse(text)
      if (typeof body === 'object' && body !== null && 'method' in body) this.#options.onAnswer(body as Json)
    } catch {
      // Any 2xx is an acknowledgement, whatever its body.
    }
  }
}
