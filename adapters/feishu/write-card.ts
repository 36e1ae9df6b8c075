/** Units -> the elements of a card, in order. */
import type { CardElement } from './card.js'
import { codeBlock } from './write-escape.js'
import { markdownOf, tableMarkdown } from './write-md.js'
import { gap } from './write-shown.js'
import type { Unit } from './write-units.js'

/**
 * Headings are bold lines in a larger letter. A card's Markdown has `#`, but in a size made for pages, and what does not
 * draw it (older clients, previews, notifications) shows the sign.
 */
const SIZES: Readonly<Record<number, string>> = { 1: 'heading-2', 2: 'heading-3', 3: 'heading-4' }

export function elementsOf(units: readonly Unit[]): CardElement[] {
  const elements: CardElement[] = []
  let content = ''
  let before: Unit | undefined
  let indents = new Indents()
  const flush = (): void => {
    if (content !== '') elements.push({ tag: 'markdown', content })
    content = ''
    before = undefined
  }
  for (const unit of units) {
    if (unit.kind !== 'item') indents = new Indents()
    if (standsAlone(unit)) {
      flush()
      elements.push(aloneElement(unit))
      continue
    }
    content += gap(before, unit)
    content += (unit.kind === 'item' ? indents.enter(unit) : '') + unitMarkdown(unit)
    before = unit
  }
  flush()
  return elements
}

/** Whether a unit is an element of its own, so that what stands around it are others. */
export function standsAlone(unit: Unit): boolean {
  return (
    unit.kind === 'rule' ||
    unit.kind === 'table' ||
    (unit.kind === 'para' && SIZES[unit.heading ?? 0] !== undefined)
  )
}

function aloneElement(unit: Unit): CardElement {
  if (unit.kind === 'rule') return { tag: 'hr' }
  const content = unitMarkdown(unit)
  const size = unit.kind === 'para' ? SIZES[unit.heading ?? 0] : undefined
  return size === undefined ? { tag: 'markdown', content } : { tag: 'markdown', content, text_size: size }
}

/** Bytes are counted of what is written, so that a unit is asked for more than once. */
const written = new WeakMap<Unit, string>()

/** One unit by itself. */
export function unitMarkdown(unit: Unit): string {
  const known = written.get(unit)
  if (known !== undefined) return known
  const markdown = writeUnit(unit)
  written.set(unit, markdown)
  return markdown
}

function writeUnit(unit: Unit): string {
  switch (unit.kind) {
    case 'para':
      return markdownOf(unit.runs, 'line')
    case 'quote':
      return markdownOf(unit.runs, 'quote')
    case 'item':
      // An item without text still has its mark.
      return markOf(unit) + (markdownOf(unit.runs, 'item') || '&nbsp;')
    case 'code':
      return codeBlock(unit.text, unit.lang)
    case 'table':
      return tableMarkdown(unit.rows, unit.align)
    case 'rule':
      return '---'
  }
}

type Item = Extract<Unit, { kind: 'item' }>

const markOf = ({ number }: Item): string => (number === undefined ? '- ' : `${number}. `)

/** "Four blanks are one level", and at least what the mark above takes. A list never begins indented: that is code. */
class Indents {
  /** By level of the items above: where their children stand. */
  readonly #open: { level: number; indent: number; inner: number }[] = []

  /** What stands in front of an item's mark. */
  enter(unit: Item): string {
    const { level } = unit
    while ((this.#open.at(-1)?.level ?? -1) >= level) this.#open.pop()
    const indent = this.#open.at(-1)?.inner ?? 0
    this.#open.push({ level, indent, inner: indent + Math.max(4, markOf(unit).length) })
    return ' '.repeat(indent)
  }
}
