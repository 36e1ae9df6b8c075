/** The lines of a Markdown text with what a cut must know of each: fences, lists, tables, and where blocks begin. */

export interface Fence {
  /** The line that opens it again in the next piece: its marks and info string. */
  reopen: string
  /** The line that closes it, with the indent or quote marks it stands behind. */
  close: string
}

export interface Line {
  start: number
  /** Without the line break. */
  end: number
  /** Start of the next line. */
  next: number
  blank: boolean
  /** Set on lines of code inside a fence, not on its opening and closing lines. */
  fence?: Fence
  kind: 'text' | 'heading' | 'open' | 'code' | 'close' | 'header' | 'delimiter' | 'row'
  /** A new block (item, heading, row, paragraph, quote) begins here: no emphasis or link reaches over its front. */
  block: boolean
  /** Leading blanks. */
  indent: number
  /** Where the text of the list item that this line belongs to begins; 0 outside lists. */
  content: number
  /** The quote marks in front, with their blanks. */
  quote: string
  /** Header and delimiter row of the table that this row belongs to. */
  table?: string
}

const FENCE = /^((?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])(?=[ \t]))*[ \t]*)(`{3,}|~{3,})(.*)$/
const ITEM = /^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+|$)/
const DELIMITER = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/
const QUOTE = /^(?: {0,3}>[ \t]?)+/

export function scanLines(text: string): Line[] {
  const lines: Line[] = []
  const items: number[] = []
  let fence: (Fence & { mark: string; quote: string }) | undefined
  let table: string | undefined
  let before: Line | undefined
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start)
    const next = newline < 0 ? text.length + 1 : newline + 1
    let end = newline < 0 ? text.length : newline
    if (text[end - 1] === '\r') end--
    const written = text.slice(start, end)
    const quote = QUOTE.exec(written)?.[0] ?? ''
    const inner = written.slice(quote.length)
    const indent = written.length - written.trimStart().length
    const line: Line = {
      start,
      end,
      next: Math.min(next, text.length),
      blank: inner.trim() === '',
      kind: 'text',
      block: false,
      indent,
      content: items.at(-1) ?? 0,
      quote,
    }
    lines.push(line)
    start = next
    if (fence !== undefined) {
      if (quote === '' && fence.quote !== '') fence = undefined
      else {
        line.kind = closes(inner, fence.mark) ? 'close' : 'code'
        if (line.kind === 'code') line.fence = fence
        else fence = undefined
        before = line
        continue
      }
    }
    if (line.blank) {
      table = undefined
      before = line
      continue
    }
    const item = ITEM.exec(inner)
    while (items.length > 0 && indent < (items.at(-1) ?? 0) && (item !== null || before?.blank !== false))
      items.pop()
    if (item !== null && !RULE.test(inner)) {
      items.push(quote.length + Math.min(item[0].length, (item[1]?.length ?? 0) + (item[2]?.length ?? 0) + 4))
    }
    line.content = items.at(-1) ?? 0
    const opening = FENCE.exec(written)
    const [, , mark, info = ''] = opening ?? []
    if (mark !== undefined && !(mark.startsWith('`') && info.includes('`')) && indent < line.content + 4) {
      line.kind = 'open'
      const prefix = (opening?.[1] ?? '').replace(/[^\s>]/g, ' ')
      fence = { mark, quote, reopen: `${quote}${mark}${info}`, close: `${prefix}${mark}` }
    } else if (HEADING.test(inner)) line.kind = 'heading'
    else if (table !== undefined) {
      line.kind = before?.kind === 'header' ? 'delimiter' : 'row'
      line.table = table
    } else if (written.includes('|')) {
      const after = text.slice(next, endOfLine(text, next))
      if (after.includes('-') && DELIMITER.test(after.replace(QUOTE, ''))) {
        line.kind = 'header'
        table = `${written}\n${after}\n`
        line.table = table
      }
    }
    if (line.kind === 'heading' || line.kind === 'open') table = undefined
    line.block =
      before === undefined ||
      before.blank ||
      item !== null ||
      line.kind !== 'text' ||
      before.kind !== 'text' ||
      (quote === '') !== (before.quote === '') ||
      RULE.test(inner)
    before = line
  }
  return lines
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from)
  return newline < 0 ? text.length : text[newline - 1] === '\r' ? newline - 1 : newline
}

function closes(line: string, mark: string): boolean {
  const trimmed = line.trim()
  if (trimmed.length < mark.length) return false
  for (const character of trimmed) if (character !== mark[0]) return false
  return true
}
