/** A document as a flat row of units, each small enough to think about: what a person reads as one block. */
import type { BlockContent, DefinitionContent, Nodes, PhrasingContent, Table } from 'mdast'
import type { Doc, Mention } from '../../src/messaging/contract.js'
import { wellFormed } from './write-escape.js'

export interface Style {
  bold?: boolean
  italic?: boolean
  strike?: boolean
}

/** A stretch of a line and the text a person sees of it. All but `text` stay whole. */
export type Run = { shown: string } & (
  | { kind: 'text'; style?: Style }
  | { kind: 'code' }
  | { kind: 'link'; url: string; style?: Style }
  | { kind: 'at'; id: string }
)

export type Align = 'left' | 'center' | 'right' | null

export type Unit =
  /** `heading`: its depth. `line`: it stands directly below the paragraph before it. */
  | { kind: 'para'; runs: Run[]; heading?: number; line?: boolean }
  | { kind: 'quote'; runs: Run[] }
  | { kind: 'item'; runs: Run[]; level: number; number?: number }
  | { kind: 'code'; text: string; lang: string | null }
  | { kind: 'rule' }
  | { kind: 'table'; rows: Run[][][]; align: readonly Align[] }

/** Deeper lists are drawn at this depth: a narrow screen shows no more. */
const DEEPEST = 8

export function unitsOf(doc: Doc): Unit[] {
  const units: Unit[] = []
  for (const node of doc.children) addBlock(node as BlockContent, { level: 0, quoted: false }, units)
  return units
}

/** Ids of the people that these units ping, each once. */
export function mentionsIn(units: readonly Unit[]): string[] {
  const found = new Set<string>()
  const look = (runs: readonly Run[]): void => {
    for (const run of runs) if (run.kind === 'at') found.add(run.id)
  }
  for (const unit of units) {
    if ('runs' in unit) look(unit.runs)
    else if (unit.kind === 'table') for (const row of unit.rows) for (const cell of row) look(cell)
  }
  return [...found]
}

interface Where {
  level: number
  quoted: boolean
}

function addBlock(node: Nodes, where: Where, units: Unit[]): void {
  switch (node.type) {
    case 'paragraph':
      addText(runsOf(node.children, {}), where, units)
      break
    case 'heading':
      addText(runsOf(node.children, { bold: true }), where, units, node.depth)
      break
    case 'code':
      // Code has to begin a line, which inside a quote or an item it does not.
      if (node.value.trim() !== '') units.push({ kind: 'code', text: node.value, lang: node.lang ?? null })
      break
    case 'blockquote':
      for (const child of node.children) addBlock(child, { ...where, quoted: true }, units)
      break
    case 'list': {
      let number = node.start ?? 1
      for (const item of node.children) {
        const box = item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : ''
        addItem(item.children, box, where, node.ordered === true ? number : undefined, units)
        number++
      }
      break
    }
    case 'table':
      addTable(node, where, units)
      break
    case 'thematicBreak':
      if (where.quoted) addText([plainRun('———')], where, units)
      else units.push({ kind: 'rule' })
      break
    case 'html':
      addText([plainRun(node.value)], where, units)
      break
    case 'footnoteDefinition':
      addText([plainRun(`[${node.identifier}]`)], where, units)
      for (const child of node.children) addBlock(child, where, units)
      break
    case 'definition':
    case 'yaml':
      break
    default:
      // Text that stands at the top without a paragraph around it.
      addText(runsOf([node as PhrasingContent], {}), where, units)
  }
}

function addText(written: Run[], { quoted }: Where, units: Unit[], heading?: number): void {
  const runs = trimmedRuns(trimmedRuns(written, 'start'), 'end')
  if (runs.length === 0) return
  if (quoted) addQuoted(runs, '\n\n', units)
  else units.push(heading === undefined ? { kind: 'para', runs } : { kind: 'para', runs, heading })
}

function addQuoted(runs: readonly Run[], gap: string, units: Unit[]): void {
  const last = units.at(-1)
  if (last?.kind === 'quote') last.runs = joinRuns([...last.runs, plainRun(gap), ...runs])
  else units.push({ kind: 'quote', runs: [...runs] })
}

function addItem(
  children: readonly (BlockContent | DefinitionContent)[],
  box: string,
  { level, quoted }: Where,
  number: number | undefined,
  units: Unit[],
): void {
  const runs: Run[] = box === '' ? [] : [plainRun(box)]
  let at = 0
  for (; children[at]?.type === 'paragraph'; at++) {
    const child = children[at]
    if (at > 0) runs.push(plainRun('\n'))
    if (child?.type === 'paragraph') runs.push(...runsOf(child.children, {}))
  }
  if (quoted) {
    const mark = number === undefined ? '• ' : `${number}. `
    addQuoted([plainRun('  '.repeat(level) + mark), ...runs], '\n', units)
  } else {
    const item = { kind: 'item' as const, runs: joinRuns(runs), level: Math.min(level, DEEPEST) }
    units.push(number === undefined ? item : { ...item, number })
  }
  for (const child of children.slice(at)) addBlock(child, { level: level + 1, quoted }, units)
}

