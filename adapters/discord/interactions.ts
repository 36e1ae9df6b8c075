/**
 * Buttons and commands wait for an answer: within three seconds for the first word, for fifteen minutes for the rest.
 * https://docs.discord.com/developers/interactions/receiving-and-responding
 *
 * The first word comes when the core has the event, and not before. A press is then just acknowledged; a command shows
 * "… is thinking" until its answer takes that place, or nothing is said and it goes away. A note for the person who waits
 * is shown to them alone. What is deferred is remembered over a restart; where a token has expired, everything goes the
 * ordinary way.
 */
import type { Clock, Host, Logger, Millis } from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import { CallFailed } from './failures.js'
import { KeptFile } from './kept.js'
import { FLAG } from './raw.js'
import { bornAt, type Fields, fields, list, number, snowflake, text } from './shape.js'

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-interaction-type */
const COMMAND = 2
const COMPONENT = 3
/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-interaction-callback-type */
const CALLBACK = { message: 4, deferredMessage: 5, deferredUpdate: 6 } as const
/** "Interaction tokens are valid for 15 minutes"; a little less, for the way there. */
const TOKEN_LIFE = 14.5 * 60_000
const MOST_OPEN = 1_000
const ALREADY_ACKNOWLEDGED = 40_060

/** Commands whose answer is for the one who asked, and would only be in the way of the others. */
const PRIVATE: ReadonlySet<string> = new Set([
  'why',
  'status',
  'help',
  'agents',
  'schedules',
  'usage',
  'memory',
])

type State =
  /** Nothing was said yet. */
  | 'open'
  /** "… is thinking" stands there. */
  | 'deferred'
  /** It was answered, or needs no answer. */
  | 'done'

interface Waiting {
  id: string
  token: string
  /** Channel or thread. */
  channel: string
  user: string
  /** The native id under which the core knows a command. */
  message?: string
  isPrivate: boolean
  state: State
  /** The message that its answer became. */
  response?: string
  /** A status post that stands while it is worked on. */
  status?: string
  until: Millis
}

export class Interactions {
  readonly #waiting = new Map<string, Waiting>()
  /** First words that are on their way. */
  readonly #saying = new Map<string, Promise<void>>()
  readonly #file: KeptFile
  private readonly clock: Clock
  private readonly log: Logger
  #cancel: () => void = () => undefined
  #closed = false

  constructor(
    private readonly api: Api,
    private readonly application: string,
    { connection, dataDir, clock, log }: Pick<Host, 'connection' | 'dataDir' | 'clock' | 'log'>,
  ) {
    this.clock = clock
    this.log = log
    this.#file = new KeptFile(dataDir, `${connection}-interactions.json`)
  }

