/**
 * From a dispatch to the core: names are learnt and added, the event is read, and it is handed over in the order of
 * arrival within its channel. Only when it is durable is the sequence moved on and an interaction acknowledged.
 */
import type { BotIdentity, Host, Inbound, Skipped } from '../../src/messaging/contract.js'
import { Bounded } from './bounded.js'
import type { Directory } from './directory.js'
import type { Interactions } from './interactions.js'
import { type Delivery, Lanes, TRIES } from './lanes.js'
import type { Dispatch } from './life.js'
import { type Context, type DiscordRaw, eventsOf } from './raw.js'
import { read } from './read.js'
import type { Ticket } from './session.js'
import { type Fields, fields, snowflake, text } from './shape.js'

/** Own posts whose nonce is remembered: it tells what became of a doubtful one. */
const MOST_NONCES = 5_000
/** Direct chats in which somebody was heard in this life. */
const MOST_DIRECT = 5_000

/**
 * Dispatches about the bot's own surroundings: nobody did anything that a room could be told. Their contents go into the
 * directory. https://docs.discord.com/developers/events/gateway-events#receive-events
 */
const SURROUNDINGS =
  /^(?:READY|RESUMED|GUILD_(?:CREATE|UPDATE|ROLE_\w+|EMOJIS_\w+|STICKERS_\w+|INTEGRATIONS_\w+|MEMBER_UPDATE|MEMBERS_CHUNK|SCHEDULED_\w+|SOUNDBOARD_\w+|AUDIT_\w+|JOIN_\w+|APPLIED_\w+|BAN_\w+)|CHANNEL_(?:CREATE|PINS_\w+|TOPIC_\w+)|THREAD_(?:CREATE|LIST_\w+|MEMBER\w*)|PRESENCE\w*|SESSIONS_\w+|TYPING_\w+|USER_\w+|VOICE_\w+|INVITE_\w+|INTEGRATION_\w+|WEBHOOKS_\w+|STAGE_\w+|APPLICATION_\w+|AUTO_MODERATION_\w+|ENTITLEMENT_\w+|SUBSCRIPTION_\w+|RATE_LIMITED|SOUNDBOARD_\w+|MESSAGE_POLL_\w+)$/

export interface IntakeOptions {
  host: Host
  self: BotIdentity
  application: string
  directory: Directory
  interactions: Interactions
  /** The MessageContent intent is granted. */
  content(): boolean
  /** What was said in a direct chat before this message, and may have been heard by no session. Null: nothing. Never rejects. */
  earlier(channel: string, before: string): Promise<readonly Inbound[]> | null
}

export class Intake {
  readonly #options: IntakeOptions
  readonly #lanes: Lanes
  readonly #nonces = new Bounded<string>(MOST_NONCES)
  readonly #direct = new Bounded<true>(MOST_DIRECT)

  constructor(options: IntakeOptions) {
    this.#options = options
    this.#lanes = new Lanes(options.host.clock)
  }

  /** The native id of an own post that was sent with this nonce, if the gateway has told of it. */
  posted(nonce: string): string | undefined {
    return this.#nonces.get(nonce)
  }

  take({ t, d }: Dispatch, ticket: Ticket): void {
    const { directory, host } = this.#options
    const raw: DiscordRaw = { t, d }
    const data = fields(d)
    // First, so that a renamed person already has the new name.
    directory.learn(raw)
    this.#learnNonce(t, data)
    if (SURROUNDINGS.test(t)) {
      ticket.settle()
      return
    }
    const at = host.clock.now()
    const delivery = (known: Context, earlier: readonly Inbound[] = []): Delivery =>
      this.#delivery({ ...raw, golem: this.#context(known, ticket, at) }, ticket, earlier)
    const context = directory.context(raw)
    const earlier = this.#earlier(raw, data)
    const lane = snowflake(data.channel_id) ?? snowflake(data.id) ?? ''
    if (earlier !== null)
      this.#lanes.put(
        lane,
        Promise.all([context, earlier]).then(([known, before]) => delivery(known, before)),
      )
    else
      this.#lanes.put(
        lane,
        context instanceof Promise ? context.then((known) => delivery(known)) : delivery(context),
      )
  }

  /** Nothing lists direct chats: what was missed in one is found when somebody is heard there again. */
  #earlier({ t }: DiscordRaw, data: Fields): Promise<readonly Inbound[]> | null {
    const channel = snowflake(data.channel_id)
    const id = snowflake(data.id)
    if (t !== 'MESSAGE_CREATE' || data.guild_id !== undefined || channel === undefined || id === undefined)
      return null
    if (this.#direct.has(channel) || fields(data.author).id === this.#options.self.id) return null
    this.#direct.set(channel, true)
    return this.#options.earlier(channel, id)
  }

  /** Names for a message that was read back. */
  async context(message: Fields): Promise<Context> {
    const known = await this.#options.directory.context({ d: message })
    return this.#context(known, undefined, this.#options.host.clock.now())
  }

  /** Resolves when nothing is on its way to the core any more. */
  idle(): Promise<void> {
    return this.#lanes.idle()
  }

  close(): void {
    this.#lanes.close()
  }

  #context(known: Context, ticket: Ticket | undefined, at: number): Context {
    const { application, content } = this.#options
    return {
      ...known,
      ...(ticket !== undefined && { delivery: ticket.delivery }),
      at,
      applicationId: application,
      content: content(),
    }
  }

  #delivery(raw: DiscordRaw, ticket: Ticket, earlier: readonly Inbound[]): Delivery {
    const { host, interactions } = this.#options
    const own = eventsOf(raw).map((one) => this.#read(one))
    const interaction = raw.t === 'INTERACTION_CREATE' ? this.#open(fields(raw.d), own[0]) : undefined
    const events = [...earlier, ...own]
    return {
      store: async () => {
        try {
          await Promise.all(events.map((event) => host.accept(event)))
        } catch (error) {
          if (interaction !== undefined) interactions.forget(interaction)
          const what = { connection: host.connection, error: String(error) }
          host.log.warn(what, 'an event of Discord could not be stored; it is tried again')
          throw error
        }
        ticket.settle()
        if (interaction !== undefined) void interactions.acknowledge(interaction)
      },
      giveUp: async () => {
        const event = `unstored:${ticket.delivery}`
        const detail = 'it could not be stored'
        await host.accept({ kind: 'skipped', reason: 'malformed', detail, event, at: host.clock.now() })
        host.log.error({ event }, `an event of Discord was given up: it could not be stored ${TRIES} times`)
        ticket.settle()
      },
    }
  }

  /** Never throws, whatever it is. */
  #read(raw: DiscordRaw): Inbound | Skipped {
    return read(raw, this.#options.self)
  }

  #open(data: Fields, event: Inbound | Skipped | undefined): string | undefined {
    const { interactions } = this.#options
    if (event?.kind !== 'message') return interactions.open(data)
    return interactions.open(data, { message: event.id, name: event.command?.name })
  }

  /** "nonce: used for validating a message was sent": the bot's own posts come back with theirs. */
  #learnNonce(t: string, data: Fields): void {
    if (t !== 'MESSAGE_CREATE' || fields(data.author).id !== this.#options.self.id) return
    const nonce = text(data.nonce)
    const id = snowflake(data.id)
    if (nonce !== undefined && id !== undefined) this.#nonces.set(nonce, id)
  }
}