function addTable(node: Table, where: Where, units: Unit[]): void {
  const width = node.children[0]?.children.length ?? 0
  if (width === 0) return
  const rows = node.children.map((row) => {
    const cells = row.children.slice(0, width).map((cell) => runsOf(cell.children, {}))
    while (cells.length < width) cells.push([])
    return cells
  })
  if (where.quoted) for (const row of rows) addQuoted(rowRuns(row), '\n', units)
  else units.push({ kind: 'table', rows, align: node.align ?? [] })
}

/** A table row as a line of text. */
export function rowRuns(row: readonly Run[][]): Run[] {
  return joinRuns(row.flatMap((cell, index) => (index === 0 ? cell : [plainRun(' | '), ...cell])))
}

export function plainRun(shown: string, style: Style = {}): Run {
  const text = wellFormed(shown)
  return isPlain(style) ? { kind: 'text', shown: text } : { kind: 'text', shown: text, style }
}

const isPlain = (style: Style): boolean => !style.bold && !style.italic && !style.strike

function runsOf(nodes: readonly PhrasingContent[], style: Style): Run[] {
  const runs: Run[] = []
  for (const node of nodes) addRuns(node, style, runs)
  return joinRuns(runs)
}

function addRuns(node: PhrasingContent, style: Style, runs: Run[]): void {
  const inside = (children: readonly PhrasingContent[], more: Style): void => {
    for (const child of children) addRuns(child, { ...style, ...more }, runs)
  }
  switch (node.type) {
    case 'text':
    case 'html':
      runs.push(plainRun(node.value, style))
      break
    case 'inlineCode':
      if (node.value.trim() !== '') runs.push({ kind: 'code', shown: wellFormed(node.value) })
      break
    case 'break':
      runs.push(plainRun('\n'))
      break
    case 'strong':
      inside(node.children, { bold: true })
      break
    case 'emphasis':
      inside(node.children, { italic: true })
      break
    case 'delete':
      inside(node.children, { strike: true })
      break
    case 'mention':
      runs.push(mentionRun(node, style))
      break
    case 'link': {
      const shown = runsOf(node.children, {})
        .map((run) => run.shown)
        .join('')
      runs.push(...addressRuns(node.url, shown.trim() === '' ? node.url : shown, style))
      break
    }
    case 'image':
      runs.push(...addressRuns(node.url, node.alt || node.url, style))
      break
    case 'imageReference':
      runs.push(plainRun(node.alt ?? '', style))
      break
    case 'footnoteReference':
      runs.push(plainRun(`[${node.identifier}]`, style))
      break
    case 'linkReference':
      inside(node.children, {})
  }
}

/** Only a person whose id is known is paged; "everyone" never is, whatever the text says. */
function mentionRun({ target, id, name }: Mention, style: Style): Run {
  const shown = `@${name.replace(/\s+/g, ' ')}`
  // `all` would page everybody.
  if (target !== 'user' || id === undefined || id === 'all' || !/^[A-Za-z0-9_-]{1,64}$/.test(id))
    return plainRun(shown, style)
  return { kind: 'at', id, shown: wellFormed(shown) }
}

/** "Only HTTP and HTTPS are supported": what is no such address stays text with its address behind it. */
const ADDRESS = /^https?:\/\/[^\s/]\S*$/i
const MOST_ADDRESS = 3_000

function addressRuns(url: string, shown: string, style: Style): Run[] {
  if (ADDRESS.test(url) && url.length <= MOST_ADDRESS) {
    const link = { kind: 'link' as const, url, shown: wellFormed(shown).replace(/\s+/g, ' ') }
    return [isPlain(style) ? link : { ...link, style }]
  }
  const address = url.replace(/^(?:mailto|tel):/i, '')
  const same = address === shown || url === shown || address === ''
  return [plainRun(same ? shown : `${shown} (${address})`, style)]
}

const styleKey = ({ bold, italic, strike }: Style = {}): number =>
  (bold ? 1 : 0) + (italic ? 2 : 0) + (strike ? 4 : 0)

/** Joins neighbours of one style, drops empty ones. */
export function joinRuns(runs: readonly Run[]): Run[] {
  const joined: Run[] = []
  for (const run of runs) {
    if (run.shown === '') continue
    const last = joined.at(-1)
    if (last?.kind === 'text' && run.kind === 'text' && styleKey(last.style) === styleKey(run.style)) {
      joined[joined.length - 1] = { ...last, shown: last.shown + run.shown }
    } else joined.push(run)
  }
  return joined
}

/** Without blanks at an end; nothing where there are only blanks. */
export function trimmedRuns(runs: readonly Run[], end: 'start' | 'end'): Run[] {
  const kept = joinRuns(runs)
  for (;;) {
    const at = end === 'start' ? 0 : kept.length - 1
    const run = kept[at]
    if (run?.kind !== 'text') return kept
    const shown = end === 'start' ? run.shown.trimStart() : run.shown.trimEnd()
    if (shown !== '') {
      kept[at] = { ...run, shown }
      return kept
    }
    kept.splice(at, 1)
  }
}
