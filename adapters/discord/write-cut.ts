/**
 * Cuts a block that is too long for a message: behind a line, a sentence, a word, at last a character as a person sees
 * one; never through a link, a mention or a code token that fits a message.
 */
import { characterBoundary } from '../../src/messaging/contract.js'
import type { Block, CodeBlock, TextBlock } from './write-blocks.js'
import { sizeOf } from './write-escape.js'
import { writtenSize } from './write-line.js'
import { isLonger, type Rendered, renderBlock } from './write-render.js'
import { type Line, plain, type Run, shownRun } from './write-run.js'
import { joinRuns } from './write-runs.js'

/** The first part fits; nothing but white space lies between the two. */
export interface Cut {
  head: Rendered
  tail: Block | null
}

/** Units that are looked at beyond what could fit, so that the end of it is seen. */
const AHEAD = 128
/** A better kind of cut is taken when at least this share of what fits is used. */
const FILL = 0.5

/**
 * @param block does not fit
 * @param force something must be cut off, be it through a token or larger than allowed
 * @returns null when nothing good fits
 */
export function cutBlock(block: Block, room: number, force: boolean): Cut | null {
  return block.kind === 'code' ? cutCode(block, room, force) : cutText(block, room, force)
}

// ---- code -------------------------------------------------------------------------------------------------------

function cutCode(block: CodeBlock, room: number, force: boolean): Cut | null {
  // No more lines than there is room for are looked at.
  const lines = block.text.slice(0, 2 * room + AHEAD).split('\n')
  const perLine = block.quote === 0 ? 1 : 3
  let left = room - renderBlock({ ...block, text: '' }).size
  let count = 0
  let used = 0
  for (; count < lines.length; count++) {
    const size = sizeOf(lines[count] ?? '') + (count === 0 ? 0 : perLine)
    if (size > left) break
    left -= size
    used += size
  }
  if (count > 0) return parted(block, lines.slice(0, betterLine(lines, count, used)).join('\n').length + 1)
  if (!force) return null
  const [first = ''] = lines
  if (left < 1 && block.header !== '') return cutCode({ ...block, header: '' }, room, true)
  return parted(block, charactersWithin(first, Math.max(1, left)), true)
}

/** Before the first line, or after the last, of something that blank lines set apart. */
function betterLine(lines: readonly string[], count: number, used: number): number {
  let size = used
  for (let at = count; at > 1; at--) {
    if (lines[at]?.trim() === '') return at
    size -= sizeOf(lines[at - 1] ?? '') + 1
    if (size < used * FILL) break
  }
  return count
}

function parted(block: CodeBlock, end: number, inLine = false): Cut {
  const head = block.text.slice(0, end).replace(/\s+$/, '')
  const rest = inLine ? block.text.slice(end) : block.text.slice(end).replace(/^(?:[ \t]*\n)+/, '')
  const tail = rest.trim() === '' ? null : { ...block, text: rest }
  return { head: renderBlock({ ...block, text: head }), tail }
}

// ---- text -------------------------------------------------------------------------------------------------------

type Token = { run: Run; line: number }

function cutText(block: TextBlock, room: number, force: boolean): Cut | null {
  const tokens = tokensOf(block.lines, room)
  let most = Math.min(reach(block, tokens, room), tokens.length - 1)
  while (most > 0) {
    const best = bestBreak(tokens, most)
    // Words that nothing parts: between two of them all the same, for none would fit a message whole.
    if (best === 0 && !force) return null
    const at = best === 0 ? most : best
    const cut = split(block, tokens, at)
    if (cut.head.size <= room) return cut
    most = Math.min(at - 1, Math.floor((at * room) / cut.head.size))
  }
  return force ? throughToken(block, tokens, room) : null
}

/** How many tokens fit, as good as it can be told without writing them in a row. */
function reach(block: TextBlock, tokens: readonly Token[], room: number): number {
  const lineFront = 1 + block.indent.length + (block.quote === 0 ? 0 : 2)
  let left = room - renderBlock({ ...block, lines: [[]] }).size
  let before: Token | undefined
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    const isNewLine = before !== undefined && before.line !== token.line
    left -= writtenSize(token.run, isNewLine ? undefined : before?.run) + (isNewLine ? lineFront : 0)
    if (left < 0) return at
    before = token
  }
  return tokens.length
}

