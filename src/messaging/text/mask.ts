/**
 * What in a plain or Markdown text addresses nobody: code, block quotes, links, URLs and e-mail addresses. Quotation
 * marks are not among them. A scanner of its own, linear in the text, because the console's page has no Markdown
 * parser and because it must hold against text that a parser would be slow on.
 */
import { beginsItem, leaves, OpenItems } from './list-items.js'
import { emailAround, urlAround, urlEnd } from './urls.js'

/** Stands for every masked character: no blank, no letter, no mark, so that it neither opens nor continues a name. */
export const MASK = '\uFFFC'

export interface MaskedRange {
  kind: 'fence' | 'quote' | 'code' | 'link' | 'url' | 'email'
  start: number
  end: number
}

const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$/
/** Under a paragraph it makes a heading of it. */
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/
/** Like a list item, it begins a block of its own: no code span or link reaches over its front. */
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/
const QUOTE = /^ {0,3}>/
const LINK_UNITS = 2048
/** Brackets within a destination, as CommonMark allows. */
const LINK_DEPTH = 32
const PUNCTUATION = /[!-/:-@[-`{-~]/
/** Link labels open at the same time; more are text. Bounds the work on a row of brackets. */
const OPEN_LABELS = 64

/** The masked parts, in order, none inside another. A quote is its lines: text on the line below it is outside. */
export function maskedRanges(text: string): MaskedRange[] {
  const ranges: MaskedRange[] = []
  const items = new OpenItems()
  let fence: { mark: string; start: number; within: number } | undefined
  let prose = -1
  const endProse = (end: number): void => {
    if (prose >= 0) inline(text, prose, end, ranges)
    prose = -1
  }
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, text[end - 1] === '\r' ? end - 1 : end)
    if (fence !== undefined && leaves(line, fence.within)) {
      ranges.push({ kind: 'fence', start: fence.start, end: start - 1 })
      fence = undefined
    }
    if (fence !== undefined) {
      if (closes(line, fence.mark)) {
        ranges.push({ kind: 'fence', start: fence.start, end })
        fence = undefined
      }
    } else {
      const opened = opensFence(line)
      if (opened !== undefined) {
        endProse(start)
        fence = { mark: opened, start, within: items.enter(line, false) }
      } else if (QUOTE.test(line)) {
        endProse(start)
        items.enter(line, false)
        ranges.push({ kind: 'quote', start, end })
      } else {
        const heading = HEADING.test(line)
        if (heading || line.trim() === '' || beginsItem(line)) endProse(start)
        const within = items.enter(line, prose >= 0)
        if (prose < 0 && line.trim() !== '') prose = start
        if (heading || (prose < start && UNDERLINE.test(line) && !leaves(line, within))) endProse(end)
      }
    }
    start = end + 1
  }
  endProse(text.length)
  if (fence !== undefined) ranges.push({ kind: 'fence', start: fence.start, end: text.length })
  return ranges
}

/** The text with every masked character but line breaks replaced by {@link MASK}. Same length, same lines. */
export function maskText(text: string): string {
  let masked = ''
  let from = 0
  for (const { start, end } of maskedRanges(text)) {
    masked += text.slice(from, start) + text.slice(start, end).replace(/[^\r\n]/g, MASK)
    from = end
  }
  return masked + text.slice(from)
}

function opensFence(line: string): string | undefined {
  const match = FENCE.exec(line)
  const mark = match?.[1]
  if (mark === undefined || (mark.startsWith('`') && match?.[2]?.includes('`'))) return undefined
  return mark
}

function closes(line: string, mark: string): boolean {
  const trimmed = line.trim()
  if (trimmed.length < mark.length) return false
  for (const character of trimmed) if (character !== mark[0]) return false
  return true
}

/** Code spans, links, URLs and addresses of one paragraph, `from` to `to`. */
function inline(text: string, from: number, to: number, ranges: MaskedRange[]): void {
  const runs = backtickRuns(text, from, to)
  const labels: { start: number; ranges: number }[] = []
  const push = (kind: MaskedRange['kind'], start: number, end: number): number => {
    // An address may reach back over a mark that was already passed, never over a range.
    const last = ranges.at(-1)
    const begin = last !== undefined && last.end > start ? last.end : start
    if (begin < end) ranges.push({ kind, start: begin, end: Math.min(end, to) })
    return Math.min(end, to)
  }
  for (let at = from; at < to; ) {
    const character = text[at]
    if (character === '\\' && PUNCTUATION.test(text[at + 1] ?? '')) at += 2
    else if (character === '`') {
      const length = runLength(text, at, to)
      const close = runs.closing(length, at)
      at = close === undefined ? at + length : push('code', at, close + length)
    } else if (character === '[') {
      if (labels.length < OPEN_LABELS) labels.push({ start: at, ranges: ranges.length })
      at++
    } else if (character === ']') {
      const label = labels.pop()
      const end = text[at + 1] === '(' ? destinationEnd(text, at + 1, to) : undefined
      if (label !== undefined && end !== undefined) {
        ranges.length = label.ranges
        const image = label.start > from && text[label.start - 1] === '!'
        at = push('link', image ? label.start - 1 : label.start, end)
      } else at++
    } else if (character === ':' && text.startsWith('://', at)) {
      const url = urlAround(text, at)
      at = url === undefined ? at + 1 : push('url', url.start, url.end)
    } else if ((character === 'w' || character === 'W') && /^www\./i.test(text.slice(at, at + 4))) {
      const end = /[A-Za-z0-9]/.test(text[at - 1] ?? '') ? at : urlEnd(text, at)
      at = end > at + 4 ? push('url', at, end) : at + 1
    } else if (character === '@') {
      const email = emailAround(text, at)
      at = email === undefined ? at + 1 : push('email', email.start, email.end)
    } else at++
  }
}

