/** Sets the webhook, and asks Telegram now and then how its deliveries fare: nobody else would tell. */
import { type Clock, type Closed, ConnectFailure } from '../../src/messaging/contract.js'
import { type Api, ApiError, isUnauthorized } from './api.js'
import { revoked } from './poll.js'
import { dict, int, text } from './raw.js'
import { ALLOWED_UPDATES } from './read.js'

const FIRST_LOOK = 60_000
const EVERY = 5 * 60_000

/** @throws ConnectFailure when Telegram does not take the address */
export async function setWebhook(api: Api, { url, secret }: { url: string; secret: string }): Promise<void> {
  try {
    await api.call('setWebhook', {
      url,
      secret_token: secret,
      allowed_updates: ALLOWED_UPDATES,
      drop_pending_updates: false,
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    throw new ConnectFailure(
      `Telegram does not take the webhook's address: ${error.description}`,
      'webhook.url must be a public https address (port 443, 80, 88 or 8443) that leads to this Golem at /webhooks/<connection>; or leave webhook out to use long polling.',
      { cause: error },
    )
  }
}

export interface WatchOptions {
  api: Api
  clock: Clock
  url: string
  trouble(reason: string | null): void
  gone(closed: Closed): void
}

export class WebhookWatch {
  readonly #options: WatchOptions
  #cancel: () => void
  #stopped = false

  constructor(options: WatchOptions) {
    this.#options = options
    this.#cancel = this.#later(FIRST_LOOK)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel()
  }

  #later(ms: number): () => void {
    const { clock } = this.#options
    return clock.at(clock.now() + ms, () => void this.#look())
  }

  async #look(): Promise<void> {
    const { api, clock, url, trouble, gone } = this.#options
    try {
      const info = dict(await api.call('getWebhookInfo')) ?? {}
      const waiting = int(info.pending_update_count) ?? 0
      const last = (int(info.last_error_date) ?? 0) * 1_000
      if (info.url !== url) {
        trouble(
          'another process has set another webhook for this bot; stop it, or restart Golem to take it back',
        )
      } else if (waiting > 0 && clock.now() - last < EVERY + FIRST_LOOK) {
        trouble(
          `Telegram cannot deliver ${waiting} updates: ${text(info.last_error_message) ?? 'no reason given'}`,
        )
      } else trouble(null)
    } catch (error) {
      if (error instanceof ApiError && isUnauthorized(error)) {
        gone(revoked(error.message))
        return
      }
      trouble(`Telegram cannot be reached: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      if (!this.#stopped) this.#cancel = this.#later(EVERY)
    }
  }
}
