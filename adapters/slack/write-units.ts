/** A document as a flat row of units, each small enough to think about: what a person reads as one block. */
import type { BlockContent, DefinitionContent, Nodes, PhrasingContent, Table } from 'mdast'
import type { Doc, Mention } from '../../src/messaging/contract.js'
import type { Leaf, Style } from './rich.js'

/** A leaf and the text a person sees of it. */
export interface Run {
  leaf: Leaf
  shown: string
}

export type Unit =
  /** `line`: it stands directly below the paragraph before it. */
  | { kind: 'para'; runs: Run[]; heading: boolean; line?: boolean }
  | { kind: 'quote'; runs: Run[] }
  | { kind: 'item'; runs: Run[]; level: number; ordered: boolean; number: number; quoted: boolean }
  | { kind: 'code'; text: string; quoted: boolean }
  | { kind: 'rule' }
  | { kind: 'table'; rows: Run[][][]; align: readonly ('left' | 'center' | 'right')[] }

/** Slack draws no deeper list. */
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
    for (const { leaf } of runs) if (leaf.type === 'user') found.add(leaf.user_id)
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
      addText(runsOf(node.children, {}), false, where, units)
      break
    case 'heading':
      addText(runsOf(node.children, { bold: true }), true, where, units)
      break
    case 'code':
      if (node.value !== '') units.push({ kind: 'code', text: node.value, quoted: where.quoted })
      break
    case 'blockquote':
      for (const child of node.children) addBlock(child, { ...where, quoted: true }, units)
      break
    case 'list': {
      let number = node.start ?? 1
      // Slack counts from 1: a list that does not bears its numbers as text.
      const counts = node.ordered === true && number >= 1
      for (const item of node.children) {
        const box = item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : ''
        const lead = node.ordered === true && !counts ? `${number}. ${box}` : box
        addItem(item.children, lead, { ...where, ordered: counts, number }, units)
        number++
      }
      break
    }
    case 'table':
      addTable(node, where, units)
      break
    case 'thematicBreak':
      if (where.quoted) addText([plainRun('———')], false, where, units)
      else units.push({ kind: 'rule' })
      break
    case 'html':
      addText([plainRun(node.value)], false, where, units)
      break
    case 'footnoteDefinition':
      addText([plainRun(`[${node.identifier}]`)], false, where, units)
      for (const child of node.children) addBlock(child, where, units)
      break
    case 'definition':
    case 'yaml':
      break
    default:
      // Text that stands at the top without a paragraph around it.
      addText(runsOf([node as PhrasingContent], {}), false, where, units)
  }
}

function addText(runs: Run[], heading: boolean, { quoted }: Where, units: Unit[]): void {
  if (runs.every(({ shown }) => shown.trim() === '') && runs.every(({ leaf }) => leaf.type === 'text')) return
  const last = units.at(-1)
  if (!quoted) units.push({ kind: 'para', runs, heading })
  else if (last?.kind === 'quote') last.runs = joinRuns([...last.runs, plainRun('\n\n'), ...runs])
  else units.push({ kind: 'quote', runs })
}

function addItem(
  children: readonly (BlockContent | DefinitionContent)[],
  box: string,
  where: Where & { ordered: boolean; number: number },
  units: Unit[],
): void {
  const { level, quoted, ordered, number } = where
  const runs: Run[] = box === '' ? [] : [plainRun(box)]
  let at = 0
  for (; children[at]?.type === 'paragraph'; at++) {
    const child = children[at]
    if (at > 0) runs.push(plainRun('\n'))
    if (child?.type === 'paragraph') runs.push(...runsOf(child.children, {}))
  }
  // Slack refuses an empty element.
  if (runs.length === 0) runs.push(plainRun(' '))
  units.push({
    kind: 'item',
    runs: joinRuns(runs),
    level: Math.min(level, DEEPEST),
    ordered,
    number,
    quoted,
  })
  for (const child of children.slice(at)) addBlock(child, { level: level + 1, quoted }, units)
}

