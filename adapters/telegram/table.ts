/** Tables in a fixed-width block. */
import type { Nodes, Table } from 'mdast'
import { plainText } from '../../src/messaging/contract.js'

/** Columns of a phone's line of fixed-width text, about. Wider tables would wrap, which is worse than no columns. */
const WIDEST = 60

/** Whether a table can be drawn: nothing in it needs an entity of its own, and it is narrow enough. */
export function isDrawable(table: Table): boolean {
  if (table.children.some((row) => row.children.some((cell) => cell.children.some(needsEntity)))) return false
  return widthsOf(cellsOf(table)).reduce((sum, width) => sum + width + 3, -3) <= WIDEST
}

export function drawTable(table: Table): string {
  const cells = cellsOf(table)
  const widths = widthsOf(cells)
  return cells
    .map((row) =>
      row
        .map((cell, column) => padded(cell, widths[column] ?? 0, table.align?.[column] ?? null))
        .join(' | ')
        .trimEnd(),
    )
    .join('\n')
}

function cellsOf(table: Table): string[][] {
  return table.children.map((row) => row.children.map((cell) => plainText(cell).replace(/\s+/g, ' ').trim()))
}

function widthsOf(cells: readonly (readonly string[])[]): number[] {
  const widths: number[] = []
  for (const row of cells)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))
    })
  return widths
}

function padded(text: string, width: number, align: 'left' | 'right' | 'center' | null): string {
  const room = Math.max(0, width - widthOf(text))
  const left = align === 'right' ? room : align === 'center' ? room >> 1 : 0
  return ' '.repeat(left) + text + ' '.repeat(room - left)
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u
const NONE = /^[\p{Mn}\p{Me}\p{Cf}]$/u

/** Columns a text takes in a fixed-width font: Chinese characters and emoji take two. */
function widthOf(text: string): number {
  if (/^[\0-\x7f]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

function needsEntity(node: Nodes): boolean {
  if (node.type === 'link' || node.type === 'image' || node.type === 'mention') return true
  return 'children' in node && node.children.some(needsEntity)
}
