/** One request to a model, and its reply as it comes. */
import type { LanguageModel, LanguageModelUsage, ModelMessage, ToolSet } from 'ai'
import { EngineError } from '../../../messaging/engine.js'
import { classify, type Failure } from './failure.js'

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
  const { signal, now, left, tools, ...given } = request
  const own = new AbortController()
  const stop = (): void => own.abort()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  let text = ''
  const calls: Call[] = []
  const count = (said: string): void => {
    left.characters -= said.length
    if (left.characters < 0) throw tooMuch()
  }
  try {
    const hasTools = Object.keys(tools).length > 0
    const { toolChoice, temperature, maxOutputTokens, ...rest } = given
    const result = sdk.streamText({
      ...rest,
      ...(hasTools ? { tools, toolChoice } : {}),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      maxRetries: 0,
      abortSignal: own.signal,
      // The default writes to the console.
      onError: () => {},
    })
    for await (const part of result.fullStream) {
      if (signal.aborted) return null
      switch (part.type) {
        case 'text-delta':
          count(part.text)
          text += part.text
          if (part.text !== '') yield part.text
          break
        case 'reasoning-delta':
          count(part.text)
          yield null
          break
        case 'tool-input-delta':
          count(part.delta)
          yield null
          break
        case 'tool-call':
          if (part.providerExecuted === true) break
          calls.push({
            id: part.toolCallId,
            tool: part.toolName,
            args: part.input,
            parsed: part.invalid !== true,
          })
          break
        case 'error':
          throw part.error
        case 'abort':
          return null
        case 'finish-step': {
          const failure = endedBadly(part, text, calls)
          if (failure !== null) throw new RequestError(failure, text)
          const { messages } = await result.response
          return {
            text,
            calls,
            messages: messages.filter(({ role }) => role === 'assistant'),
            tooLong: part.finishReason === 'length',
            usage: part.usage,
          }
        }
      }
    }
    throw new RequestError({ kind: 'cut', said: 'the reply broke off' }, text)
  } catch (error) {
    if (signal.aborted) return null
    if (error instanceof RequestError || error instanceof EngineError) throw error
    throw new RequestError(classify(error, now()), text)
  } finally {
    signal.removeEventListener('abort', stop)
    own.abort()
  }
}

interface Finish {
  finishReason: string
  rawFinishReason: string | undefined
}

/** A reply that the provider ended, but not as an answer. */
function endedBadly(
  { finishReason, rawFinishReason }: Finish,
  text: string,
  calls: readonly Call[],
): Failure | null {
  const raw = rawFinishReason === undefined ? '' : ` (${rawFinishReason})`
  if (finishReason === 'content-filter')
    return { kind: 'refused', said: `the model or a filter declined${raw}` }
  if (finishReason === 'stop' || finishReason === 'length' || finishReason === 'tool-calls') return null
  // Without any reason for its end, the reply was not ended by the model.
  if (rawFinishReason === undefined) return { kind: 'cut', said: 'the reply broke off' }
  return text === '' && calls.length === 0 ? { kind: 'garbage', said: `the reply is empty${raw}` } : null
}

function tooMuch(): EngineError {
  const limit = OUTPUT_CHARACTERS.toLocaleString('en')
  return new EngineError(
    'output-limit',
    `The model wrote more than ${limit} characters in one turn: ask for less at once, or set maxOutputTokens.`,
  )
}