function addTable(node: Table, where: Where, units: Unit[]): void {
  const width = node.children[0]?.children.length ?? 0
  const rows = node.children.map((row, index) => {
    const style: Style = index === 0 ? { bold: true } : {}
    const cells = row.children.map((cell) => runsOf(cell.children, style))
    while (cells.length < width) cells.push([])
    return cells
  })
  if (where.quoted) for (const row of rows) addText(rowRuns(row), false, where, units)
  else {
    const align = (node.align ?? []).map((side) => side ?? 'left')
    units.push({ kind: 'table', rows, align })
  }
}

/** A table row as a line of text. */
export function rowRuns(row: readonly Run[][]): Run[] {
  return joinRuns(row.flatMap((cell, index) => (index === 0 ? cell : [plainRun(' | '), ...cell])))
}

export function plainRun(shown: string, style?: Style): Run {
  return style === undefined || Object.keys(style).length === 0
    ? { leaf: { type: 'text', text: shown }, shown }
    : { leaf: { type: 'text', text: shown, style }, shown }
}

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
      runs.push(plainRun(node.value, { ...style, code: true }))
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
    case 'link':
      runs.push(...linkRuns(node.url, node.children, style))
      break
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

/** Only a person whose id is known is paged; groups and "everyone" never are, whatever the text says. */
function mentionRun({ target, id, name }: Mention, style: Style): Run {
  const shown = `@${name.replace(/\s+/g, ' ')}`
  if (target !== 'user' || id === undefined || !/^[UW][A-Z0-9]{1,30}$/.test(id)) return plainRun(shown, style)
  const { code: _, ...styled } = style
  return Object.keys(styled).length === 0
    ? { leaf: { type: 'user', user_id: id }, shown }
    : { leaf: { type: 'user', user_id: id, style: styled }, shown }
}

function linkRuns(url: string, children: readonly PhrasingContent[], style: Style): Run[] {
  const label = runsOf(children, {})
  const shown = label.map((run) => run.shown).join('')
  // One element has one style: that of a label which is code, or bold, throughout.
  const [first] = label
  const only = label.length === 1 && first?.leaf.type === 'text' ? first.leaf.style : undefined
  return addressRuns(url, shown === '' ? url : shown, { ...style, ...only })
}

/** Schemes that Slack makes links of. What is none (`./notes.md`) stays text with its address behind it. */
const ADDRESS = /^(?:https?:\/\/[^\s/]|mailto:[^\s]|tel:[^\s]|slack:\/\/)[^\s]*$/i
const MOST_ADDRESS = 3_000

function addressRuns(url: string, shown: string, style: Style): Run[] {
  if (!ADDRESS.test(url) || url.length > MOST_ADDRESS) {
    return [plainRun(url === shown || url === '' ? shown : `${shown} (${url})`, style)]
  }
  const styled = Object.keys(style).length === 0 ? {} : { style }
  const leaf: Leaf =
    url === shown ? { type: 'link', url, ...styled } : { type: 'link', url, text: shown, ...styled }
  return [{ leaf, shown }]
}

const styleKey = (style: Style | undefined): string =>
  style === undefined
    ? ''
    : `${style.bold ? 'b' : ''}${style.italic ? 'i' : ''}${style.strike ? 's' : ''}${style.code ? 'c' : ''}`

/** Whether two leaves are one text to Slack. */
export function sameText(a: Leaf | undefined, b: Leaf): boolean {
  return a?.type === 'text' && b.type === 'text' && styleKey(a.style) === styleKey(b.style)
}

/** Joins neighbours of one style, drops empty ones. */
export function joinRuns(runs: readonly Run[]): Run[] {
  const joined: Run[] = []
  for (const run of runs) {
    if (run.shown === '') continue
    const last = joined.at(-1)
    if (last !== undefined && sameText(last.leaf, run.leaf) && last.leaf.type === 'text') {
      const shown = last.shown + run.shown
      joined[joined.length - 1] = { leaf: { ...last.leaf, text: shown }, shown }
    } else joined.push(run)
  }
  return joined
}
