import type { ModelMessage, ToolModelMessage, ToolSet } from 'ai'
import type { Clock } from '../../../messaging/ambient.js'
import { EngineError, type EngineEvent, type EngineRun, ToolError } from '../../../messaging/engine.js'
import { mayBecomeSilence } from '../../../messaging/text/index.js'
import { loggable } from '../../loggable.js'
import { answerOf, ending } from './answer.js'
import { codeOf, cureOf, type Failure, mayRetry } from './failure.js'
import { type ModelFiles, notTaken, readFiles } from './files.js'
import { type Models, partsOf, providerOptions } from './models.js'
import { split } from './prompt.js'
import { ask, type Call, OUTPUT_CHARACTERS, type Reply, RequestError } from './request.js'
import type { AiSettings } from './settings.js'
import { usageEvent } from './usage.js'
import { PATIENCE, pause, sleep, TRIES } from './wait.js'
import { bounded, shorten } from './window.js'

/** Characters of a tool's result that the model is given, and of each once its window has turned out too small. */
const RESULT_CHARACTERS = 40_000
const SHORT_RESULT_CHARACTERS = 4_000
/** The share of a prompt that is kept then. */
const KEPT = 0.5

export interface TalkParts {
  run: EngineRun
  settings: AiSettings
  models: Models
  /** First choice first. */
  candidates: readonly string[]
  resting: Map<string, number>
  sdk: typeof import('ai')
  clock: Clock
  chance(): number
}

/** A model that failed, for the receipt. */
interface Attempt {
  model: string
  failure: Failure
  tries: number
}

/** One turn's talk with a model: its replies, the calls between them, and what becomes of failures. */
export class Talk {
  readonly #parts: TalkParts
  readonly #tools: ToolSet
  readonly #left = { characters: OUTPUT_CHARACTERS }
  /** Replies and results so far. */
  readonly #history: ModelMessage[] = []
  readonly #texts: string[] = []
  /** As the turn has it: what was yielded, joined. */
  #said = ''
  #files: ModelFiles = { media: [], lines: [] }
  /** Models still to be had in this turn; the one in use first. */
  #models: string[]
  readonly #failed: Attempt[] = []
  /** Of {@link #failed}, what a usage event has told already. */
  #told = 0
  #isShort = false
  #withoutMedia = false