const SENTENCE = /[.!?…]["'”’)）」』\]]*\s+$|[。！？][」』”’）]*\s*$/
const CLOSES = /[，。、；：！？）】》」』”’]$/

/** The best place for a cut among the first tokens; 0 where there is none. */
function bestBreak(tokens: readonly Token[], most: number): number {
  let word = 0
  let sentence = 0
  const least = most * FILL
  for (let at = most; at > 0; at--) {
    const before = tokens[at - 1] as Token
    const after = tokens[at] as Token
    if (at < least && (word > 0 || sentence > 0)) break
    if (after.line !== before.line) return at >= least || word === 0 ? at : word
    // Only a line's end is better than a sentence's.
    if (sentence > 0) continue
    const text = before.run.kind === 'text' ? before.run.text : ''
    const parts =
      /\s$/.test(text) || (CLOSES.test(text) && !/^[，。、；：！？）】》」』”’]/.test(shownRun(after.run)))
    if (!parts || /^\p{M}/u.test(shownRun(after.run))) continue
    if (SENTENCE.test(text)) sentence = at
    if (word === 0) word = at
  }
  return sentence > 0 ? sentence : word
}

function split(block: TextBlock, tokens: readonly Token[], at: number): Cut {
  const rest = [...tokens.slice(at)]
  while (rest[0] !== undefined && shownRun(rest[0].run).trim() === '') rest.shift()
  const head = renderBlock({ ...block, lines: linesFrom(tokens.slice(0, at)).map(withoutEnd) })
  if (rest.length === 0) return { head, tail: null }
  const first = rest[0] as Token
  if (first.run.kind === 'text')
    rest[0] = { ...first, run: { ...first.run, text: first.run.text.trimStart() } }
  return {
    head,
    tail: { ...block, lines: linesFrom(rest), lead: '', shownLead: '', indent: '', close: false },
  }
}

/** The first token fits no message: text and code are cut between characters, a link is taken apart. */
function throughToken(block: TextBlock, tokens: readonly Token[], room: number): Cut {
  const [first, ...rest] = tokens as readonly [Token, ...Token[]]
  const again = (runs: Run[]): Cut => {
    const lines = linesFrom([...runs.map((run) => ({ run, line: first.line })), ...rest])
    const changed = { ...block, lines }
    const whole = isLonger(changed, room) ? null : renderBlock(changed)
    if (whole !== null && whole.size <= room) return { head: whole, tail: null }
    return cutText(changed, room, true) ?? { head: renderBlock(changed), tail: null }
  }
  const { run } = first
  if (run.kind === 'mention') return again([plain(run.text, run.style)])
  if (run.kind === 'link')
    return again(run.label.length === 0 ? [plain(run.url)] : [...run.label, plain(` (${run.url})`)])
  const front = renderBlock({ ...block, lines: [[{ ...run, text: '' }]] }).size
  let end = charactersWithin(run.text, Math.max(1, room - front))
  const fits = (): boolean => {
    const lines = [[{ ...run, text: run.text.slice(0, end) }]]
    return renderBlock({ ...block, lines }).size <= room
  }
  while (!fits()) {
    const fewer = charactersWithin(run.text, Math.floor(end * 0.8))
    if (fewer >= end || fewer === 0) break
    end = fewer
  }
  const halves = [run.text.slice(0, end), run.text.slice(end)].map((text) => ({
    run: { ...run, text },
    line: first.line,
  }))
  if (halves[1]?.run.text === '') halves.pop()
  return split(block, [...halves, ...rest], 1)
}

/** Words with the blanks behind them; behind Chinese punctuation there are none. */
const WORDS =
  /[^\s，。、；：！？）】》」』”’]*[，。、；：！？）】》」』”’]+\s*|[^\s，。、；：！？）】》」』”’]+\s*|\s+/g

/** @param room code points that are looked at; what lies beyond them stays in one piece a run */
function tokensOf(lines: readonly Line[], room: number): Token[] {
  const tokens: Token[] = []
  // In units there may be twice as many.
  let left = 2 * room + AHEAD
  lines.forEach((runs, line) => {
    // A line without anything is there all the same.
    if (runs.length === 0) tokens.push({ run: plain(''), line })
    for (const run of left > 0 ? joinRuns(runs) : runs) {
      if (run.kind !== 'text' || left <= 0) tokens.push({ run, line })
      else
        for (const text of words(run.text, left))
          tokens.push({ run: { kind: 'text', text, style: run.style }, line })
      left -= run.kind === 'text' ? run.text.length : 1
    }
  })
  return tokens
}

function words(text: string, most: number): readonly string[] {
  if (text.length <= most) return text.match(WORDS) ?? []
  return [...(text.slice(0, most).match(WORDS) ?? []), text.slice(most)]
}

function linesFrom(tokens: readonly Token[]): Line[] {
  const lines: Line[] = []
  let current = Number.NaN
  for (const { run, line } of tokens) {
    if (line !== current) lines.push([])
    current = line
    lines.at(-1)?.push(run)
  }
  return lines.map(joinRuns)
}

function withoutEnd(line: Line): Line {
  const last = line.at(-1)
  return last?.kind === 'text' ? [...line.slice(0, -1), { ...last, text: last.text.trimEnd() }] : line
}

/** Length in UTF-16 units of as many whole characters as have at most `most` code points; at least one code point. */
function charactersWithin(text: string, most: number): number {
  const end = unitsOf(text, most)
  // A character that is larger is cut.
  return characterBoundary(text, 0, end) || end
}

/** Units of the first `most` code points. */
function unitsOf(text: string, most: number): number {
  let units = Math.min(most, text.length)
  for (let size = sizeOf(text.slice(0, units)); size < most && units < text.length; ) {
    const more = text.slice(units, units + most - size)
    units += more.length
    size += sizeOf(more)
  }
  return isLow(text, units) ? units + 1 : units
}

const isLow = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff && at > 0
}
