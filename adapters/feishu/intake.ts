/**
 * From Feishu's body to the core: what the event only points at is looked up, it is read, and it is handed over in the
 * order of arrival within its chat. Whoever delivered it is answered only when it is durable.
 */
import type { BotIdentity, Clock, Host, Millis } from '../../src/messaging/contract.js'
import type { Directory } from './directory.js'
import type { Messages } from './messages.js'
import type { FeishuRaw, Names } from './raw.js'
import { read } from './read.js'
import { Bounded } from './remembered.js'
import { type Fields, fields, nativeId, text } from './shape.js'

/** The acknowledgement has 3 s. */
const PATIENCE: Millis = 1_500
const MOST_DIRECT = 5_000

/**
 * A pressed button is answered at once, by a line at the top of the window; what comes of it changes the card later.
 * https://open.feishu.cn/document/feishu-cards/card-callback-communication
 */
const HEARD = {
  toast: { type: 'info', content: 'OK', i18n: { zh_cn: '收到', en_us: 'Got it' } },
}

export interface IntakeOptions {
  host: Host
  self: BotIdentity
  appId: string
  directory: Directory
  messages: Messages
  /** What the connection itself wants to know. */
  heard(type: string | undefined, event: Fields): void
}

type Extras = Pick<FeishuRaw, 'chat' | 'thread' | 'parent' | 'merged'>

export class Intake {
  /** The last event of a chat that still waits for something. */
  readonly #lanes = new Map<string, Promise<unknown>>()
  readonly #open = new Set<Promise<unknown>>()
  /** Direct chats by person: the bot's menu does not say where it is. */
  readonly #direct = new Bounded<string>(MOST_DIRECT)

  constructor(private readonly options: IntakeOptions) {}

  /** Resolves when the event is durable, with what Feishu is answered; rejects when it could not be stored. */
  take(body: Fields): Promise<object | undefined> {
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

  /** Where it is known. */
  directChat(person: string): string | undefined {
    return this.#direct.get(person)
  }

  async #take(body: Fields): Promise<object | undefined> {
    const at = this.options.host.clock.now()
    const type = typeOf(body)
    const event = body.event === undefined ? body : fields(body.event)
    this.#learn(type, body, event)
    const lane = laneOf(event)
    const before = this.#lanes.get(lane)
    const known = this.#lookUp(type, event)
    // All is known and nobody in front: the core gets it in this very tick.
    if (before === undefined && !(known instanceof Promise)) return this.#accept(type, body, known, at)
    let accepted: Promise<object | undefined> | undefined
    const turn = Promise.all([known, before]).then(([found]) => {
      accepted = this.#accept(type, body, found, at)
      // Its own failure is its own deliverer's affair.
      accepted.catch(() => undefined)
    })
    this.#lanes.set(lane, turn)
    await turn
    if (this.#lanes.get(lane) === turn) this.#lanes.delete(lane)
    return accepted
  }

  async #accept(
    type: string | undefined,
    body: Fields,
    found: Found,
    at: number,
  ): Promise<object | undefined> {
    const { appId, heard, host, self } = this.options
    const raw: FeishuRaw = { body, appId, at, ...found }
    await host.accept(read(raw, self))
    heard(type, body.event === undefined ? body : fields(body.event))
    return type === 'card.action.trigger' ? HEARD : undefined
  }

