/**
 * Cuts rendered Markdown into pieces that a platform takes. A cut falls between blocks, else lines, sentences, words,
 * characters, in this order. It never goes through a link, a mention, a code token or a character; a fence is closed
 * before it and opened again behind it with the same info string, and so is emphasis.
 */
import { characterBoundary } from './graphemes.js'
import { breaksCjk, Inline } from './split-inline.js'
import { type Line, scanLines } from './split-lines.js'

export interface SplitOptions {
  /** Repeat the header of a table that is cut, for platforms that draw tables. Default false. */
  repeatTableHeader?: boolean
}

/** A better kind of cut is taken when at least this share of what fits is used. */
const FILL = 0.4
/** A line longer than a piece is begun behind what is already there unless that fills this share. */
const JOIN_FILL = 0.6

/**
 * The pieces of `text`, each at most `max` by `measure` (default UTF-16 units), in order; together they show what the
 * text shows. Blanks at cuts are dropped. Only where a single character is larger than `max` a piece is as well.
 */
export function splitMarkdown(
  text: string,
  max: number,
  measure: (piece: string) => number = (piece) => piece.length,
  options: SplitOptions = {},
): string[] {
  if (text.trim() === '') return []
  if (measure(text) <= max) return [text]
  return new Splitter(text, max, measure, options).run()
}

class Splitter {
  readonly #lines: Line[]
  readonly #inlines = new Map<number, Inline>()
  /** Cuts that go through something which no piece can hold whole. */
  readonly #forced = new Set<number>()

  constructor(
    readonly text: string,
    readonly max: number,
    readonly measure: (piece: string) => number,
    readonly options: SplitOptions,
  ) {
    this.#lines = scanLines(text)
  }

  run(): string[] {
    const pieces: string[] = []
    let guess = 8
    for (let at = this.#skip(0); at < this.text.length; ) {
      const first = this.#lineAt(at)
      const cut = this.#cut(at, first, guess)
      guess = Math.max(1, this.#lineAt(cut - 1) - first)
      const piece = this.#piece(at, cut)
      if (piece.trim() !== '') pieces.push(piece)
      at = this.#skip(cut)
    }
    return pieces
  }

  /** Index of the line that holds the offset. */
  #lineAt(at: number): number {
    let low = 0
    let high = this.#lines.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#lines[middle]?.start ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return low
  }

