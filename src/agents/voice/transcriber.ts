/** Writes down what is said in a file, by a program or by a model behind OpenAI's API. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../../messaging/ambient.js'
import { Child } from '../engines/command/child.js'
import { environment } from '../engines/command/environment.js'

/** Longest transcript that is kept, in characters. */
export const TRANSCRIPT_CHARACTERS = 20_000
/** Bytes that a program or a server may answer with. */
const ANSWER_BYTES = 1_000_000
/** Files that are written down at the same time, over all rooms. */
const AT_ONCE = 2
const OPENAI = 'https://api.openai.com/v1'

export interface AudioFile {
  /** Absolute. */
  path: string
  name: string
  mime?: string | undefined
}

export interface Transcriber {
  /** @throws TranscribeError with what people may know */
  transcribe(file: AudioFile, signal: AbortSignal): Promise<string>
}

/** Why there is no transcript. `message` is for the agent and the receipt: no path, no address, no key. */
export class TranscribeError extends Error {
  override readonly name = 'TranscribeError'
}

export interface TranscribeOptions {
  command?: readonly string[] | undefined
  env?: Readonly<Record<string, string>> | undefined
  model?: string | undefined
  baseUrl?: string | undefined
  apiKey?: string | undefined
  language?: string | undefined
  /** Milliseconds. */
  timeout: number
}

export interface TranscribeDeps {
  clock: Clock
  /** Begins the mark that strays of this daemon are found by. */
  mark: string
  /** Golem's own environment. */
  environment: NodeJS.ProcessEnv
  fetch?: typeof fetch
}

export function createTranscriber(options: TranscribeOptions, deps: TranscribeDeps): Transcriber {
  const slots = new Slots(AT_ONCE)
  const hear = options.command === undefined ? byModel : byProgram
  return {
    transcribe: (file, signal) =>
      slots.run(async () => {
        const limit = new AbortController()
        const undo = deps.clock.at(deps.clock.now() + options.timeout, () => limit.abort())
        try {
          const text = await hear(file, AbortSignal.any([signal, limit.signal]), options, deps)
          if (limit.signal.aborted) throw tooSlow(options.timeout)
          return bounded(text)
        } catch (error) {
          throw limit.signal.aborted && !signal.aborted ? tooSlow(options.timeout) : error
        } finally {
          undo()
        }
      }),
  }
}

function tooSlow(timeout: number): TranscribeError {
  return new TranscribeError(`it took longer than ${timeout / 1_000} s`)
}

function bounded(text: string): string {
  const clean = text.replace(/\s+/gu, ' ').trim()
  const characters = [...clean]
  if (characters.length <= TRANSCRIPT_CHARACTERS) return clean
  return `${characters.slice(0, TRANSCRIPT_CHARACTERS).join('')} […]`
}

/** The file's path is Golem's own and absolute: it can be taken for no option. */
async function byProgram(
  file: AudioFile,
  signal: AbortSignal,
  { command = [], env = {} }: TranscribeOptions,
  deps: TranscribeDeps,
): Promise<string> {
  const [program = '', ...args] = command
  const named = args.some((arg) => arg.includes('{file}'))
  const given = named ? args.map((arg) => arg.replaceAll('{file}', file.path)) : [...args, file.path]
  const run = `${deps.mark}${randomUUID()}`
  let child: Child
  try {
    child = await Child.start(
      {
        command: [program, ...given],
        cwd: dirname(file.path),
        env: environment(deps.environment, env, run),
        run,
        limits: { total: ANSWER_BYTES, line: ANSWER_BYTES },
      },
      deps.clock,
    )
  } catch (cause) {
    throw new TranscribeError('the program that writes voice notes down could not be started', { cause })
  }
  const stop = (): void => void child.stop()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const lines: string[] = []
  let broken = false
  try {
    child.attach({
      line: (text) => lines.push(text),
      fault: () => {
        broken = true
      },
      closed: () => {},
    })
    child.endInput()
    const { code } = await child.closed
    if (broken || code !== 0)
      throw new TranscribeError(
        broken
          ? 'the program that writes voice notes down said what is no text'
          : `the program that writes voice notes down ended with ${code === null ? 'a signal' : `exit code ${code}`}`,
        { cause: new Error(child.lastWords) },
      )
    return lines.join('\n')
  } finally {
    signal.removeEventListener('abort', stop)
    child.detach()
  }
}

async function byModel(
  file: AudioFile,
  signal: AbortSignal,
  { model = '', baseUrl = OPENAI, apiKey, language }: TranscribeOptions,
  deps: TranscribeDeps,
): Promise<string> {
  const form = new FormData()
  const type = file.mime ?? 'application/octet-stream'
  form.set('file', new File([new Uint8Array(await readFile(file.path))], file.name, { type }))
  form.set('model', model.slice(model.indexOf('/') + 1))
  form.set('response_format', 'json')
  if (language !== undefined) form.set('language', language)
  const key = apiKey ?? (model.startsWith('openai/') ? deps.environment.OPENAI_API_KEY : undefined)
  let response: Response
  try {
    response = await (deps.fetch ?? fetch)(`${baseUrl.replace(/\/+$/, '')}/audio/transcriptions`, {
      method: 'POST',
      body: form,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      redirect: 'error',
      signal,
    })
  } catch (cause) {
    throw new TranscribeError('the server that writes voice notes down could not be reached', { cause })
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw new TranscribeError(refusal(response.status))
  }
  const said: unknown = await json(response)
  const text = typeof said === 'object' && said !== null && 'text' in said ? said.text : undefined
  if (typeof text !== 'string')
    throw new TranscribeError('the server that writes voice notes down answered with something else')
  return text
}

function refusal(status: number): string {
  if (status === 401 || status === 403)
    return 'the server that writes voice notes down does not take the key: check transcribe in golem.yaml'
  if (status === 429) return 'the server that writes voice notes down has too much to do'
  return `the server that writes voice notes down answered ${status}`
}

async function json(response: Response): Promise<unknown> {
  const reader = response.body?.getReader()
  if (reader === undefined) return null
  const chunks: Uint8Array[] = []
  let total = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    total += value.byteLength
    if (total > ANSWER_BYTES) {
      await reader.cancel()
      return null
    }
    chunks.push(value)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return null
  }
}

/** So many at a time, in their order. */
class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(free: number) {
    this.#free = free
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
