/** Units -> Block Kit, in order. */
import { TABLE } from './limits.js'
import type { Block, Leaf, RichElement, RichText, TableCell } from './rich.js'
import { joinRuns, plainRun, type Run, sameText, type Unit } from './write-units.js'

export function blocksOf(units: readonly Unit[]): Block[] {
  const blocks: Block[] = []
  let rich: RichElement[] = []
  const flush = (): void => {
    if (rich.length > 0) blocks.push({ type: 'rich_text', elements: rich })
    rich = []
  }
  units.forEach((unit, index) => {
    if (unit.kind === 'rule') {
      flush()
      blocks.push({ type: 'divider' })
    } else if (unit.kind === 'table') {
      flush()
      blocks.push(tableOf(unit))
    } else addRich(unit, units[index - 1], units[index + 1], rich)
  })
  flush()
  return blocks
}

type RichUnit = Exclude<Unit, { kind: 'rule' | 'table' }>

function addRich(
  unit: RichUnit,
  before: Unit | undefined,
  after: Unit | undefined,
  rich: RichElement[],
): void {
  const last = rich.at(-1)
  switch (unit.kind) {
    case 'para': {
      // Sections stand close to each other: paragraphs are one section with a blank line between them, as clients write.
      if (last?.type === 'rich_text_section' && before?.kind === 'para') {
        appendText(last.elements, before.heading || unit.line === true ? '\n' : '\n\n')
        for (const { leaf } of unit.runs) append(last.elements, leaf)
      } else {
        const section: RichElement = { type: 'rich_text_section', elements: [] }
        if (last?.type === 'rich_text_list') appendText(section.elements, '\n')
        for (const { leaf } of unit.runs) append(section.elements, leaf)
        rich.push(section)
      }
      const section = rich.at(-1)
      const goesOn =
        after !== undefined && after.kind !== 'para' && after.kind !== 'rule' && after.kind !== 'table'
      if (goesOn && section?.type === 'rich_text_section') appendText(section.elements, '\n')
      break
    }
    case 'quote':
      rich.push({ type: 'rich_text_quote', elements: unit.runs.map(({ leaf }) => leaf) })
      break
    case 'code':
      rich.push({
        type: 'rich_text_preformatted',
        elements: [{ type: 'text', text: unit.text }],
        ...(unit.quoted && { border: 1 }),
      })
      break
    case 'item':
      addItem(unit, before, last, rich)
  }
}

function addItem(
  unit: Extract<Unit, { kind: 'item' }>,
  before: Unit | undefined,
  last: RichElement | undefined,
  rich: RichElement[],
): void {
  const section = { type: 'rich_text_section' as const, elements: unit.runs.map(({ leaf }) => leaf) }
  const style = unit.ordered ? 'ordered' : 'bullet'
  const goesOn =
    last?.type === 'rich_text_list' &&
    before?.kind === 'item' &&
    before.level === unit.level &&
    before.ordered === unit.ordered &&
    before.quoted === unit.quoted &&
    (!unit.ordered || unit.number === before.number + 1)
  if (goesOn) last.elements.push(section)
  else {
    rich.push({
      type: 'rich_text_list',
      style,
      indent: unit.level,
      ...(unit.ordered && unit.number > 1 && { offset: unit.number - 1 }),
      ...(unit.quoted && { border: 1 }),
      elements: [section],
    })
  }
}

function append(elements: Leaf[], leaf: Leaf): void {
  const last = elements.at(-1)
  if (last?.type === 'text' && leaf.type === 'text' && sameText(last, leaf)) {
    elements[elements.length - 1] = { ...last, text: last.text + leaf.text }
  } else elements.push(leaf)
}

/** White space has no style: it joins whatever text stands before it. */
function appendText(elements: Leaf[], text: string): void {
  const last = elements.at(-1)
  if (last?.type === 'text' && last.style?.code !== true) {
    elements[elements.length - 1] = { ...last, text: last.text + text }
  } else elements.push({ type: 'text', text })
}

function tableOf(unit: Extract<Unit, { kind: 'table' }>): Block {
  const settings = unit.align.slice(0, TABLE.columns).map((align) => ({ align }))
  return {
    type: 'table',
    rows: unit.rows.map((row) => row.map(cellOf)),
    ...(settings.some(({ align }) => align !== 'left') && { column_settings: settings }),
  }
}

export function cellOf(runs: readonly Run[]): TableCell {
  const joined = joinRuns(runs)
  const [only] = joined
  // An empty cell is refused.
  if (only === undefined) return { type: 'raw_text', text: ' ' }
  if (joined.length === 1 && only.leaf.type === 'text' && only.leaf.style === undefined)
    return { type: 'raw_text', text: only.shown }
  return richOf(joined)
}

function richOf(runs: readonly Run[]): RichText {
  const elements = runs.length === 0 ? [plainRun(' ').leaf] : runs.map(({ leaf }) => leaf)
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }
}
