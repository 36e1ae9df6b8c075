import { EngineError } from '../../../messaging/engine.js'
import { size } from '../../bytes.js'

export interface LineLimits {
  /** Bytes of all lines together. */
  total: number
  /** Bytes of one line. */
  line: number
}

const NEWLINE = 0x0a

/**
 * Bytes to lines. A line is decoded as a whole, so a character cut by a chunk's edge stays one character. `\r\n` ends a
 * line as `\n` does; the last line needs no ending.
 *
 * Keeps at most one unfinished line in memory, however much is pushed.
 */
export class LineReader {
  readonly #limits: LineLimits
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  #rest: Buffer[] = []
  #restBytes = 0
  #total = 0

  constructor(limits: LineLimits) {
    this.#limits = limits
  }

  /** Starts counting afresh: limits belong to a turn, a process may serve many. */
  restart(): void {
    this.#total = this.#restBytes
  }

  /**
   * @returns the lines that this chunk completes
   * @throws EngineError `output-limit` when there is too much of it, `protocol` when it is not UTF-8
   */
  push(chunk: Buffer): string[] {
    this.#total += chunk.length
    if (this.#total > this.#limits.total) {
      throw new EngineError(
        'output-limit',
        `The program wrote more than ${size(this.#limits.total)} in one turn and was stopped: have it write less, or raise outputLimit for this agent.`,
      )
    }
    const lines: string[] = []
    let from = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from)
      if (end === -1) break
      lines.push(this.#line(chunk.subarray(from, end)))
      from = end + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
    return lines
  }

  /** The last line, when it had no ending. */
  end(): string | null {
    return this.#restBytes === 0 ? null : this.#line(Buffer.alloc(0))
  }

  #keep(bytes: Buffer): void {
    this.#restBytes += bytes.length
    this.#check(this.#restBytes)
    // A copy: the chunk's memory is a slice of a larger block that would be held otherwise.
    this.#rest.push(Buffer.from(bytes))
  }

  #line(bytes: Buffer): string {
    this.#check(this.#restBytes + bytes.length)
    const whole = this.#rest.length === 0 ? bytes : Buffer.concat([...this.#rest, bytes])
    this.#rest = []
    this.#restBytes = 0
    const end = whole.length > 0 && whole[whole.length - 1] === 0x0d ? whole.length - 1 : whole.length
    try {
      return this.#decoder.decode(whole.subarray(0, end))
    } catch (cause) {
      throw new EngineError(
        'protocol',
        'The program wrote bytes that are not UTF-8 text: have it write one JSON object a line, or plain text, in UTF-8.',
        { cause },
      )
    }
  }

  #check(bytes: number): void {
    if (bytes <= this.#limits.line) return
    throw new EngineError(
      'output-limit',
      `The program wrote a line longer than ${size(this.#limits.line)} and was stopped: have it send long texts in several {"type":"text"} lines.`,
    )
  }
}
