/** A line of runs as Discord's Markdown. */
import { escapeText, JOINER } from './write-escape.js'
import { apart } from './write-label.js'
import { joinRuns, type Run, type Style, sameStyle, shownRun } from './write-runs.js'

/** From the outside in: what stands first is opened first. */
const NESTING = ['strike', 'bold', 'italic'] as const
type Key = (typeof NESTING)[number]

/** @param heading a heading loses the `#` it ends with */
export function writeLine(runs: readonly Run[], heading = false): string {
  const writer = new LineWriter()
  writer.write(tidy(joinRuns(runs)), 0, '')
  return heading && writer.out.endsWith('#') ? writer.out + JOINER : writer.out
}

/** White space at the edges of emphasis belongs outside: a mark does not open in front of it nor close behind it. */
function tidy(runs: readonly Run[]): Run[] {
  return joinRuns(
    runs.flatMap((run): Run[] => {
      if (run.kind !== 'text' || sameStyle(run.style, {})) return [run]
      const [, front = '', core = '', back = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(run.text) ?? []
      return [
        { kind: 'text', text: front, style: {} },
        { kind: 'text', text: core, style: run.style },
        { kind: 'text', text: back, style: {} },
      ]
    }),
  )
}

const styleOf = (run: Run): Style => (run.kind === 'text' || run.kind === 'mention' ? run.style : {})
const WORD = /^[A-Za-z0-9_]/

class LineWriter {
  out = ''
  /** The last thing written closed some emphasis. */
  #closed = false

  constructor(private readonly isLabel = false) {}

  /** @param after the text that follows, where it is known */
  write(runs: readonly Run[], level: number, after: string): void {
    const key = NESTING[level]
    for (let at = 0; at < runs.length; ) {
      const first = runs[at] as Run
      if (key === undefined) {
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
    if (this.#closed && (this.out.at(-1) === mark[0] || (this.out.endsWith('~~') && mark === '_')))
      this.out += JOINER
    this.out += mark
    this.#closed = false
    this.write(group, level + 1, '')
    if (key === 'strike' && this.out.endsWith('~') && !this.#closed) this.out += JOINER
    this.out += mark
    this.#closed = true
  }

  /** An underscore next to a word is a part of it. */
  #italic(after: string): string {
    return WORD.test(this.out.at(-1) ?? '') || WORD.test(after) ? '*' : '_'
  }

  #run(run: Run): void {
    const before = this.out
    if (run.kind === 'text')
      this.out += this.isLabel ? run.text : escapeText(run.text, /^[\s*_~\u200b]*$/.test(before))
    else if (run.kind === 'mention') this.out += `<@${run.id}>`
    else if (run.kind === 'code') this.out += codeOf(run.text, before.endsWith('`'))
    else this.out += linkOf(run)
    this.#closed = false
  }
}

function startOf(run: Run): string {
  if (run.kind === 'text') return run.text.slice(0, 1)
  return run.kind === 'code' ? '`' : run.kind === 'mention' ? '<' : '['
}

function codeOf(text: string, touches: boolean): string {
  // Only one length of run can be inside, and three backticks would begin a block of code.
  const safe = text.replace(/`(?=`)/g, `\`${JOINER}`)
  const mark = safe.includes('`') ? '``' : '`'
  const pad = (edge: string | undefined): string => (edge === '`' ? ' ' : '')
  return `${touches ? JOINER : ''}${mark}${pad(safe[0])}${safe}${pad(safe.at(-1))}${mark}`
}

/** `<…>` around the address keeps its preview away and its punctuation with it. */
function linkOf(run: Extract<Run, { kind: 'link' }>): string {
  if (run.label.length === 0) return `<${run.url}>`
  const label = new LineWriter(true)
  label.write(tidy(apart(run.label)), 0, '')
  return `[${label.out}](<${run.url}>)`
}

export const shownLine = (runs: readonly Run[]): string => runs.map(shownRun).join('')