  constructor(parts: TalkParts) {
    const { candidates, resting, clock, sdk, run } = parts
    this.#parts = parts
    const now = clock.now()
    const rested = candidates.filter((model) => (resting.get(model) ?? 0) <= now)
    this.#models = rested.length > 0 ? rested : [...candidates]
    this.#tools = Object.fromEntries(
      run.input.tools.map(({ name, description, parameters }) => [
        name,
        sdk.tool({ description, inputSchema: sdk.jsonSchema(parameters) }),
      ]),
    )
  }

  async *events(): AsyncGenerator<EngineEvent, void, undefined> {
    const { run, settings } = this.#parts
    this.#files = await readFiles(run.input.files)
    for (let step = 1; ; step += 1) {
      const isLast = step >= settings.maxSteps
      if (isLast && step > 1) this.#history.push(LAST_STEP)
      const reply = yield* this.#reply(isLast)
      if (reply === null) return
      this.#texts.push(reply.text)
      this.#history.push(...reply.messages)
      if (reply.calls.length === 0 || isLast) {
        if (reply.calls.length > 0) yield* this.#outOfSteps()
        else yield* this.#end(reply.tooLong ? 'length' : null)
        return
      }
      const results = await this.#results(reply.calls)
      if (run.signal.aborted) return
      this.#history.push(results)
    }
  }

  /** One reply, from whichever model gives it. @returns null when the turn is over: stopped, or ended by what there was */
  async *#reply(isLast: boolean): AsyncGenerator<EngineEvent, Reply | null> {
    const before = this.#said
    for (let tries = 1; ; tries += 1) {
      const model = this.#models[0]
      if (model === undefined) throw this.#nobody()
      let failed: RequestError
      try {
        return yield* this.#request(model, isLast)
      } catch (error) {
        if (!(error instanceof RequestError)) throw error
        failed = error
      }
      if (this.#parts.run.signal.aborted) return null
      const { failure, text } = failed
      if (this.#isSeen(text) && failure.kind !== 'refused') {
        // People have read it: it stays, and is not begun anew under their eyes.
        this.#failed.push({ model, failure, tries })
        this.#texts.push(text)
        yield { type: 'usage', inputTokens: 0, outputTokens: 0, model, ...this.#note() }
        yield* this.#end('cut')
        return null
      }
      if (this.#said !== before) {
        this.#said = before
        yield { type: 'final', text: before }
      }
      if (this.#changed(failure)) continue
      yield* this.#afterwards({ model, failure, tries })
      if (this.#models[0] !== model) tries = 0
    }
  }

  async *#request(id: string, isLast: boolean): AsyncGenerator<EngineEvent, Reply | null> {
    const { run, settings, models, sdk, clock } = this.#parts
    const { provider } = partsOf(id)
    const { system, messages } = this.#prompt()
    const reply = ask(sdk, {
      model: await models.get(id),
      system,
      messages,
      tools: this.#tools,
      // Anthropic wants the tools of earlier calls to be offered still.
      toolChoice: isLast && provider !== 'anthropic' ? 'none' : 'auto',
      temperature: settings.temperature,
      maxOutputTokens: settings.maxOutputTokens,
      providerOptions: providerOptions(provider, settings.effort, settings.providerOptions[provider]),
      signal: run.signal,
      now: () => clock.now(),
      left: this.#left,
    })
    let isFirst = true
    for (;;) {
      const step = await reply.next()
      if (step.done === true) {
        if (step.value !== null)
          yield { ...usageEvent(step.value.usage, id, settings.prices[id]), ...this.#note() }
        return step.value
      }
      if (step.value === null) yield { type: 'progress' }
      else {
        yield this.#say(isFirst && this.#said.trim() !== '' ? `\n\n${step.value}` : step.value)
        isFirst = false
      }
    }
  }

  #say(text: string): EngineEvent {
    this.#said += text
    return { type: 'text', text }
  }

  /** A model that calls tools to the end: what it has said stays; where that is nothing, the receipt has the cure. */
  *#outOfSteps(): Generator<EngineEvent> {
    if (answerOf(this.#texts) !== '') {
      yield* this.#end('steps')
      return
    }
    throw new EngineError(
      'output-limit',
      `The model called tools until its last request of the turn and said nothing (maxSteps: ${this.#parts.settings.maxSteps}): raise maxSteps, or ask for less at once.`,
    )
  }

  /** What was said last stands in the place of all that was said on the way. */
  *#end(why: 'cut' | 'length' | 'steps' | null): Generator<EngineEvent> {
    const answer = answerOf(this.#texts)
    const { language } = this.#parts.run.input.turn
    const whole = why === null || answer === '' ? answer : `${answer}\n\n${ending(why, language)}`
    if (whole !== this.#said.trim()) yield { type: 'final', text: whole }
  }

  /** Whether a reply that broke off has been seen: a task's goes to a teammate, and silence is not shown while it may be. */
  #isSeen(text: string): boolean {
    const { turn } = this.#parts.run.input
    if (text.trim() === '' || turn.kind === 'ask') return false
    return !mayBecomeSilence(text, { addressed: turn.addressed })
  }

  /** Makes the request one that may be taken, once each. */
  #changed({ kind }: Failure): boolean {
    if (kind === 'overflow' && !this.#isShort) {
      this.#isShort = true
      return true
    }
    const hasMedia = this.#files.media.length > 0 && !this.#withoutMedia
    if (!hasMedia || !(kind === 'rejected' || kind === 'no-model' || kind === 'overflow')) return false
    this.#withoutMedia = true
    return true
  }

  /** Waits for the same model, or takes leave of it. */
  async *#afterwards(attempt: Attempt): AsyncGenerator<EngineEvent> {
    const { run, clock, chance, resting } = this.#parts
    const { model, failure, tries } = attempt
    const { retryAfter } = failure
    const isPatient = retryAfter === undefined || retryAfter <= PATIENCE
    run.log.warn({ model, tries, kind: failure.kind, said: failure.said }, 'a request to a model failed')
    // Another model is for what cannot be had, not for what was declined.
    if (failure.kind === 'refused') {
      this.#failed.push(attempt)
      throw this.#nobody()
    }
    if (mayRetry(failure) && isPatient && tries < TRIES) {
      const ms = pause(tries, retryAfter, chance())
      yield { type: 'progress', note: waiting(failure, ms, run.input.turn.language) }
      await sleep(ms, clock, run.signal)
      return
    }
    if (retryAfter !== undefined) resting.set(model, clock.now() + retryAfter)
    this.#failed.push(attempt)
    this.#models = this.#models.slice(1)
  }

  #note(): { note?: string } {
    const news = this.#failed.slice(this.#told)
    this.#told = this.#failed.length
    return news.length === 0 ? {} : { note: news.map(attemptText).join('; ') }
  }

  /** Told of the first model: it is the one that should have answered. */
  #nobody(): EngineError {
    const refused = this.#failed.find(({ failure }) => failure.kind === 'refused')
    const first = refused ?? this.#failed[0]
    if (first === undefined)
      return new EngineError('model', 'There is no model to ask: name one in golem.yaml.')
    const who = this.#failed.length === 1 ? 'The model gave no answer.' : 'None of the models gave an answer.'
    const what = this.#failed.map(attemptText).join('; ')
    return new EngineError(codeOf(first.failure), `${who} ${what}. ${cureOf(first.failure)}`)
  }

  #prompt(): { system: string; messages: ModelMessage[] } {
    const { run } = this.#parts
    const { prompt } = run.input
    const { system, user } = split(this.#isShort ? shorten(prompt, prompt.length * KEPT) : prompt)
    const media = this.#withoutMedia ? [] : this.#files.media
    const lines = this.#withoutMedia
      ? [...this.#files.lines, ...notTaken(this.#files.media)]
      : this.#files.lines
    const text = [user, ...lines].join('\n')
    const content = [
      { type: 'text' as const, text: this.#isShort ? shorten(text, prompt.length) : text },
      ...media.map(({ name, mediaType, bytes }) => ({
        type: 'file' as const,
        data: bytes,
        mediaType,
        filename: name,
      })),
    ]
    const history = this.#isShort ? this.#history.map(shortened) : this.#history
    return { system, messages: [{ role: 'user', content }, ...history] }
  }

  /** Carries the calls out, in their order. Each has a result, or providers refuse the next request. */
  async #results(calls: readonly Call[]): Promise<ToolModelMessage> {
    const content: ToolModelMessage['content'] = []
    for (const call of calls) {
      content.push({
        type: 'tool-result',
        toolCallId: call.id,
        toolName: call.tool,
        output: await this.#result(call),
      })
    }
    return { role: 'tool', content }
  }

  async #result({ tool, args, parsed }: Call): Promise<Output> {
    const { run } = this.#parts
    if (run.signal.aborted) return { type: 'error-text', value: 'This turn is over; nothing was done.' }
    // Where the arguments are no JSON, the tool refuses them itself, so that the receipt has it; so does one that is not there.
    const isThere = run.input.tools.some(({ name }) => name === tool)
    const preface = parsed || !isThere ? '' : 'The arguments are no valid JSON. '
    try {
      const result = await untilAborted(run.call(tool, args), run.signal)
      const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null')
      return { type: 'text', value: bounded(text, RESULT_CHARACTERS) }
    } catch (error) {
      if (error instanceof ToolError) return { type: 'error-text', value: `${preface}${error.message}` }
      if (!run.signal.aborted) run.log.error({ ...loggable(error), tool }, 'a tool failed')
      return { type: 'error-text', value: 'The tool failed inside Golem; go on without it.' }
    }
  }
}

type Output = { type: 'text' | 'error-text'; value: string }

const LAST_STEP: ModelMessage = {
  role: 'user',
  content: '[System: Answer now with what you have; no further tool call is carried out in this turn.]',
}

function shortened(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool') return message
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === 'tool-result' && part.output.type === 'text'
        ? { ...part, output: { ...part.output, value: bounded(part.output.value, SHORT_RESULT_CHARACTERS) } }
        : part,
    ),
  }
}

function attemptText({ model, failure, tries }: Attempt): string {
  return `${model}: ${failure.said}${tries > 1 ? ` (${tries} tries)` : ''}`
}

/** For the people who watch: no word of the provider's. */
function waiting({ kind }: Failure, ms: number, language: 'en' | 'zh'): string {
  const seconds = Math.max(1, Math.round(ms / 1_000))
  if (language === 'zh') return `${kind === 'busy' ? '模型繁忙' : '模型暂时无法访问'}，${seconds} 秒后重试`
  return `${kind === 'busy' ? 'the model is busy' : 'the model cannot be reached'}; next try in ${seconds} s`
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new ToolError('This turn is over.'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