  /** First, so that what follows already knows it. */
  #learn(type: string | undefined, body: Fields, event: Fields): void {
    const { directory, messages } = this.options
    directory.tenant ??= text(fields(body.header).tenant_key)
    directory.learn(type, event)
    const message = fields(event.message)
    const id = nativeId(event.message_id)
    if (type === 'im.message.receive_v1') messages.remembered.noteEvent(event)
    else if (type === 'im.message.recalled_v1' && id !== undefined) messages.remembered.forget(id)
    const who = nativeId(fields(fields(event.sender).sender_id).open_id)
    const chat = nativeId(message.chat_id)
    if (message.chat_type === 'p2p' && who !== undefined && chat !== undefined) this.#direct.set(who, chat)
  }

  #lookUp(type: string | undefined, event: Fields): Found | Promise<Found> {
    const { clock } = this.options.host
    const extras = this.#extras(type, event)
    const named = (more: Extras): Found | Promise<Found> => {
      const chat = laneOf(event) || more.chat
      const names = this.options.directory.names([event, more.parent, more.merged], chat || undefined)
      return names instanceof Promise
        ? names.then((known) => ({ ...more, names: known }))
        : { ...more, names }
    }
    return extras instanceof Promise ? patiently(clock, extras, {}).then(named) : named(extras)
  }

  /** What the event points at by an id alone. */
  #extras(type: string | undefined, event: Fields): Extras | Promise<Extras> {
    switch (type) {
      case 'im.message.receive_v1':
        return this.#around(fields(event.message))
      case 'im.message.reaction.created_v1':
      case 'im.message.reaction.deleted_v1':
        return this.#place(nativeId(event.message_id))
      case 'card.action.trigger':
        return this.#place(nativeId(fields(event.context).open_message_id) ?? nativeId(event.open_message_id))
      case 'application.bot.menu_v6': {
        const who = nativeId(fields(fields(event.operator).operator_id).open_id)
        const chat = who === undefined ? undefined : this.#direct.get(who)
        return chat === undefined ? {} : { chat }
      }
      default:
        return {}
    }
  }

  /** What a message answers, and what it holds. */
  #around(message: Fields): Extras | Promise<Extras> {
    const { messages } = this.options
    const parent = nativeId(message.parent_id)
    const id = nativeId(message.message_id)
    // In a topic everything answers its first message, which nobody quoted.
    const quotes = parent !== undefined && !(message.thread_id !== undefined && parent === message.root_id)
    const known = quotes ? messages.remembered.message(parent) : undefined
    const holds = message.message_type === 'merge_forward' && id !== undefined
    if ((!quotes || known !== undefined) && !holds) return known === undefined ? {} : { parent: known }
    return Promise.all([
      quotes ? messages.find(parent) : undefined,
      holds ? messages.fetch(id).catch(() => []) : undefined,
    ]).then(([answered, items]) => ({
      ...(answered !== undefined && { parent: answered }),
      ...(items !== undefined && items.length > 1 && { merged: items.slice(1) }),
    }))
  }

  /** Where a message stands. */
  #place(id: string | undefined): Extras | Promise<Extras> {
    if (id === undefined) return {}
    const { messages } = this.options
    const known = messages.remembered.message(id)
    return known === undefined ? messages.find(id).then(placeIn) : placeIn(known)
  }
}

type Found = Extras & { names: Names }

function placeIn(message: Fields | undefined): Extras {
  const chat = nativeId(message?.chat_id)
  const thread = nativeId(message?.thread_id)
  return { ...(chat !== undefined && { chat }), ...(thread !== undefined && { thread }) }
}

function typeOf(body: Fields): string | undefined {
  const header = body.header === undefined ? body : fields(body.header)
  const event = body.event === undefined ? body : fields(body.event)
  // Cards of the old form call back without a type.
  const pressed = event.action !== undefined && event.open_message_id !== undefined
  return text(header.event_type) ?? text(event.type) ?? (pressed ? 'card.action.trigger' : undefined)
}

function laneOf(event: Fields): string {
  return (
    nativeId(fields(event.message).chat_id) ??
    nativeId(event.chat_id) ??
    nativeId(fields(event.context).open_chat_id) ??
    nativeId(event.open_chat_id) ??
    ''
  )
}

/** What it finds in time; what comes later is remembered for the next time. */
async function patiently<T>(clock: Clock, work: Promise<T>, otherwise: T): Promise<T> {
  let cancel: () => void = () => undefined
  const over = new Promise<T>((resolve) => {
    cancel = clock.at(clock.now() + PATIENCE, () => resolve(otherwise))
  })
  try {
    return await Promise.race([work, over])
  } finally {
    cancel()
  }
}
