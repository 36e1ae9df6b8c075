/**
 * From Slack's body to the core: names are added, the event is read, and it is handed over in the order of arrival
 * within its chat. Whoever delivered it is answered only when it is durable.
 */
import type { BotIdentity, Host } from '../../src/messaging/contract.js'
import type { Directory } from './directory.js'
import type { Names, SlackRaw } from './raw.js'
import { read } from './read.js'
import { type Fields, fields, nativeId } from './shape.js'

export interface IntakeOptions {
  host: Host
  self: BotIdentity
  bot: { botId?: string; appId?: string }
  directory: Directory
  /** What the connection itself wants to know: `channel_created`, `tokens_revoked`, … */
  heard(event: Fields): void
}

export class Intake {
  /** The last event of a chat that still waits for names. */
  readonly #lanes = new Map<string, Promise<void>>()
  readonly #open = new Set<Promise<unknown>>()

  constructor(private readonly options: IntakeOptions) {}

  /** Resolves when the event is durable; rejects when it could not be stored. */
  take(body: unknown): Promise<void> {
    const taken = this.#take(body)
    this.#open.add(taken)
    const done = (): void => void this.#open.delete(taken)
    taken.then(done, done)
    return taken
  }

  /** Resolves when nothing is on its way to the core any more. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#open)
  }

  async #take(body: unknown): Promise<void> {
    const { directory, host } = this.options
    const at = host.clock.now()
    const event = fields(fields(body).event)
    // First, so that a renamed person already has the new name.
    directory.learn(event)
    const lane = laneOf(body)
    const before = this.#lanes.get(lane)
    const names = directory.names(body)
    // Known names and nobody in front: the core gets it in this very tick.
    if (before === undefined && !(names instanceof Promise)) return this.#accept(body, names, at)
    let accepted: Promise<void> | undefined
    const turn = Promise.all([names, before]).then(([known]) => {
      accepted = this.#accept(body, known, at)
      // Its own failure is its own deliverer's affair.
      accepted.catch(() => undefined)
    })
    this.#lanes.set(lane, turn)
    await turn
    if (this.#lanes.get(lane) === turn) this.#lanes.delete(lane)
    return accepted
  }

  async #accept(body: unknown, names: Names, at: number): Promise<void> {
    const { bot, host, self } = this.options
    const raw: SlackRaw = { body, names, bot, at }
    await host.accept(read(raw, self))
    const outer = fields(body)
    if (outer.type === 'event_callback') this.options.heard(fields(outer.event))
  }
}

function laneOf(body: unknown): string {
  const outer = fields(body)
  const event = fields(outer.event)
  return (
    nativeId(event.channel) ??
    nativeId(fields(event.item).channel) ??
    nativeId(fields(event.channel).id) ??
    nativeId(fields(outer.channel).id) ??
    nativeId(outer.channel_id) ??
    ''
  )
}
