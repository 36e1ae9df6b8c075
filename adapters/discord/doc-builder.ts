/**
 * Builds a document and its source together. Discord delivers Markdown of its own; what is code, a quote, a link or a
 * mention becomes a node, emphasis stays as it was written.
 */
import type { BlockContent, PhrasingContent } from 'mdast'
import type { Doc, Mention } from '../../src/messaging/contract.js'

/** What stands within a line, names resolved. */
export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'mention'; mention: Omit<Mention, 'type' | 'position'> }
  | { kind: 'link'; url: string; label?: string }

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
    const children = parts.map((part, index) => {
      if (index > 0) this.#write('\n\n')
      return this.#paragraph(part)
    })
    this.#prefix = ''
    this.#children.push({ type: 'blockquote', children, position: this.#since(start) })
  }

  code(text: string, lang: string | null): void {
    this.#begin()
    const start = this.#point()
    const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
    const fence = '`'.repeat(longest + 1)
    this.#write(`${fence}${lang ?? ''}\n${text}\n${fence}`)
    this.#children.push({ type: 'code', lang, meta: null, value: text, position: this.#since(start) })
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
    if (this.#source !== '') this.#write('\n\n')
  }

  #paragraph(pieces: readonly Piece[]): BlockContent & { type: 'paragraph' } {
    const start = this.#point()
    const children = pieces.map((piece) => this.#piece(piece))
    return { type: 'paragraph', children, position: this.#since(start) }
  }

  #piece(piece: Piece): PhrasingContent {
    const start = this.#point()
    switch (piece.kind) {
      case 'text':
        return this.#text(piece.text)
      case 'code': {
        const mark = piece.text.includes('`') ? '``' : '`'
        const pad = /^`|`$/.test(piece.text) ? ' ' : ''
        this.#write(mark + pad + piece.text + pad + mark)
        return { type: 'inlineCode', value: piece.text, position: this.#since(start) }
      }
      case 'mention':
        this.#write(`@${piece.mention.name}`)
        return { type: 'mention', ...piece.mention, position: this.#since(start) } as Mention
      case 'link': {
        const { url, label } = piece
        const isBare = label === undefined || label === url
        if (!isBare) this.#write('[')
        const child = this.#text(label ?? url)
        if (!isBare) this.#write(`](${url})`)
        return { type: 'link', url, title: null, children: [child], position: this.#since(start) }
      }
    }
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

  #since(start: Point): { start: Point; end: Point } {
    return { start, end: this.#point() }
  }
}

/** Pieces between blank lines, without the line breaks around them. */
function paragraphs(pieces: readonly Piece[]): Piece[][] {
  const found: Piece[][] = [[]]
  for (const piece of pieces) {
    if (piece.kind !== 'text') {
      found.at(-1)?.push(piece)
      continue
    }
    piece.text.split(/\n{2,}/).forEach((text, index) => {
      if (index > 0) found.push([])
      if (text !== '') found.at(-1)?.push({ kind: 'text', text })
    })
  }
  return found.map(trimmed).filter((paragraph) => paragraph.length > 0)
}

function trimmed(pieces: readonly Piece[]): Piece[] {
  const kept = [...pieces]
  const [first] = kept
  if (first?.kind === 'text') kept.splice(0, 1, ...textOf(first.text.replace(/^\n+/, '')))
  const last = kept.at(-1)
  if (last?.kind === 'text') kept.splice(-1, 1, ...textOf(last.text.trimEnd()))
  return kept
}

const textOf = (text: string): Piece[] => (text === '' ? [] : [{ kind: 'text', text }])
