/**
 * Builds a document and its source together: Slack delivers a tree, agents read text. The source is Markdown that
 * says what the tree says, each node knows its place in it, and nothing is parsed.
 */
import type { BlockContent, List, ListItem, PhrasingContent } from 'mdast'
import type { Doc, Mention } from '../../src/messaging/contract.js'
import type { Style } from './rich.js'

/** What stands within a line, names resolved. */
export type Piece =
  | { kind: 'text'; text: string; style?: Style }
  | { kind: 'mention'; mention: Omit<Mention, 'type' | 'position'> }
  | { kind: 'link'; url: string; label?: string }

type Position = NonNullable<BlockContent['position']>

interface Point {
  line: number
  column: number
  offset: number
}

export class DocBuilder {
  readonly #children: BlockContent[] = []
  #source = ''
  #line = 1
  #lineStart = 0
  /** What a line inside the current block begins with. */
  #prefix = ''
  /** The list being written, by depth, with its item last added. */
  #lists: { list: List; item: ListItem }[] = []

  /** Paragraphs: blank lines in the text separate them. */
  section(pieces: readonly Piece[]): void {
    for (const paragraph of paragraphs(pieces)) {
      this.#begin()
      this.#children.push(this.#paragraph(paragraph))
    }
  }

  quote(pieces: readonly Piece[]): void {
    const parts = paragraphs(pieces)
    if (parts.length === 0) return
    this.#begin()
    const start = this.#point()
    this.#prefix = '> '
    this.#write('> ')
    const children: BlockContent[] = []
    parts.forEach((part, index) => {
      if (index > 0) this.#write('\n\n')
      children.push(this.#paragraph(part))
    })
    this.#prefix = ''
    this.#children.push({ type: 'blockquote', children, position: this.#since(start) })
  }

  code(text: string, lang: string | null = null): void {
    this.#begin()
    const start = this.#point()
    const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
    const fence = '`'.repeat(longest + 1)
    this.#write(`${fence}${lang ?? ''}\n${text}\n${fence}`)
    this.#children.push({ type: 'code', lang, meta: null, value: text, position: this.#since(start) })
  }

  /** @param number of an ordered item; null for a bullet */
  item(pieces: readonly Piece[], depth: number, number: number | null): void {
    const level = Math.min(depth, this.#lists.length)
    const open = this.#lists[level]
    const ordered = number !== null
    if (level === 0 && open?.list.ordered !== ordered) this.#begin()
    else this.#write('\n')
    const start = this.#point()
    this.#write(`${'  '.repeat(depth)}${ordered ? `${number}.` : '-'} `)
    this.#prefix = '  '.repeat(depth + 1)
    const paragraph = this.#paragraph(pieces)
    this.#prefix = ''
    const item: ListItem = {
      type: 'listItem',
      spread: false,
      checked: null,
      children: [paragraph],
      position: this.#since(start),
    }
    this.#lists.length = Math.min(this.#lists.length, level + 1)
    if (open !== undefined && open.list.ordered === ordered && this.#lists[level] === open) {
      open.list.children.push(item)
      open.item = item
      return
    }
    const list: List = {
      type: 'list',
      ordered,
      start: number,
      spread: false,
      children: [item],
      position: this.#since(start),
    }
    this.#lists.length = level
    const parent = this.#lists[level - 1]
    if (parent === undefined) this.#children.push(list)
    else parent.item.children.push(list)
    this.#lists.push({ list, item })
  }

  done(): Doc {
    const end = this.#point()
    return {
      type: 'root',
      children: this.#children,
      source: this.#source,
      position: { start: { line: 1, column: 1, offset: 0 }, end },
    }
  }

  #begin(): void {
    this.#lists = []
    if (this.#source !== '') this.#write('\n\n')
  }

  #paragraph(pieces: readonly Piece[]): BlockContent {
    const start = this.#point()
    const children = pieces.map((piece) => this.#piece(piece))
    return { type: 'paragraph', children, position: this.#since(start) }
  }

  #piece(piece: Piece): PhrasingContent {
    const start = this.#point()
    switch (piece.kind) {
      case 'text':
        return this.#styled(piece.text, piece.style ?? {})
      case 'mention':
        this.#write(`@${piece.mention.name}`)
        return { type: 'mention', ...piece.mention, position: this.#since(start) } as Mention
      case 'link': {
        const { url, label } = piece
        const bare =
          label === undefined || label === url || `mailto:${label}` === url || `tel:${label}` === url
        if (!bare) this.#write('[')
        const child = this.#text(label ?? url)
        if (!bare) this.#write(`](${url})`)
        return { type: 'link', url, title: null, children: [child], position: this.#since(start) }
      }
    }
  }

  #styled(text: string, style: Style): PhrasingContent {
    const start = this.#point()
    if (style.code === true) {
      const mark = text.includes('`') ? '``' : '`'
      this.#write(mark + text + mark)
      return { type: 'inlineCode', value: text, position: this.#since(start) }
    }
    const { bold, italic, strike } = style
    const [type, mark, rest]: ['strong' | 'emphasis' | 'delete' | null, string, Style] =
      bold === true
        ? ['strong', '**', { ...style, bold: false }]
        : italic === true
          ? ['emphasis', '_', { ...style, italic: false }]
          : strike === true
            ? ['delete', '~~', { ...style, strike: false }]
            : [null, '', style]
    if (type === null) return this.#text(text)
    this.#write(mark)
    const child = this.#styled(text, rest)
    this.#write(mark)
    return { type, children: [child], position: this.#since(start) }
  }

  #text(value: string): PhrasingContent {
    const start = this.#point()
    this.#write(value)
    return { type: 'text', value, position: this.#since(start) }
  }

  #write(text: string): void {
    const written = this.#prefix === '' ? text : text.replaceAll('\n', `\n${this.#prefix}`)
    for (let at = written.indexOf('\n'); at >= 0; at = written.indexOf('\n', at + 1)) {
      this.#line++
      this.#lineStart = this.#source.length + at + 1
    }
    this.#source += written
  }

  #point(): Point {
    const offset = this.#source.length
    return { line: this.#line, column: offset - this.#lineStart + 1, offset }
  }

  #since(start: Point): Position {
    return { start, end: this.#point() }
  }
}

/** Pieces between blank lines, without the line breaks around them. */
function paragraphs(pieces: readonly Piece[]): Piece[][] {
  const found: Piece[][] = [[]]
  for (const piece of pieces) {
    if (piece.kind !== 'text' || piece.style?.code === true || !piece.text.includes('\n')) {
      found.at(-1)?.push(piece)
      continue
    }
    piece.text.split(/\n{2,}/).forEach((part, index) => {
      if (index > 0) found.push([])
      if (part !== '') found.at(-1)?.push({ ...piece, text: part })
    })
  }
  return found.map(trimmed).filter((paragraph) => paragraph.length > 0)
}

function trimmed(pieces: readonly Piece[]): Piece[] {
  const kept = [...pieces]
  const first = kept[0]
  if (first?.kind === 'text' && first.style?.code !== true) {
    const text = first.text.replace(/^\n+/, '')
    if (text === '') kept.shift()
    else kept[0] = { ...first, text }
  }
  const last = kept.at(-1)
  if (last?.kind === 'text' && last.style?.code !== true) {
    const text = last.text.replace(/\n+$/, '')
    if (text === '') kept.pop()
    else kept[kept.length - 1] = { ...last, text }
  }
  return kept
}
