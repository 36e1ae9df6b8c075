/** A document as a flat row of blocks: lines of text with what stands in front of them, and code. */
import type { BlockContent, DefinitionContent, List, Nodes, Table } from 'mdast'
import { type Doc, plainText } from '../../src/messaging/contract.js'
import { clean } from './write-escape.js'
import { type Line, plain, type Run } from './write-run.js'
import { linesOf } from './write-runs.js'
import { drawnTable, rowsOf } from './write-table.js'

export interface TextBlock {
  kind: 'text'
  lines: Line[]
  /** In front of the first line, as written and as seen; the other lines are indented by as much. */
  lead: string
  shownLead: string
  indent: string
  /** Discord has three levels; the deeper ones are bold. */
  heading: 0 | 1 | 2 | 3
  quote: number
  /** Which list it is an item of; its sublists have the same number. */
  list: number
  /** It stands directly below the block before it. */
  close: boolean
}

export interface CodeBlock {
  kind: 'code'
  lang: string
  text: string
  /** Lines of a table that are repeated wherever it goes on. */
  header: string
  quote: number
}

export type Block = TextBlock | CodeBlock

/** Discord nests lists 11 deep; deeper ones are hard to read long before. */
const DEEPEST = 8
/** Deeper trees are read as the text in them. */
const MOST_DEPTH = 100

export function blocksOf(doc: Doc): Block[] {
  const builder = new Builder()
  for (const node of doc.children)
    builder.block(node as BlockContent, { quote: 0, list: 0, indent: '', level: 0, depth: 0 })
  return builder.blocks
}

interface Where {
  /** Number of the quote; 0 outside. */
  quote: number
  list: number
  indent: string
  level: number
  depth: number
}

class Builder {
  readonly blocks: Block[] = []
  #count = 0
  /** Of the list that was last closed, so that two kinds in a row are not one. */
  #before: { indent: string; list: number; ordered: boolean } | null = null

  block(node: Nodes, where: Where): void {
    if (where.depth > MOST_DEPTH) {
      this.#text([[plain(plainText(node))]], where)
      return
    }
    const inside = { ...where, depth: where.depth + 1 }
    switch (node.type) {
      case 'paragraph':
        this.#text(linesOf(node.children), where)
        return
      case 'heading':
        this.#heading(linesOf(node.children, node.depth > 3 ? { bold: true } : {}), node.depth, where)
        return
      case 'code':
        this.#code(node.value, node.lang ?? '', '', where.quote)
        return
      case 'blockquote': {
        // Discord nests no quotes: the inner one is text of the outer one.
        const quote = where.quote === 0 ? ++this.#count : where.quote
        for (const child of node.children)
          this.block(child, { ...inside, quote, list: 0, indent: '', level: 0 })
        return
      }
      case 'list':
        this.#list(node, inside)
        return
      case 'table':
        this.#table(node, where)
        return
      case 'thematicBreak':
        this.#text([[plain('———')]], where)
        return
      case 'html':
        this.#text([[plain(node.value)]], where)
        return
      case 'footnoteDefinition':
        this.#text([[plain(`[${node.identifier}]`)]], where)
        for (const child of node.children) this.block(child, inside)
        return
      case 'definition':
      case 'yaml':
        return
      default:
        // Text that stands at the top without a paragraph around it.
        this.#text(linesOf([node as never]), where)
    }
  }

  #text(lines: Line[], where: Where, close = false): void {
    if (lines.every((line) => isBlank(line))) return
    this.blocks.push({
      kind: 'text',
      lines: lines.flatMap(splitLines),
      lead: '',
      shownLead: '',
      indent: '',
      heading: 0,
      quote: where.quote,
      list: 0,
      close,
    })
  }

  #heading(lines: Line[], depth: number, where: Where): void {
    // A heading is one line.
    const line = lines.flatMap((one, index) => (index === 0 ? one : [plain(' '), ...one]))
    const from = this.blocks.length
    this.#text([line], where)
    const made = this.blocks[from]
    if (made?.kind === 'text' && depth <= 3) made.heading = depth as 1 | 2 | 3
    else if (made?.kind === 'text') made.close = false
  }

  #code(value: string, lang: string, header: string, quote: number): void {
    const text = unfenced(clean(value)).replace(/^(?:[ \t]*\n)+|\s+$/g, '')
    if (text === '') return
    this.blocks.push({ kind: 'code', lang: langOf(lang), text, header: unfenced(header), quote })
  }

  #list(node: List, where: Where): void {
    const list = where.list === 0 ? ++this.#count : where.list
    const ordered = node.ordered === true
    const start = node.start ?? 1
    // Beside each other within an item, two lists would be one; and Discord counts from 1.
    const merges =
      this.#before?.list === list && this.#before.indent === where.indent && this.#before.ordered !== ordered
    const counts = ordered && start >= 1 && !merges
    node.children.forEach((item, index) => {
      const box = item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : ''
      const number = ordered ? `${start + index}. ` : ''
      const mark = counts ? number : '- '
      const runs: Run[] = [plain((counts ? '' : number) + box)]
      this.#item(item.children, mark, runs, { ...where, list })
    })
    this.#before = { indent: where.indent, list, ordered: counts }
  }

  #item(
    children: readonly (BlockContent | DefinitionContent)[],
    mark: string,
    front: Run[],
    where: Where,
  ): void {
    const lines: Line[] = [front]
    let at = 0
    for (; children[at]?.type === 'paragraph'; at++) {
      const child = children[at]
      if (child?.type !== 'paragraph') break
      const own = linesOf(child.children).flatMap(splitLines)
      if (at === 0) lines[0] = [...front, ...(own.shift() ?? [])]
      lines.push(...own)
    }
    const inner = where.indent + ' '.repeat(mark.length)
    this.blocks.push({
      kind: 'text',
      lines,
      lead: where.indent + mark,
      shownLead: where.indent + (mark === '- ' ? '• ' : mark),
      indent: inner,
      heading: 0,
      quote: where.quote,
      list: where.list,
      close: false,
    })
    const deeper = where.level < DEEPEST ? { indent: inner, level: where.level + 1 } : {}
    for (const child of children.slice(at)) this.block(child, { ...where, ...deeper })
  }

  #table(node: Table, where: Where): void {
    const drawn = drawnTable(node)
    if (drawn !== null) {
      this.#code(drawn.rows, '', drawn.header, where.quote)
      return
    }
    rowsOf(node).forEach((row, index) => {
      this.#text([row], where, index > 0)
    })
  }
}

const isBlank = (line: Line): boolean => line.every((run) => run.kind === 'text' && run.text.trim() === '')

/** Line breaks in text begin a line of their own. */
function splitLines(line: Line): Line[] {
  const lines: Line[] = [[]]
  for (const run of line) {
    if (run.kind !== 'text' || !run.text.includes('\n')) {
      lines.at(-1)?.push(run)
      continue
    }
    run.text.split('\n').forEach((text, index) => {
      if (index > 0) lines.push([])
      if (text !== '') lines.at(-1)?.push({ ...run, text })
    })
  }
  return lines
}

/** Three backticks end a code block wherever they stand: something invisible parts them. */
const unfenced = (text: string): string => text.replace(/``(?=`)/g, '``\u200b')

/** What Discord takes for a language; the rest of a fence's first line is shown as code by it. */
function langOf(lang: string): string {
  const known = { 'c#': 'cs', 'f#': 'fs' }[lang.toLowerCase()] ?? lang
  return /^[\w+.-]{1,30}$/.test(known) ? known : ''
}