function runLength(text: string, at: number, to: number): number {
  let end = at
  while (end < to && text[end] === '`') end++
  return end - at
}

/** Where each length of backtick run stands, so that looking for a closing one never scans twice. */
function backtickRuns(text: string, from: number, to: number) {
  let starts: Map<number, number[]> | undefined
  const next = new Map<number, number>()
  return {
    closing(length: number, opening: number): number | undefined {
      if (starts === undefined) {
        starts = new Map()
        for (let at = text.indexOf('`', from); at >= 0 && at < to; at = text.indexOf('`', at)) {
          const run = runLength(text, at, to)
          const places = starts.get(run)
          if (places === undefined) starts.set(run, [at])
          else places.push(at)
          at += run
        }
      }
      const places = starts.get(length) ?? []
      let index = next.get(length) ?? 0
      while (index < places.length && (places[index] ?? 0) <= opening) index++
      next.set(length, index)
      return places[index]
    },
  }
}

/** The end of `(destination "title")` that opens at `open`, or undefined when it is none. */
function destinationEnd(text: string, open: number, to: number): number | undefined {
  const limit = Math.min(to, open + LINK_UNITS)
  const from = afterBlank(text, open + 1, limit)
  const address = text[from] === '<' ? closing(text, from, '>', limit) : bareEnd(text, from, limit)
  if (address === undefined) return undefined
  const title = afterBlank(text, address, limit)
  if (title < limit && text[title] === ')') return title + 1
  const close = { '"': '"', "'": "'", '(': ')' }[text[title] ?? '']
  if (close === undefined || title === address) return undefined
  const last = closing(text, title, close, limit)
  if (last === undefined) return undefined
  const end = afterBlank(text, last, limit)
  return end < limit && text[end] === ')' ? end + 1 : undefined
}

/** Over blanks and at most one line break. */
function afterBlank(text: string, from: number, limit: number): number {
  let at = from
  for (let lines = 0; at < limit && /[ \t\r\n]/.test(text[at] ?? ''); at++)
    if (text[at] === '\n' && ++lines > 1) break
  return at
}

/** The end of an address without angle brackets: up to a blank or the bracket that closes. */
function bareEnd(text: string, from: number, limit: number): number | undefined {
  let depth = 0
  let at = from
  for (; at < limit; at++) {
    const character = text[at] ?? ''
    if (character === '\\' && PUNCTUATION.test(text[at + 1] ?? '')) at++
    else if (character <= ' ' || character === '\x7f') break
    else if (character === '(') {
      if (++depth > LINK_DEPTH) return undefined
    } else if (character === ')' && depth-- === 0) break
  }
  return depth > 0 ? undefined : at
}

/** Behind the mark that closes what opens at `from`. An address in angle brackets stays on its line. */
function closing(text: string, from: number, mark: string, limit: number): number | undefined {
  for (let at = from + 1; at < limit; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === mark) return at + 1
    else if (mark === '>' && (character === '\n' || character === '<')) return undefined
    else if (mark === ')' && character === '(') return undefined
    else if (character === '\n' && /^[ \t]*\r?\n/.test(text.slice(at + 1, at + 80))) return undefined
  }
  return undefined
}
