/**
 * What a cut inside a paragraph must know: what may not be cut (links, code, tokens, addresses, escapes), and which
 * emphasis is open at a place, to be closed before it and opened again behind it.
 */
import { isCjk, scriptsOf } from '../text/scripts.js'
import { urlAround } from '../text/urls.js'

interface Atom {
  start: number
  end: number
  /** The backticks of a code span, which may be closed and opened again when it is longer than a piece. */
  ticks?: string
}

interface Pair {
  openStart: number
  openEnd: number
  closeStart: number
  closeEnd: number
  mark: string
}

interface Run {
  mark: string
  start: number
  end: number
  /** Units of the run that are already paired, from its inner side (opening) or its front (closing). */
  canClose: boolean
  length: number
}

/** Emphasis open at the same time; more is text. Bounds the search for an opening mark. */
const OPEN_RUNS = 100
const TOKEN_UNITS = 2048
const PUNCTUATION = /[\p{P}\p{S}]/u
const TOKEN = /^<(?:at\b[^<>\n]*>[^<>\n]{0,200}<\/at>|[^\s<>][^<>\n]*>)/

export class Inline {
  readonly #atoms: Atom[] = []
  readonly #pairs: Pair[] = []

  /** Reads the block of `text` between two offsets. */
  constructor(
    readonly text: string,
    readonly start: number,
    readonly end: number,
  ) {
    this.#read()
    this.#pairs.sort((a, b) => a.openStart - b.openStart)
  }

  /** The atom that a cut at `at` would go through. */
  atomAt(at: number): Atom | undefined {
    let low = 0
    let high = this.#atoms.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const atom = this.#atoms[middle]
      if (atom === undefined || atom.start >= at) high = middle - 1
      else if (atom.end <= at) low = middle + 1
      else return atom
    }
    return undefined
  }

  /** Whether a cut at `at` would go through, or leave alone, a mark of emphasis. */
  isOnMark(at: number): boolean {
    for (const { openStart, openEnd, closeStart, closeEnd } of this.#pairs) {
      if (openStart >= at) return false
      if (at <= openEnd || (at >= closeStart && at < closeEnd)) return true
    }
    return false
  }

  /** The marks open at `at`, outermost first; inside a code span its backticks last. */
  openAt(at: number): string[] {
    const open: string[] = []
    for (const { openStart, openEnd, closeStart, mark } of this.#pairs) {
      if (openStart >= at) break
      if (openEnd < at && at < closeStart) open.push(mark)
    }
    const ticks = this.atomAt(at)?.ticks
    if (ticks !== undefined) open.push(ticks)
    return open
  }

  #read(): void {
    const { text, end } = this
    const runs: Run[] = []
    const brackets: { at: number; runs: number; atoms: number }[] = []
    const atom = (start: number, to: number, ticks?: string): number => {
      while ((this.#atoms.at(-1)?.start ?? -1) >= start) this.#atoms.pop()
      this.#atoms.push(ticks === undefined ? { start, end: to } : { start, end: to, ticks })
      return to
    }
    const ticks = new Ticks(text, this.start, end)
    for (let at = this.start; at < end; ) {
      const character = text[at]
      if (character === '\\') at = atom(at, Math.min(end, at + 2))
      else if (character === '`') {
        const length = runOf(text, at, end)
        const close = ticks.closing(length, at)
        at = close === undefined ? at + length : atom(at, close + length, text.slice(at, at + length))
      } else if (character === '*' || character === '_' || character === '~') {
        const length = runOf(text, at, end)
        this.#run(runs, at, length)
        at += length
      } else if (character === '[') {
        if (brackets.length < OPEN_RUNS) brackets.push({ at, runs: runs.length, atoms: this.#atoms.length })
        at++
      } else if (character === ']') {
        const bracket = brackets.pop()
        const close = bracket === undefined ? undefined : linkEnd(text, at + 1, end)
        if (bracket === undefined || close === undefined) at++
        else {
          runs.length = Math.min(runs.length, bracket.runs)
          for (let last = this.#pairs.at(-1); last !== undefined && last.openStart > bracket.at; ) {
            this.#pairs.pop()
            last = this.#pairs.at(-1)
          }
          at = atom(text[bracket.at - 1] === '!' ? bracket.at - 1 : bracket.at, close)
        }
      } else if (character === '<' || character === '&') {
        const window = text.slice(at, Math.min(end, at + TOKEN_UNITS))
        const token = (character === '<' ? TOKEN : /^&(?:#\w{1,8}|\w{1,31});/).exec(window)
        at = token === null ? at + 1 : atom(at, at + token[0].length)
      } else if (character === ':' && text.startsWith('://', at)) {
        const url = urlAround(text, at)
        at = url === undefined || url.end > end ? at + 1 : atom(Math.max(url.start, this.start), url.end)
      } else if (character === '@') {
        const name = /^@[\p{L}\p{M}\p{N}_.-]{1,40}/u.exec(text.slice(at, Math.min(end, at + 80)))
        // Underscores may be emphasis as well; the text rule leaves those at the end outside.
        at = name === null ? at + 1 : atom(at, at + name[0].replace(/[_.-]+$/, '').length)
      } else at++
    }
  }

  /** A run of emphasis marks: pairs it with earlier ones, as CommonMark does, and keeps what may still open. */
  #run(runs: Run[], at: number, count: number): void {
    const { text } = this
    const mark = text[at] ?? ''
    if (mark === '~' && count > 2) return
    const before = at === this.start ? ' ' : (text[at - 1] ?? ' ')
    const after = at + count >= this.end ? ' ' : (text[at + count] ?? ' ')
    const left =
      !/\s/.test(after) && (!PUNCTUATION.test(after) || /\s/.test(before) || PUNCTUATION.test(before))
    const right =
      !/\s/.test(before) && (!PUNCTUATION.test(before) || /\s/.test(after) || PUNCTUATION.test(after))
    const canOpen = mark === '_' ? left && (!right || PUNCTUATION.test(before)) : left
    const canClose = mark === '_' ? right && (!left || PUNCTUATION.test(after)) : right
    let start = at
    const end = at + count
    while (canClose && start < end) {
      const index = runs.findLastIndex(
        (run) =>
          run.mark === mark &&
          (mark === '~'
            ? run.length === count
            : !bothWays(run, canOpen, count) || (run.length + count) % 3 !== 0),
      )
      const opening = runs[index]
      if (opening === undefined) break
      runs.length = index + 1
      const use = mark === '~' ? count : opening.end - opening.start >= 2 && end - start >= 2 ? 2 : 1
      this.#pairs.push({
        openStart: opening.end - use,
        openEnd: opening.end,
        closeStart: start,
        closeEnd: start + use,
        mark: mark.repeat(use),
      })
      opening.end -= use
      start += use
      if (opening.start === opening.end) runs.pop()
    }
    if (canOpen && start < end && runs.length < OPEN_RUNS) {
      runs.push({ mark, start, end, canClose, length: count })
    }
  }
}

/** CommonMark's rule of three concerns runs of which one can both open and close. */
function bothWays(opening: Run, closingCanOpen: boolean, count: number): boolean {
  return (opening.canClose || closingCanOpen) && !(opening.length % 3 === 0 && count % 3 === 0)
}

class Ticks {
  #starts: Map<number, number[]> | undefined
  readonly #next = new Map<number, number>()
  constructor(
    readonly text: string,
    readonly from: number,
    readonly to: number,
  ) {}
  closing(length: number, opening: number): number | undefined {
    this.#starts ??= this.#read()
    const places = this.#starts.get(length) ?? []
    let index = this.#next.get(length) ?? 0
    while (index < places.length && (places[index] ?? 0) <= opening) index++
    this.#next.set(length, index)
    return places[index]
  }
  #read(): Map<number, number[]> {
    const starts = new Map<number, number[]>()
    for (
      let at = this.text.indexOf('`', this.from);
      at >= 0 && at < this.to;
      at = this.text.indexOf('`', at)
    ) {
      const run = runOf(this.text, at, this.to)
      const places = starts.get(run)
      if (places === undefined) starts.set(run, [at])
      else places.push(at)
      at += run
    }
    return starts
  }
}

