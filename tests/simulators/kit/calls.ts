/** One way for every API call: through the faults in force, into the log, and to those who wait for a change. */
import type { VirtualClock } from './clock.js'
import type { Changes } from './events.js'
import type { FaultRule, Faults } from './faults.js'
import type { Recorder } from './recorder.js'
import type { Incoming, NoReply, Reply } from './server.js'
import type { Call } from './stage.js'

/** What is asked. */
export interface Asked {
  method: string
  chat?: string
  /** As the platform understood them, without tokens. */
  params: Readonly<Record<string, unknown>>
}

export interface Answer extends Reply {
  /** It changed what people see. */
  effect?: boolean
}

/** How this platform words what faults make it say. */
export interface Wording {
  /** @param scope what is shut: one chat, or all that the account does; absent: this call alone */
  rateLimited(retryAfterMs: number, scope?: 'chat' | 'account'): Reply
  refused(code: string | number, description: string | undefined): Reply
  /** The token is no longer good, from now on; `run` then answers as for a bad token. */
  revoke(): void
}

export interface CallsOptions {
  clock: VirtualClock
  faults: Faults
  changes: Changes
  recorder: Recorder
  wording: Wording
}

export class Calls {
  readonly #log: Call[] = []
  readonly #options: CallsOptions
  /** Until when a rate limit with a scope refuses all that belongs to it. */
  readonly #shut = new Map<string, number>()

  constructor(options: CallsOptions) {
    this.#options = options
  }

  /** Every call so far, oldest first. */
  get log(): readonly Call[] {
    return this.#log
  }

  /**
   * Answers a call by `run`, unless a fault has other plans. A call that is left without an answer is logged when it
   * is clear that none comes.
   *
   * @param run what usually happens; not called when a fault stops the call before its effect
   */
  async answer(
    request: Pick<Incoming, 'gone' | 'isMute'>,
    asked: Asked,
    run: () => Answer | Promise<Answer>,
  ): Promise<Reply | NoReply> {
    const at = this.#options.clock.now()
    const log = (reply: Reply | NoReply, effect: boolean): Reply | NoReply => {
      const status = typeof reply === 'string' ? null : reply.status
      const call: Call = {
        method: asked.method,
        at,
        ...(asked.chat !== undefined && { chat: asked.chat }),
        status,
        effect,
        params: asked.params,
      }
      this.#log.push(call)
      this.#options.recorder.call(call, typeof reply === 'string' ? null : recorded(reply.body))
      this.#options.changes.changed()
      return reply
    }
    const still = this.#stillShut(asked.chat)
    if (still !== null) return log(this.#options.wording.rateLimited(still.ms, still.scope), false)
    const fault = this.#options.faults.meet(asked.method, asked.chat)
    if (fault !== null) {
      const instead = await this.#fail(fault, asked)
      if (instead !== null) return log(instead, false)
    }
    const { effect = false, ...reply } = await run()
    if (fault?.kind === 'silent-success') return log(fault.how, effect)
    if (request.gone.aborted) return log('cut', effect)
    return log(request.isMute() ? 'hang' : reply, effect)
  }

  /** What a fault says instead of the platform; null when the call goes on. */
  async #fail(fault: FaultRule['do'], asked: Asked): Promise<Reply | NoReply | null> {
    const { clock, wording } = this.#options
    switch (fault.kind) {
      case 'rate-limit': {
        const scope = fault.scope === 'chat' ? asked.chat : fault.scope
        if (scope !== undefined) this.#shut.set(scope, clock.now() + fault.retryAfterMs)
        return wording.rateLimited(fault.retryAfterMs, fault.scope)
      }
      case 'refuse':
        return wording.refused(fault.code, fault.description)
      case 'status':
        return { status: fault.status, body: fault.body ?? '' }
      case 'reset':
        return 'cut'
      case 'hang':
        return 'hang'
      case 'delay':
        await clock.sleep(fault.ms)
        return null
      case 'revoke':
        wording.revoke()
        return null
      case 'silent-success':
        return null
    }
  }

  /** How long a limit still holds for this chat, in milliseconds, and of what it is one. */
  #stillShut(chat: string | undefined): { ms: number; scope: 'chat' | 'account' } | null {
    const now = this.#options.clock.now()
    for (const scope of chat === undefined ? ['account'] : ['account', chat]) {
      const until = this.#shut.get(scope)
      if (until === undefined) continue
      if (until > now) return { ms: until - now, scope: scope === 'account' ? 'account' : 'chat' }
      this.#shut.delete(scope)
    }
    return null
  }
}

/** A file is recorded by its size: as JSON it would be many times as large. */
const recorded = (body: unknown): unknown => (ArrayBuffer.isView(body) ? { bytes: body.byteLength } : body)