  /** From a cut to where the next piece begins: past blanks and blank lines, but not inside code. */
  #skip(cut: number): number {
    let index = this.#lineAt(Math.min(cut, this.text.length))
    let line = this.#lines[index]
    if (line?.fence !== undefined && cut > line.start && cut < line.end) return cut
    if (line !== undefined && cut > line.start && this.text.slice(cut, line.end).trim() !== '') {
      const rest = this.text.slice(cut, line.end)
      return cut + rest.length - rest.trimStart().length
    }
    const code = line?.kind === 'code' || line?.kind === 'open'
    if (line !== undefined && cut > line.start) line = this.#lines[++index]
    // The piece that ended with code brought its own closing line.
    if (code && line?.kind === 'close') line = this.#lines[++index]
    while (line?.blank && line.kind !== 'code') line = this.#lines[++index]
    return line?.start ?? this.text.length
  }

  #fits(from: number, cut: number): boolean {
    return this.measure(this.#piece(from, cut)) <= this.max
  }

  /** The offset at which the piece that begins at `from` ends. */
  #cut(from: number, first: number, guess: number): number {
    const last = this.#lastFittingLine(from, first, guess)
    if (last === this.#lines.length - 1) return this.text.length
    const chosen = last < first ? undefined : this.#betweenLines(from, first, last)
    // The next line is one that no piece holds: begin it here rather than leave much of this piece empty.
    let next = last < first ? first : last + 1
    while (this.#lines[next]?.blank && this.#lines[next]?.kind !== 'code') next++
    const start = Math.max(from, this.#lines[next]?.start ?? from)
    const long = chosen === undefined || !this.#fits(start, this.#lines[next]?.end ?? start)
    if (long) {
      const short = chosen === undefined || this.measure(this.#piece(from, chosen)) < this.max * JOIN_FILL
      const inside = short ? this.#insideLine(from, next, chosen !== undefined) : undefined
      if (inside !== undefined) return inside
    }
    return chosen ?? this.#force(from)
  }

  /** The last line that still fits whole, or `first - 1`. */
  #lastFittingLine(from: number, first: number, guess: number): number {
    const end = (index: number) => this.#lines[index]?.end ?? this.text.length
    let good = first - 1
    let bad = this.#lines.length
    for (let step = guess; good + 1 < bad; step *= 2) {
      const probe = Math.min(good + step, this.#lines.length - 1)
      if (probe <= good) break
      if (this.#fits(from, end(probe))) good = probe
      else {
        bad = probe
        break
      }
    }
    while (good + 1 < bad) {
      const middle = (good + bad) >> 1
      if (this.#fits(from, end(middle))) good = middle
      else bad = middle
    }
    return good
  }

  /** How good a cut behind a line is: 3 between blocks, 2 between items, 1 between lines, 0 none. */
  #quality(index: number): number {
    const line = this.#lines[index]
    if (line === undefined || line.blank) return line?.fence === undefined ? 0 : 1
    let next = index + 1
    while (this.#lines[next]?.blank && this.#lines[next]?.kind !== 'code') next++
    const after = this.#lines[next]
    if (after === undefined) return 3
    if (line.kind === 'open' || line.kind === 'heading' || line.kind === 'header') return 0
    if (line.kind === 'delimiter' && after.kind === 'row') return 0
    if (line.kind === 'code') return after.kind === 'close' ? 0 : 1
    if (!after.block && /^[ \t>]*(?:=+|-+)[ \t]*$/.test(this.text.slice(after.start, after.end))) return 0
    if (!after.block) {
      const inline = this.#inlineAt(after.start)
      return inline.atomAt(after.start) !== undefined || inline.isOnMark(after.start) ? 0 : 1
    }
    if (after.kind === 'row') return 1
    return next > index + 1 || after.kind === 'heading' || after.kind === 'open' || line.kind === 'close'
      ? 3
      : 2
  }

  #betweenLines(from: number, first: number, last: number): number | undefined {
    const full = (this.#lines[last]?.end ?? from) - from
    const best: (number | undefined)[] = [undefined, undefined, undefined, undefined]
    for (let index = last; index >= first; index--) {
      const end = this.#lines[index]?.end ?? from
      const quality = this.#quality(index)
      if (quality === 0 || end <= from || best[quality] !== undefined) continue
      if (end - from < full * FILL && best.some((cut) => cut !== undefined)) break
      if (this.#fits(from, end)) best[quality] = end
      if (quality === 3) break
    }
    return best[3] ?? best[2] ?? best[1]
  }

  /** A cut within a line: behind a sentence, else a word, else (unless there is a choice) a character. */
  #insideLine(from: number, index: number, optional: boolean): number | undefined {
    const line = this.#lines[index]
    if (line === undefined || line.kind === 'open' || line.kind === 'close') return undefined
    if (line.table !== undefined && from < line.start) return undefined
    const front = Math.max(from, line.start + (from > line.start ? 0 : line.quote.length))
    const far = this.#farthest(from, front, line.end)
    const span = far - front
    let word: number | undefined
    for (let at = far; at > front; at--) {
      const kind = this.#breakAt(line, at)
      if (kind === 0 || !this.#fits(from, at)) continue
      if (kind === 2) return at
      word ??= at
      if (at - front < span / 2) break
    }
    if (word !== undefined && (!optional || word - front > 0)) return word
    return undefined
  }

  /** The farthest cut in a line that fits, whatever it goes through. */
  #farthest(from: number, front: number, end: number): number {
    let good = front
    let bad = end + 1
    for (let step = 256; good + step < bad; step *= 2) {
      if (!this.#fits(from, good + step)) bad = good + step
      else good += step
    }
    while (good + 1 < bad) {
      const middle = (good + bad) >> 1
      if (this.#fits(from, middle)) good = middle
      else bad = middle
    }
    return good
  }

  /** 2 behind a sentence, 1 behind a word, 0 no cut. */
  #breakAt(line: Line, at: number): 0 | 1 | 2 {
    const before = this.text[at - 1] ?? ''
    const after = this.text[at] ?? ''
    const blank = /\s/.test(after)
    if (line.kind === 'code') return /\s/.test(before) && !blank ? 1 : 0
    if (!blank && !breaksCjk(before, after)) return 0
    // Behind a backslash that stands for itself, a closing mark would be escaped.
    if (/\s/.test(before) || before === '\\') return 0
    const inline = this.#inlineAt(at)
    const atom = inline.atomAt(at)
    if (atom !== undefined && !(atom.ticks !== undefined && this.#isTooLong(atom))) return 0
    if (inline.isOnMark(at)) return 0
    const rest = this.text.slice(at, Math.min(line.end, at + 40)).trimStart()
    if (
      /^(?:[-+*=_]+(?:\s|$)|\d{1,9}[.)](?:\s|$)|#{1,6}(?:\s|$)|>|`{3}|~{3}|\|)/.test(rest) ||
      /^\[[^\]]*\]:/.test(rest)
    ) {
      return 0
    }
    return /[.!?。！？…]["'”’)）」』*_]*$/.test(this.text.slice(Math.max(line.start, at - 6), at)) ? 2 : 1
  }

  readonly #tooLong = new Map<number, boolean>()
  #isTooLong(atom: { start: number; end: number }): boolean {
    let known = this.#tooLong.get(atom.start)
    if (known === undefined) {
      known = this.measure(this.text.slice(atom.start, atom.end)) > this.max
      this.#tooLong.set(atom.start, known)
    }
    return known
  }

  /** Nothing fits whole: cut through it, between characters. Always moves on. */
  #force(from: number): number {
    const line = this.#lines[this.#lineAt(from)]
    const end = line === undefined || line.end <= from ? this.text.length : line.end
    const inline = line?.kind === 'code' || line?.kind === 'open' ? undefined : this.#inlineAt(from + 1)
    const far = this.#farthest(from, from, end)
    let cut = characterBoundary(this.text, from, far)
    // Before a token that may still fit into a piece of its own, not through it.
    const atom = inline?.atomAt(cut)
    if (atom !== undefined && atom.start > from && !this.#isTooLong(atom)) cut = atom.start
    while (cut > from && (inline?.isOnMark(cut) || !this.#fits(from, cut)))
      cut = characterBoundary(this.text, from, cut - 1)
    if (cut <= from) {
      // Not even one character fits with its wrapping: without it, and if need be larger than allowed.
      this.#forced.add(from)
      const size = (this.text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1
      let bare = from
      while (bare < end && this.measure(this.text.slice(from, bare + 1)) <= this.max) bare++
      cut = Math.max(from + size, characterBoundary(this.text, from, bare))
      this.#forced.add(cut)
    }
    if (line?.kind === 'open' && cut < line.end) this.#forced.add(cut)
    return cut
  }

  #inlineAt(at: number): Inline {
    let first = this.#lineAt(at)
    while (first > 0 && this.#lines[first]?.block === false && this.#lines[first]?.kind === 'text') first--
    const start = this.#lines[first]?.start ?? 0
    let inline = this.#inlines.get(start)
    if (inline === undefined) {
      let last = first
      for (let next = this.#lines[last + 1]; next !== undefined && !next.block && !next.blank; ) {
        last++
        next = this.#lines[last + 1]
      }
      inline = new Inline(this.text, start, this.#lines[last]?.end ?? this.text.length)
      this.#inlines.set(start, inline)
    }
    return inline
  }

  /** What stands before and behind a cut so that both sides are whole by themselves. */
  #wrap(cut: number): { close: string; open: string } {
    if (cut <= 0 || cut >= this.text.length || this.#forced.has(cut)) return { close: '', open: '' }
    const line = this.#lines[this.#lineAt(cut)]
    const before = this.#lines[this.#lineAt(cut - 1)]
    const fence = line?.fence ?? (line?.kind === 'close' ? before?.fence : undefined)
    if (fence !== undefined && line !== undefined && (cut > line.start || before?.kind !== 'close')) {
      if (line.kind === 'close' && cut > line.start) return { close: '', open: '' }
      return { close: `\n${fence.close}`, open: `${fence.reopen}\n` }
    }
    if (line === undefined || (cut === line.start && line.block)) {
      const header = this.options.repeatTableHeader === true && line?.kind === 'row' ? line.table : undefined
      return { close: '', open: header ?? '' }
    }
    if (line.kind === 'open' || line.kind === 'close') return { close: '', open: '' }
    const marks = this.#inlineAt(cut).openAt(cut)
    return { close: marks.toReversed().join(''), open: marks.join('') }
  }

  /** The piece from one cut to the next, as Markdown by itself. */
  #piece(from: number, cut: number): string {
    const index = this.#lineAt(from)
    const line = this.#lines[index]
    const inCode = line?.fence !== undefined
    const opening = this.#wrap(from).open
    const closing = this.#wrapBefore(cut)
    let body = this.text.slice(from, cut)
    const code = closing.startsWith('\n')
    if (!code) body = body.trimEnd()
    // A backslash that breaks the line would show itself at the piece's end.
    if (!code && endsEscaping(body) && this.#goesOn(from + body.length)) body = body.slice(0, -1).trimEnd()
    body += closing
    const width = line === undefined ? 0 : this.#indentOf(line, from)
    if (width > 0) body = dedent(body, width, from > (line?.start ?? 0), inCode)
    const midLine = line !== undefined && from > line.start
    if (opening === '') return midLine && line.quote !== '' && !inCode ? line.quote + body : body
    if (opening.endsWith('\n')) return opening + (midLine && inCode ? line.quote : '') + body
    const prefix = midLine ? (line.quote ?? '') : (/^[ \t>]*/.exec(body)?.[0] ?? '')
    return prefix + opening + (midLine ? body : body.slice(prefix.length))
  }

  /** A line ends here, and the paragraph goes on in the next. */
  #goesOn(at: number): boolean {
    const index = this.#lineAt(at)
    const next = this.#lines[index + 1]
    return at === this.#lines[index]?.end && next !== undefined && !next.blank && !next.block
  }

  /** Blanks that the lines of a piece lose because it begins inside a list. */
  #indentOf(line: Line, from: number): number {
    if (line.quote !== '') return 0
    if (line.fence !== undefined) return line.fence.close.length - line.fence.close.trimStart().length
    return from > line.start ? line.content : Math.min(line.indent, line.content)
  }

  /** A cut at a line's end is one at the next line's front as far as wrapping goes. */
  #wrapBefore(cut: number): string {
    const index = this.#lineAt(Math.max(0, cut - 1))
    const line = this.#lines[index]
    if (line === undefined || cut >= this.text.length) return ''
    if (cut < line.end) return this.#wrap(cut).close
    if (line.kind === 'code') return `\n${line.fence?.close ?? ''}`
    if (line.kind === 'open') return `\n${this.#lines[index + 1]?.fence?.close ?? ''}`
    const next = this.#lines[index + 1]
    return next === undefined || next.blank || next.block ? '' : this.#wrap(next.start).close
  }
}

/** Ends with a backslash that is not escaped itself. */
const endsEscaping = (text: string): boolean => /(?:^|[^\\])(?:\\\\)*\\$/.test(text.slice(-8))

/** Takes up to `width` leading blanks from each line, less as soon as a line outside code has less. */
function dedent(body: string, width: number, skipFirst: boolean, inCode: boolean): string {
  let left = width
  let code = inCode
  return body
    .split('\n')
    .map((line, index) => {
      if (index === 0 && skipFirst) return line
      const indent = line.length - line.trimStart().length
      const fence = /^\s*(?:`{3,}|~{3,})/.test(line)
      if (!code && line.trim() !== '') left = Math.min(left, indent)
      if (fence) code = !code
      return line.slice(Math.min(left, indent))
    })
    .join('\n')
}
