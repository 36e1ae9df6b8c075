/** One request to a model, and its reply as it comes. */
import type { LanguageModel, LanguageModelUsage, ModelMessage, TextStreamPart, ToolSet } from 'ai'
import { EngineError } from '../../../messaging/engine.js'
import { classify, type Failure } from './failure.js'
import { Thoughts } from './thoughts.js'

type Sdk = typeof import('ai')

/** Characters that a model may say in one turn, its thoughts and arguments among them. */
export const OUTPUT_CHARACTERS = 1_000_000

export interface Call {
  id: string
  tool: string
  /** As the model wrote them, where they were no JSON. */
  args: unknown
  parsed: boolean
}

export interface Reply {
  text: string
  calls: Call[]
  /** The reply as the next request holds it; results of calls are not in it. */
  messages: ModelMessage[]
  /** The model wanted to say more than it may. */
  tooLong: boolean
  usage: LanguageModelUsage
}

/** A request that failed, with what had been said until then. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  constructor(
    readonly failure: Failure,
    readonly text: string,
  ) {
    super(failure.said)
  }
}

export interface Request {
  model: Exclude<LanguageModel, string>
  system: string
  messages: ModelMessage[]
  tools: ToolSet
  toolChoice: 'auto' | 'none'
  temperature?: number | undefined
  maxOutputTokens?: number | undefined
  providerOptions: NonNullable<ModelMessage['providerOptions']>
  signal: AbortSignal
  now(): number
  /** Counts down over the turn. */
  left: { characters: number }
}

/**
 * Asks once: the SDK's own retries are off. Yields pieces of text; `null` for other signs of life.
 *
 * @returns null when it was stopped
 * @throws RequestError; EngineError `output-limit`
 */
export async function* ask(sdk: Sdk, request: Request): AsyncGenerator<string | null, Reply | null> {
  const { signal, now, left } = request
  const own = new AbortController()
  const stop = (): void => own.abort()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const said = new Said(left)
  try {
    const result = stream(sdk, request, own.signal)
    for await (const part of result.fullStream) {
      if (signal.aborted || part.type === 'abort') return null
      if (part.type === 'error') {
        if (!isUninvited(part.error)) throw part.error
        said.calls.push(UNINVITED)
      } else if (part.type === 'finish-step') {
        const failure = said.calls.includes(UNINVITED) ? null : endedBadly(part, said)
        if (failure !== null) throw new RequestError(failure, said.text)
        const { messages } = await result.response
        return {
          text: said.text,
          calls: said.calls,
          messages: messages.filter(({ role }) => role === 'assistant'),
          tooLong: part.finishReason === 'length',
          usage: part.usage,
        }
      }
      const piece = said.take(part)
      if (piece !== '') yield piece
    }
    throw new RequestError(BROKE_OFF, said.text)
  } catch (error) {
    if (signal.aborted) return null
    if (error instanceof RequestError || error instanceof EngineError) throw error
    throw new RequestError(classify(error, now()), said.text)
  } finally {
    signal.removeEventListener('abort', stop)
    // Whatever ended it, the connection goes with it.
    own.abort()
  }
}

function stream(sdk: Sdk, request: Request, abortSignal: AbortSignal) {
  const { model, system, messages, tools, toolChoice, temperature, maxOutputTokens, providerOptions } =
    request
  return sdk.streamText({
    model,
    system,
    messages,
    ...(Object.keys(tools).length > 0 ? { tools, toolChoice } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    providerOptions,
    maxRetries: 0,
    abortSignal,
    // The default writes to the console.
    onError: () => {},
  })
}

/** What has come of a reply so far. */
class Said {
  text = ''
  readonly calls: Call[] = []
  readonly #thoughts = new Thoughts()
  readonly #left: { characters: number }

  constructor(left: { characters: number }) {
    this.#left = left
  }

  /** @returns a piece of text (may be empty), or null for another sign of life */
  take(part: TextStreamPart<ToolSet>): string | null {
    switch (part.type) {
      case 'text-delta':
        this.#count(part.text)
        // While a model thinks, it is alive.
        return this.#say(this.#thoughts.take(part.text)) || null
      case 'text-end':
        return this.#say(this.#thoughts.end())
      case 'reasoning-delta':
        this.#count(part.text)
        return null
      case 'tool-input-delta':
        this.#count(part.delta)
        return null
      case 'tool-call':
        // What a provider runs on its own side has its result in the reply.
        if (part.providerExecuted !== true)
          this.calls.push({
            id: part.toolCallId,
            tool: part.toolName,
            args: part.input,
            parsed: part.invalid !== true,
          })
        return null
      default:
        return ''
    }
  }

  #say(text: string): string {
    this.text += text
    return text
  }

  #count(piece: string): void {
    this.#left.characters -= piece.length
    if (this.#left.characters < 0) throw tooMuch()
  }
}

const BROKE_OFF: Failure = { kind: 'cut', said: 'the reply broke off' }

interface Finish {
  finishReason: string
  rawFinishReason: string | undefined
}

/** A reply that the provider ended, but not as an answer. */
function endedBadly({ finishReason, rawFinishReason }: Finish, { text, calls }: Said): Failure | null {
  const raw = rawFinishReason === undefined ? '' : ` (${rawFinishReason})`
  if (finishReason === 'content-filter')
    return { kind: 'refused', said: `the model or a filter declined${raw}` }
  if (finishReason === 'stop' || finishReason === 'length' || finishReason === 'tool-calls') return null
  // Without any reason for its end, the reply was not ended by the model.
  if (rawFinishReason === undefined) return BROKE_OFF
  return text === '' && calls.length === 0 ? { kind: 'garbage', said: `the reply is empty${raw}` } : null
}

/** A call after it was told that none is possible: the SDK says so, in words alone, and reads on. */
const UNINVITED: Call = { id: '', tool: '', args: null, parsed: false }
const isUninvited = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('a tool call even though tool choice was none')

function tooMuch(): EngineError {
  const limit = OUTPUT_CHARACTERS.toLocaleString('en')
  return new EngineError(
    'output-limit',
    `The model wrote more than ${limit} characters in one turn: ask for less at once, or set maxOutputTokens.`,
  )
}