function runOf(text: string, at: number, to: number): number {
  let end = at
  while (end < to && text[end] === text[at]) end++
  return end - at
}

/** The end of `(…)` or `[…]` behind a label. */
function linkEnd(text: string, at: number, to: number): number | undefined {
  const open = text[at]
  if (open !== '(' && open !== '[') return undefined
  const close = open === '(' ? ')' : ']'
  const limit = Math.min(to, at + TOKEN_UNITS)
  let depth = 0
  for (let index = at; index < limit; index++) {
    const character = text[index]
    if (character === '\\') index++
    else if (character === open) {
      if (++depth > 32) return undefined
    } else if (character === close && --depth === 0) return index + 1
  }
  return undefined
}

const CLOSING = /[\p{Pe}\p{Pf}、。，．！？：；…ー々]/u
const OPENING = /[\p{Ps}\p{Pi}]/u

/** Whether Chinese, Japanese or Korean text may be broken between two characters. */
export function breaksCjk(before: string, after: string): boolean {
  const wide = (character: string) => {
    const codePoint = character.codePointAt(0) ?? 0
    return (
      codePoint >= 0x2e80 &&
      ((codePoint >= 0x3000 && codePoint <= 0x303f) ||
        isCjk(scriptsOf(codePoint)) ||
        (codePoint >= 0xff00 && codePoint <= 0xff65))
    )
  }
  return (wide(before) || wide(after)) && !CLOSING.test(after) && !OPENING.test(before)
}