  /** What an earlier life of this process left waiting. */
  async load(): Promise<void> {
    for (const value of list(await this.#file.read())) {
      const waiting = waitingOf(value)
      if (waiting !== undefined && waiting.until > this.clock.now()) this.#waiting.set(waiting.id, waiting)
    }
    this.#tend()
  }

  /** An INTERACTION_CREATE came. `message`: what the core will know it by, if it is a command. */
  open(data: Fields, command?: { message: string; name: string | undefined }): string | undefined {
    const id = snowflake(data.id)
    const token = text(data.token)
    const channel = snowflake(data.channel_id)
    const user = snowflake(fields(fields(data.member).user).id) ?? snowflake(fields(data.user).id)
    const type = number(data.type)
    if (id === undefined || token === undefined || channel === undefined || user === undefined)
      return undefined
    // A command that means nothing here has no answer to wait for.
    if (type !== COMPONENT && (type !== COMMAND || command === undefined)) return undefined
    if (this.#waiting.has(id)) return id
    this.#waiting.set(id, {
      id,
      token,
      channel,
      user,
      ...(command !== undefined && { message: command.message }),
      isPrivate: command?.name !== undefined && PRIVATE.has(command.name),
      state: 'open',
      until: bornAt(id) + TOKEN_LIFE,
    })
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= MOST_OPEN) break
      this.#waiting.delete(oldest)
    }
    return id
  }

  /** The core could not take it: it will come again. */
  forget(id: string): void {
    if (this.#waiting.get(id)?.state === 'open') this.#waiting.delete(id)
  }

  /** The core has it. Never rejects: whether the word arrives is nobody's affair, the event is stored. */
  async acknowledge(id: string): Promise<void> {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined || waiting.state !== 'open' || this.#saying.has(id)) return
    const isCommand = waiting.message !== undefined
    const body = isCommand
      ? { type: CALLBACK.deferredMessage, ...(waiting.isPrivate && { data: { flags: FLAG.ephemeral } }) }
      : { type: CALLBACK.deferredUpdate }
    await this.#first(waiting, body, isCommand ? 'deferred' : 'done')
  }

  /** Shows a note to somebody who waits in this channel. False: nobody does, or not any more. */
  async tell(channel: string, user: string, body: Fields, signal: AbortSignal): Promise<boolean> {
    const waiting = [...this.#waiting.values()]
      .filter((one) => one.channel === channel && one.user === user && one.until > this.clock.now())
      .at(-1)
    if (waiting === undefined) return false
    const note = { ...body, flags: (number(body.flags) ?? 0) | FLAG.ephemeral }
    if (waiting.state === 'open' && !this.#saying.has(waiting.id)) {
      if (await this.#first(waiting, { type: CALLBACK.message, data: note }, 'done')) return true
      return false
    }
    await this.#saying.get(waiting.id)
    if (waiting.state === 'deferred') return (await this.#complete(waiting, note, signal)) !== undefined
    return (await this.#webhook('POST', waiting, [], note, signal)) !== undefined
  }

  /** The command of this message, whose answer may still take its place. */
  async command(message: string | undefined): Promise<Waiting | undefined> {
    if (message === undefined) return undefined
    for (const waiting of this.#waiting.values()) {
      if (waiting.message !== message) continue
      // Its answer can be here before the core's word that it has the command: who answers it has it.
      await this.acknowledge(waiting.id)
      await this.#saying.get(waiting.id)
      return waiting.until > this.clock.now() ? waiting : undefined
    }
    return undefined
  }

  /** Answers a command in its place. Undefined: it cannot be, any more. @throws CallFailed where that is not the token's fault */
  async complete(waiting: Waiting, body: Fields, signal: AbortSignal): Promise<Fields | undefined> {
    if (waiting.state !== 'deferred') return undefined
    return this.#complete(waiting, body, signal)
  }

  /** A status post stands for a command: while it does, the command's own place stays free for the answer. */
  noteStatus(waiting: Waiting, status: string | undefined): void {
    if (status === undefined) return
    waiting.status = status
    this.#save()
  }

  /** The answer that only its reader sees cannot be reached but through its interaction. */
  privateAnswer(id: string): Waiting | undefined {
    for (const waiting of this.#waiting.values())
      if (waiting.response === id && waiting.isPrivate && waiting.until > this.clock.now()) return waiting
    return undefined
  }

  /** Changes or deletes such an answer. Undefined: the token has expired. */
  change(waiting: Waiting, body: Fields | null, signal: AbortSignal): Promise<Fields | undefined> {
    return this.#webhook(body === null ? 'DELETE' : 'PATCH', waiting, ['messages', '@original'], body, signal)
  }

  /** A status post is gone: nothing more is coming for its command. */
  statusGone(status: string): void {
    for (const waiting of this.#waiting.values())
      if (waiting.status === status && waiting.state === 'deferred') this.#remove(waiting)
  }

  /** Resolves when what is under way has been said and what waits is written. */
  async close(): Promise<void> {
    this.#closed = true
    this.#cancel()
    await Promise.allSettled(this.#saying.values())
    await this.#file.close()
  }

  async #complete(waiting: Waiting, body: Fields, signal: AbortSignal): Promise<Fields | undefined> {
    // Who sees it was said when it was deferred.
    const flags = (number(body.flags) ?? 0) & FLAG.suppressEmbeds
    const edit = { ...body, flags }
    const answer = await this.#webhook('PATCH', waiting, ['messages', '@original'], edit, signal)
    if (answer === undefined) return undefined
    waiting.state = 'done'
    const response = snowflake(answer.id)
    if (response !== undefined) waiting.response = response
    this.#save()
    return answer
  }

  #first(waiting: Waiting, body: Fields, then: State): Promise<boolean> {
    const { id } = waiting
    const said = this.#say(waiting, body)
      .then(
        () => {
          waiting.state = then
          // Its time was over before the word was there.
          if (then === 'deferred' && !this.#waiting.has(id)) this.#remove(waiting)
          else this.#save()
          return true
        },
        (error: unknown) => {
          this.log.debug({ interaction: id, error: String(error) }, 'an interaction was not acknowledged')
          // Whether it was deferred or answered then is not known: what stands there is left alone.
          if (codeOf(error) === ALREADY_ACKNOWLEDGED) waiting.state = 'done'
          else this.#waiting.delete(id)
          return false
        },
      )
      .finally(() => this.#saying.delete(id))
    this.#saying.set(
      id,
      said.then(() => undefined),
    )
    return said
  }

  /** Where nobody knows whether it arrived it is said again: that it was said already is then as good as a yes. */
  async #say({ id, token }: Waiting, body: Fields): Promise<void> {
    const path = ['interactions', id, token, 'callback']
    const say = () => this.api.call('POST', path, { body, authorized: false, timeoutMs: 5_000 })
    try {
      await say()
    } catch (error) {
      if (!(error instanceof CallFailed) || !['unanswered', 'unreachable'].includes(error.kind)) throw error
      try {
        await say()
      } catch (again) {
        if (codeOf(again) !== ALREADY_ACKNOWLEDGED) throw again
      }
    }
  }

  /** Undefined: the token is no good any more. */
  async #webhook(
    method: 'POST' | 'PATCH' | 'DELETE',
    waiting: Waiting,
    rest: readonly string[],
    body: Fields | null,
    signal?: AbortSignal,
  ): Promise<Fields | undefined> {
    try {
      const answer = await this.api.call(method, ['webhooks', this.application, waiting.token, ...rest], {
        ...(body !== null && { body }),
        authorized: false,
        signal,
      })
      return fields(answer)
    } catch (error) {
      if (!(error instanceof CallFailed) || !isExpired(error)) throw error
      this.#waiting.delete(waiting.id)
      this.#save()
      return undefined
    }
  }

  /** Nothing was said, and nobody thinks any more. */
  #remove(waiting: Waiting): void {
    waiting.state = 'done'
    this.#webhook('DELETE', waiting, ['messages', '@original'], null).catch((error: unknown) =>
      this.log.debug({ interaction: waiting.id, error: String(error) }, 'a command’s place was not cleared'),
    )
    this.#save()
  }

  /** Removes what has waited to the end of its time. */
  #tend(): void {
    this.#cancel()
    if (this.#closed) return
    const now = this.clock.now()
    let next = Number.POSITIVE_INFINITY
    for (const waiting of [...this.#waiting.values()]) {
      if (waiting.until > now) {
        next = Math.min(next, waiting.until)
        continue
      }
      this.#waiting.delete(waiting.id)
      if (waiting.state === 'deferred') this.#remove(waiting)
    }
    if (next < Number.POSITIVE_INFINITY) this.#cancel = this.clock.at(next, () => this.#tend())
  }

  #save(): void {
    this.#tend()
    this.#file.write(() => [...this.#waiting.values()].filter(({ message }) => message !== undefined))
  }
}

const codeOf = (error: unknown): number | undefined =>
  error instanceof CallFailed ? error.details.code : undefined

/** "Unknown interaction", "Unknown webhook", "Invalid webhook token": https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
function isExpired({ kind, details }: CallFailed): boolean {
  const { code = 0, status = 0 } = details
  return (
    kind === 'refused' &&
    (code === 10_062 || code === 10_015 || code === 50_027 || status === 401 || status === 404)
  )
}

function waitingOf(value: unknown): Waiting | undefined {
  const { id, token, channel, user, message, isPrivate, state, response, status, until } = fields(value)
  const known = {
    id: snowflake(id),
    token: text(token),
    channel: snowflake(channel),
    user: snowflake(user),
    message: text(message),
    until: number(until),
  }
  if (known.id === undefined || known.token === undefined || known.channel === undefined) return undefined
  if (known.user === undefined || known.message === undefined || known.until === undefined) return undefined
  return {
    id: known.id,
    token: known.token,
    channel: known.channel,
    user: known.user,
    message: known.message,
    until: known.until,
    isPrivate: isPrivate === true,
    state: state === 'deferred' ? 'deferred' : 'done',
    ...(snowflake(response) !== undefined && { response: String(response) }),
    ...(snowflake(status) !== undefined && { status: String(status) }),
  }
}

export type { Waiting }
