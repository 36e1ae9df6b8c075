/** Tables: Discord has none. A narrow one is drawn in a code block, any other is written row by row. */
import type { Nodes, Table } from 'mdast'
import { plainText } from '../../src/messaging/contract.js'
import { clean } from './write-escape.js'
import { type Line, plain } from './write-run.js'
import { joinRuns, linesOf } from './write-runs.js'

/** Columns that a code block shows without a break on most screens. Broken rows are worse than no columns. */
const WIDEST = 60

type Side = 'left' | 'right' | 'center' | null

/** Null where a code block would hide something (a link, a mention) or break its rows. */
export function drawnTable(table: Table): { header: string; rows: string } | null {
  if (table.children.some((row) => row.children.some((cell) => cell.children.some(isLive)))) return null
  const cells = table.children.map((row) =>
    row.children.map((cell) => clean(plainText(cell)).replace(/\s+/g, ' ').trim()),
  )
  const columns = Math.max(0, ...cells.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...cells.map((row) => widthOf(row[column] ?? ''))),
  )
  if (widths.reduce((sum, width) => sum + width + 3, -3) > WIDEST) return null
  const [head = '', ...body] = cells.map((row) =>
    widths
      .map((width, column) => padded(row[column] ?? '', width, table.align?.[column] ?? null))
      .join(' │ ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '─'.repeat(width)).join('─┼─')
  const header = body.length === 0 ? head : `${head}\n${rule}`
  return { header: body.length === 0 ? '' : header, rows: body.length === 0 ? header : body.join('\n') }
}

/** The rows as lines, the first one bold. */
export function rowsOf(table: Table): Line[] {
  return table.children.map((row, index) => {
    const line: Line = row.children.flatMap((cell, column) => {
      const runs = linesOf(cell.children, index === 0 ? { bold: true } : {}).flat()
      return column === 0 ? runs : [plain(' | '), ...runs]
    })
    return joinRuns(line)
  })
}

function isLive(node: Nodes): boolean {
  if (node.type === 'link' || node.type === 'image' || node.type === 'mention') return true
  return 'children' in node && node.children.some(isLive)
}

function padded(text: string, width: number, side: Side): string {
  const room = Math.max(0, width - widthOf(text))
  const left = side === 'right' ? room : side === 'center' ? room >> 1 : 0
  return ' '.repeat(left) + text + ' '.repeat(room - left)
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]$/u

/** Columns a text takes in a fixed-width font: Chinese characters and emoji take two. */
function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}
