/** Record and replay: what came in and what was called, one JSON object a line. No line holds a token. */
import type { VirtualClock } from './clock.js'
import type { Call } from './stage.js'

export type Line =
  | { kind: 'start'; platform: string; at: number }
  /** An event on its way to the bot. `id` is the platform's own delivery id. */
  | { kind: 'delivery'; at: number; id: string; body: unknown }
  | { kind: 'acknowledged'; at: number; id: string }
  | { kind: 'call'; at: number; call: Call; answer: unknown }

const REDACTED = '[redacted]'
/** More lines than this and the oldest go: a simulator may run for days. */
const MOST_LINES = 200_000

export class Recorder {
  readonly #lines: string[] = []
  readonly #clock: VirtualClock
  readonly #secrets: () => readonly string[]
  #dropped = 0
  /** `false`: nothing is written down, e.g. under load. */
  on = true

  /** @param secrets tokens and keys in force now; none of them, nor its percent-encoded form, is ever written */
  constructor(platform: string, clock: VirtualClock, secrets: () => readonly string[]) {
    this.#clock = clock
    this.#secrets = secrets
    this.#write({ kind: 'start', platform, at: clock.now() })
  }

  delivery(id: string, body: unknown): void {
    if (this.on) this.#write({ kind: 'delivery', at: this.#clock.now(), id, body })
  }

  acknowledged(id: string): void {
    if (this.on) this.#write({ kind: 'acknowledged', at: this.#clock.now(), id })
  }

  call(call: Call, answer: unknown): void {
    if (this.on) this.#write({ kind: 'call', at: this.#clock.now(), call, answer })
  }

  /** Oldest lines that were dropped to keep within bounds. */
  get dropped(): number {
    return this.#dropped
  }

  /** The recording so far, as JSON lines. */
  text(): string {
    return `${this.#lines.join('\n')}\n`
  }

  #write(line: Line): void {
    this.#lines.push(redact(JSON.stringify(line), this.#secrets()))
    if (this.#lines.length <= MOST_LINES) return
    this.#dropped += this.#lines.splice(1, MOST_LINES / 10).length
  }
}

/** Replaces each secret, as it is and percent-encoded. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    if (secret === '') continue
    clean = clean.replaceAll(secret, REDACTED).replaceAll(encodeURIComponent(secret), REDACTED)
  }
  return clean
}

/** @throws Error that names the line that is none */
export function readRecording(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      try {
        return JSON.parse(line) as Line
      } catch {
        throw new Error(`Line ${index + 1} of the recording is not JSON`)
      }
    })
}

/**
 * Delivers the recorded events again, in order and at the recorded distances on `clock`.
 *
 * @param deliver puts one event on its way
 * @returns how many were delivered
 */
export async function replay(
  recording: string,
  clock: VirtualClock,
  deliver: (id: string, body: unknown) => void,
): Promise<number> {
  const lines = readRecording(recording).filter((line) => line.kind === 'delivery')
  const first = lines[0]
  if (first === undefined) return 0
  const start = clock.now()
  for (const line of lines) {
    const wait = start + (line.at - first.at) - clock.now()
    if (wait > 0) await clock.sleep(wait)
    deliver(line.id, line.body)
  }
  return lines.length
}
