/**
 * From an update to the core: read, accepted, and only then answered.
 *
 * It acknowledges nothing itself: polling moves its offset and the webhook answers 200 when {@link Intake.take} has
 * resolved.
 */
import type { BotIdentity, Host, Inbound, Skipped } from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import { People } from './people.js'
import type { Presses } from './presses.js'
import { type Dict, eventsOf, int } from './raw.js'
import { read } from './read.js'

/** After so many refusals of one update alone the core is offered a line about it instead. */
const TRIES = 5
const MOST_FAILING = 1_000

export interface IntakeOptions {
  host: Host
  self: BotIdentity
  api: Pick<Api, 'call'>
  presses: Presses
  /** Sees every event that was accepted. */
  accepted?(event: Inbound | Skipped, update: Dict): void
}

export class Intake {
  readonly #options: IntakeOptions
  readonly #people = new People()
  /** How often each update was refused. */
  readonly #failing = new Map<number, number>()

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** Resolves when every event of the update is durable; rejects when one could not be stored. */
  async take(update: Dict): Promise<void> {
    const { host, presses, self } = this.#options
    this.#people.meet(update)
    const added = { at: host.clock.now(), people: this.#people.mentionedIn(update) }
    const events = eventsOf(update).map((raw) => read({ ...raw, golem: { ...raw.golem, ...added } }, self))
    const query = presses.open(update)
    try {
      for (const event of events) {
        await host.accept(event)
        this.#options.accepted?.(event, update)
      }
    } catch (error) {
      if (query !== undefined) presses.close(query)
      await this.#refused(update, error)
    }
    this.#failing.delete(int(update.update_id) ?? -1)
    // Where the core had something to tell the person, that was the answer.
    if (query !== undefined && presses.close(query)) this.#answer(query)
  }

  /** One update that nothing can store must not hold up all that come behind it. */
  async #refused(update: Dict, error: unknown): Promise<void> {
    const { host } = this.#options
    const delivery = int(update.update_id) ?? -1
    const times = (this.#failing.get(delivery) ?? 0) + 1
    if (this.#failing.size >= MOST_FAILING) this.#failing.clear()
    this.#failing.set(delivery, times)
    if (times < TRIES) throw error
    const detail = 'it could not be stored'
    const at = host.clock.now()
    await host.accept({ kind: 'skipped', reason: 'malformed', detail, event: `unstored:${delivery}`, at })
    const fields = { connection: host.connection, update: delivery, error: String(error) }
    host.log.error(fields, `Telegram update ${delivery} was given up: it could not be stored ${times} times`)
  }

  /** The button stops turning. Whether that arrives is nobody's affair: the press is stored. */
  #answer(query: string): void {
    const { api, host } = this.#options
    api.call('answerCallbackQuery', { callback_query_id: query }).catch((error: unknown) => {
      host.log.debug(
        { connection: host.connection, error: String(error) },
        'a button press was not confirmed',
      )
    })
  }
}
