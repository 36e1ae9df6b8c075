/**
 * Tables. Slack takes one `table` block a message; so a table that is the only one of its document is that, and several
 * are drawn in code blocks, in columns, rather than torn apart into as many posts. What fits neither is lines of text.
 */
import { MOST_BLOCK_UNITS, TABLE } from './limits.js'
import { cellOf } from './write-blocks.js'
import { plainRun, type Run, rowRuns, type Unit } from './write-units.js'

type Table = Extract<Unit, { kind: 'table' }>

/** Wider columns are folded by clients, and nobody can read them. */
const WIDEST = 76

/** Each table in the form that it can be posted in. */
export function drawTables(units: readonly Unit[]): Unit[] {
  const alone = units.filter(({ kind }) => kind === 'table').length === 1
  return units.flatMap((unit) => {
    if (unit.kind !== 'table') return [unit]
    if ((unit.rows[0]?.length ?? 0) === 0) return []
    if (alone && isBlock(unit)) return [unit]
    return inColumns(unit) ?? tableLines(unit)
  })
}

/** https://docs.slack.dev/reference/block-kit/blocks/table-block */
function isBlock({ rows }: Table): boolean {
  if (rows.length > TABLE.rows || (rows[0]?.length ?? 0) > TABLE.columns) return false
  let units = 0
  for (const row of rows) for (const cell of row) for (const { shown } of cell) units += shown.length
  return units <= TABLE.units && rows.reduce((sum, row) => sum + rowCost(row), 0) < MOST_BLOCK_UNITS * 0.8
}

export const rowCost = (row: readonly Run[][]): number =>
  row.reduce((sum, cell) => sum + JSON.stringify(cellOf(cell)).length + 1, 3)

/** Rows as lines of text, the first one bold as it is. */
export function tableLines({ rows }: Table): Unit[] {
  return rows.map((row, index) => {
    const runs = rowRuns(row)
    return { kind: 'para', runs: runs.length === 0 ? [plainRun(' ')] : runs, heading: false, line: index > 0 }
  })
}

/** Undefined where a cell is more than text: in code no link can be followed and nobody is paged. */
function inColumns({ rows, align }: Table): Unit[] | undefined {
  if (rows.some((row) => row.some((cell) => cell.some(({ leaf }) => leaf.type !== 'text')))) return undefined
  const cells = rows.map((row) =>
    row.map((cell) =>
      cell
        .map(({ shown }) => shown)
        .join('')
        .replace(/\s+/g, ' ')
        .trim(),
    ),
  )
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => columnsOf(row[column] ?? ''))),
  )
  if (widths.reduce((sum, width) => sum + width + 3, -3) > WIDEST) return undefined
  const lines = cells.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0, align[column] ?? 'left'))
      .join(' | ')
      .trimEnd(),
  )
  return [{ kind: 'code', text: lines.join('\n'), quoted: false }]
}

function padded(cell: string, width: number, align: 'left' | 'center' | 'right'): string {
  const free = width - columnsOf(cell)
  const before = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0
  return ' '.repeat(before) + cell + ' '.repeat(free - before)
}

/** Chinese, Japanese, Korean and emoji are two columns wide. */
function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let columns = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (/\p{M}/u.test(character) || code === 0x200d || code === 0xfe0f) continue
    columns += code >= 0x1100 && WIDE.test(character) ? 2 : 1
  }
  return columns
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\p{Emoji_Presentation}]/u
