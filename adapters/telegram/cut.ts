/**
 * Where a long text is cut into messages. Between blocks, else lines, sentences, words, characters, in this order; never
 * through a link, a mention or a code token that fits a message, and never through a character as a person sees it.
 */
import { characterBoundary } from '../../src/messaging/contract.js'
import { ENTITY_BYTES, TEXT_ENTITIES } from './limits.js'
import { isClosed, type Rich, type Span } from './rich.js'

/** A better kind of cut is taken when at least this share of a message is filled by it. */
const FILL = 0.4
/** A message is filled to this many units less than it holds: room for the joiners that a cut may need. */
const SPARE = 8
const ENTITY_OVERHEAD = 60

const SENTENCE_END = /[.!?…。！？]["'”’)）」』]?$/
const CJK_BREAK = /[。，、；：！？）」』”]/

export interface Piece {
  start: number
  end: number
}

/** The pieces of a text, in order; what lies between them is white space. */
export function cut(rich: Rich, max: number): Piece[] {
  return new Cutter(rich, max).run()
}

class Cutter {
  /** What must not be cut, by start. None contains another. */
  readonly #closed: readonly Span[]
  #firstSpan = 0

  constructor(
    readonly rich: Rich,
    readonly max: number,
  ) {
    this.#closed = rich.spans.filter(isClosed)
  }

  run(): Piece[] {
    const { text } = this.rich
    const pieces: Piece[] = []
    for (let from = this.#skip(0); from < text.length; ) {
      const end = this.#end(from)
      const shown = text.slice(from, end).trimEnd().length
      if (shown > 0) pieces.push({ start: from, end: from + shown })
      from = this.#skip(end)
    }
    return pieces
  }

  /** Past the white space at a cut; of code only the line break goes, its indent stays. */
  #skip(at: number): number {
    const { text } = this.rich
    const inside = this.#inside(at)
    if (inside?.kind === 'pre') return text[at] === '\n' ? at + 1 : at
    let next = at
    while (next < text.length && /\s/.test(text[next] ?? '')) next++
    return next
  }

  #end(from: number): number {
    const { text } = this.rich
    const rest = this.#room(from)
    // What goes on from a cut may get one in front.
    const most = from === 0 ? this.max : this.max - 1
    if (from + most >= text.length && rest >= text.length) return text.length
    const limit = Math.min(from + Math.max(1, this.max - SPARE), rest)
    return this.#betweenLines(from, limit) ?? this.#betweenWords(from, limit) ?? this.#anywhere(from, limit)
  }

  /** How far a message may reach before it has more entities than Telegram keeps. */
  #room(from: number): number {
    const { spans, text } = this.rich
    let count = 0
    let bytes = 0
    while ((spans[this.#firstSpan]?.end ?? Number.POSITIVE_INFINITY) <= from) this.#firstSpan++
    for (let index = this.#firstSpan; index < spans.length; index++) {
      const span = spans[index]
      if (span === undefined || span.start >= from + this.max) break
      if (span.end <= from) continue
      count++
      bytes += ENTITY_OVERHEAD + 3 * (span.url?.length ?? 0)
      if ((count > TEXT_ENTITIES || bytes > ENTITY_BYTES) && span.start > from) return span.start
    }
    return text.length
  }

  #betweenLines(from: number, limit: number): number | undefined {
    const { text, keep } = this.rich
    const least = from + (limit - from) * FILL
    let line: number | undefined
    let code: number | undefined
    let early: number | undefined
    for (let at = text.lastIndexOf('\n', limit); at > from; at = text.lastIndexOf('\n', at - 1)) {
      const inside = this.#inside(at)
      if (inside === undefined && !keep.has(at)) {
        const block = text[at + 1] === '\n'
        if (at >= least) {
          if (block) return at
          line ??= at
        } else if (line !== undefined || code !== undefined) break
        else if (early === undefined || block) early = at
        if (at < least && block) break
      } else if (inside?.kind === 'pre' && at >= least) code ??= at
      if (at < least && (line ?? code) !== undefined) break
    }
    // Something at the front that could stand alone is a better end than the middle of a sentence only when code follows.
    return line ?? code ?? (early !== undefined && this.#inside(limit)?.kind === 'pre' ? early : undefined)
  }

  #betweenWords(from: number, limit: number): number | undefined {
    const { text } = this.rich
    const half = from + (limit - from) / 2
    let word: number | undefined
    for (let at = limit; at > from; at--) {
      const blank = /\s/.test(text[at] ?? '')
      if (!blank && !CJK_BREAK.test(text[at - 1] ?? '')) continue
      if (CJK_BREAK.test(text[at] ?? '')) continue
      const inside = this.#inside(at)
      if (inside !== undefined && (inside.kind !== 'pre' || !blank) && !this.#isTooLong(inside)) continue
      if (inside === undefined && SENTENCE_END.test(text.slice(Math.max(from, at - 3), at))) return at
      word ??= at
      if (at < half) break
    }
    return word
  }

  /** No place is good: between two characters, before a token that the next message can hold whole. */
  #anywhere(from: number, limit: number): number {
    const { text } = this.rich
    const inside = this.#inside(limit)
    if (inside !== undefined && inside.start > from && !this.#isTooLong(inside)) return inside.start
    let at = characterBoundary(text, from, limit)
    // A message that begins with `@name` would mention somebody who was not mentioned in the middle of a word.
    for (let tries = 0; tries < 8 && /[@/]/.test(text[at] ?? ''); tries++) {
      const earlier = characterBoundary(text, from, at - 1)
      if (earlier <= from) break
      at = earlier
    }
    if (at > from) return at
    return from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1)
  }

  /** Whether no message can hold it; code goes on in the next one anyway. */
  #isTooLong(span: Span): boolean {
    return span.kind === 'pre' || span.end - span.start > this.max - SPARE
  }

  /** The link, mention or code that a cut at `at` would go through. */
  #inside(at: number): Span | undefined {
    let low = 0
    let high = this.#closed.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const span = this.#closed[middle]
      if (span === undefined || span.start >= at) high = middle - 1
      else if (span.end <= at) low = middle + 1
      else return span
    }
    return undefined
  }
}
