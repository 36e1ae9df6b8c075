/** What a person sees of units, as plain text, and how long that is. */
import { MOST_FALLBACK_BYTES } from './limits.js'
import { escapeText } from './rich.js'
import { type Run, rowRuns, type Unit } from './write-units.js'

const textOf = (runs: readonly Run[]): string => runs.map(({ shown }) => shown).join('')
const quoted = (text: string): string => text.replace(/^/gm, '> ')

/** One unit, without the space around it. */
export function shownUnit(unit: Unit): string {
  switch (unit.kind) {
    case 'para':
      return textOf(unit.runs)
    case 'quote':
      return quoted(textOf(unit.runs))
    case 'item': {
      const mark = unit.ordered ? `${unit.number}. ` : '• '
      const line = '  '.repeat(unit.level) + mark + textOf(unit.runs)
      return unit.quoted ? quoted(line) : line
    }
    case 'code':
      return unit.quoted ? quoted(unit.text) : unit.text
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

/**
 * For notifications, never longer than Slack takes. Everything in it is literal: it pages nobody.
 */
export function fallbackText(text: string): string {
  const escaped = escapeText(text)
  if (escaped.length * 3 <= MOST_FALLBACK_BYTES || Buffer.byteLength(escaped) <= MOST_FALLBACK_BYTES)
    return escaped
  let end = Math.min(text.length, MOST_FALLBACK_BYTES)
  while (Buffer.byteLength(escapeText(text.slice(0, end))) > MOST_FALLBACK_BYTES - 4)
    end = Math.floor(end * 0.8)
  if (/[\ud800-\udbff]$/.test(text.slice(0, end))) end--
  return `${escapeText(text.slice(0, end))}…`
}
