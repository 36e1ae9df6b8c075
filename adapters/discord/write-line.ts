/** A line of runs as Discord's Markdown. */
import { escapedSize, escapeText, JOINER, sizeOf } from './write-escape.js'
import { apart } from './write-label.js'
import { type Run, type Style, shownRun } from './write-run.js'
import { joinRuns } from './write-runs.js'

/** From the outside in: what stands first is opened first. */
const NESTING = ['strike', 'bold', 'italic'] as const
type Key = (typeof NESTING)[number]

/** @param heading a heading loses the `#` it ends with */
export function writeLine(runs: readonly Run[], heading = false): string {
  const writer = new LineWriter()
  writer.write(tidy(runs), 0, '')
  return heading && writer.out.endsWith('#') ? writer.out + JOINER : writer.out
}

/** White space at the edges of emphasis belongs outside: a mark does not open in front of it nor close behind it. */
function tidy(written: readonly Run[]): readonly Run[] {
  const runs = joinRuns(written)
  if (!runs.some(isLoose)) return runs
  return joinRuns(
    runs.flatMap((run): Run[] => {
      if (run.kind !== 'text' || !isLoose(run)) return [run]
      const [, front = '', core = '', back = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(run.text) ?? []
      return [
        { kind: 'text', text: front, style: {} },
        { kind: 'text', text: core, style: run.style },
        { kind: 'text', text: back, style: {} },
      ]
    }),
  )
}

const isLoose = (run: Run): boolean => run.kind === 'text' && isStyled(run.style) && /^\s|\s$/.test(run.text)

const PLAIN: Style = {}
const styleOf = (run: Run): Style => (run.kind === 'text' || run.kind === 'mention' ? run.style : PLAIN)
const isStyled = ({ bold, italic, strike }: Style): boolean =>
  bold === true || italic === true || strike === true
const WORD = /^[A-Za-z0-9_]/
/** In front of the first text of a line. */
const NOTHING = /^[\s*_~\u200b]*$/

class LineWriter {
  out = ''
  /** The last two characters of it: to look into a text that grows copies it. */
  #end = ''
  /** Nothing stands in it but marks and blanks. */
  #begins = true
  /** The last thing written closed some emphasis. */
  #closed = false

  constructor(private readonly isLabel = false) {}

  /** @param after the text that follows, where it is known */
  write(runs: readonly Run[], level: number, after: string): void {
    const key = NESTING[level]
    for (let at = 0; at < runs.length; ) {
      const first = runs[at] as Run
      if (key === undefined || !isStyled(styleOf(first))) {
        this.#run(first)
        at++
        continue
      }
      const on = styleOf(first)[key] === true
      let end = at + 1
      while (end < runs.length && (styleOf(runs[end] as Run)[key] === true) === on) end++
      const group = runs.slice(at, end)
      const next = runs[end]
      const following = next === undefined ? after : startOf(next)
      if (on) this.#marked(key, group, level, following)
      else this.write(group, level + 1, following)
      at = end
    }
  }

  #marked(key: Key, group: readonly Run[], level: number, after: string): void {
    const mark = key === 'strike' ? '~~' : key === 'bold' ? '**' : this.#italic(after)
    // `**a***b*` and `~~a~~_b_` would be read otherwise.
    if (this.#closed && (this.#end.endsWith(mark[0] ?? '') || (this.#end === '~~' && mark === '_')))
      this.#put(JOINER)
    this.#put(mark)
    this.#closed = false
    this.write(group, level + 1, '')
    if (key === 'strike' && this.#end.endsWith('~') && !this.#closed) this.#put(JOINER)
    this.#put(mark)
    this.#closed = true
  }

  /** An underscore next to a word is a part of it. */
  #italic(after: string): string {
    return WORD.test(this.#end.slice(-1)) || WORD.test(after) ? '*' : '_'
  }

  #run(run: Run): void {
    if (run.kind === 'text') this.#put(this.isLabel ? run.text : escapeText(run.text, this.#begins))
    else if (run.kind === 'mention') this.#put(`<@${run.id}>`)
    else if (run.kind === 'code') this.#put(codeOf(run.text, this.#end.endsWith('`')))
    else this.#put(linkOf(run))
    this.#closed = false
  }

  #put(text: string): void {
    this.out += text
    this.#end = (text.length < 2 ? this.#end + text : text).slice(-2)
    this.#begins = this.#begins && NOTHING.test(text)
  }
}

const MARK_SIZES = { strike: 4, bold: 4, italic: 2 } as const

/** Code points that a run adds behind another one of its line, with the marks around it; about. */
export function writtenSize(run: Run, before: Run | undefined): number {
  if (run.kind === 'code') return sizeOf(codeOf(run.text, false))
  if (run.kind === 'link') return sizeOf(linkOf(run))
  const own = run.kind === 'text' ? escapedSize(run.text) : run.id.length + 3
  if (!isStyled(run.style)) return own
  const open = before === undefined ? PLAIN : styleOf(before)
  return NESTING.reduce(
    (size, key) => size + (run.style[key] === true && open[key] !== true ? MARK_SIZES[key] : 0),
    own,
  )
}

function startOf(run: Run): string {
  if (run.kind === 'text') return run.text.slice(0, 1)
  return run.kind === 'code' ? '`' : run.kind === 'mention' ? '<' : '['
}

function codeOf(text: string, touches: boolean): string {
  // Only one length of run can be inside, and three backticks would begin a block of code.
  if (!text.includes('`')) return `${touches ? JOINER : ''}\`${text}\``
  const safe = text.replace(/`(?=`)/g, `\`${JOINER}`)
  const pad = (edge: string | undefined): string => (edge === '`' ? ' ' : '')
  return `${touches ? JOINER : ''}\`\`${pad(safe[0])}${safe}${pad(safe.at(-1))}\`\``
}

/** `<…>` around the address keeps its preview away and its punctuation with it. */
function linkOf(run: Extract<Run, { kind: 'link' }>): string {
  if (run.label.length === 0) return `<${run.url}>`
  const label = apart(run.label)
  const [only] = label
  if (label.length === 1 && only?.kind === 'text' && !isStyled(only.style))
    return `[${only.text}](<${run.url}>)`
  const writer = new LineWriter(true)
  writer.write(tidy(label), 0, '')
  return `[${writer.out}](<${run.url}>)`
}

export const shownLine = (runs: readonly Run[]): string => runs.map(shownRun).join('')
