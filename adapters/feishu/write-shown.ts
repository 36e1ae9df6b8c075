/** What a person sees of units, as plain text. */
import { type Run, rowRuns, type Unit } from './write-units.js'

const textOf = (runs: readonly Run[]): string => runs.map(({ shown }) => shown).join('')

/** One unit, without the space around it. */
export function shownUnit(unit: Unit): string {
  switch (unit.kind) {
    case 'para':
      return textOf(unit.runs)
    case 'quote':
      return textOf(unit.runs).replace(/^/gm, '> ')
    case 'item': {
      const mark = unit.number === undefined ? '• ' : `${unit.number}. `
      return '  '.repeat(unit.level) + mark + textOf(unit.runs)
    }
    case 'code':
      return unit.text
    case 'rule':
      return '———'
    case 'table':
      return unit.rows.map((row) => textOf(rowRuns(row))).join('\n')
  }
}

/** What stands between two units. */
export function gap(before: Unit | undefined, after: Unit): string {
  if (before === undefined) return ''
  const close =
    (before.kind === 'item' && after.kind === 'item') || (after.kind === 'para' && after.line === true)
  return close ? '\n' : '\n\n'
}

export function shownText(units: readonly Unit[]): string {
  let text = ''
  let before: Unit | undefined
  for (const unit of units) {
    text += gap(before, unit) + shownUnit(unit)
    before = unit
  }
  return text.replace(/^\n+|\s+$/g, '')
}
