/**
 * Telegram's text and entities -> a tree, with its Markdown as `source`.
 *
 * Only what Telegram marked is markup: an asterisk that a person typed is an asterisk. Marks that Markdown lacks
 * (spoilers) stay in the text as people type them.
 */
import type { BlockContent, DefinitionContent, PhrasingContent } from 'mdast'
import type { Doc } from '../../src/messaging/contract.js'
import type { InEntity } from './entities.js'

/** Who a name in the text stands for, or null when it names nobody who is known. */
export type Naming = (entity: InEntity, written: string) => { id: string; name: string } | null

/** Text with its entities, in order. */
export interface Marked {
  text: string
  entities: readonly InEntity[]
}

const MARKS = { bold: '**', italic: '*', strikethrough: '~~' } as const
const NODES = { bold: 'strong', italic: 'emphasis', strikethrough: 'delete' } as const
const MOST_DEPTH = 20

/** Builds one document from a message and what belongs to it. */
export class DocBuilder {
  #source = ''
  readonly #children: (BlockContent | DefinitionContent)[] = []
  /** Line breaks that are written as soon as something follows. */
  #gap = 0
  #prefix = ''
  /** The quote that is being written has begun: its blank lines belong to it. */
  #inQuote = false

  constructor(private readonly naming: Naming) {}

  get isEmpty(): boolean {
    return this.#children.length === 0
  }

  doc(): Doc {
    const position = span(0, this.#source.length)
    return { type: 'root', children: this.#children, source: this.#source, position }
  }

  text(text: string, entities: readonly InEntity[] = []): void {
    this.#space(2)
    const named = entities.filter((entity) => this.#means(entity, text))
    this.#children.push(...this.#blocks({ text, entities: named }, 0, text.length))
  }

  /** The same as a block quote: somebody else's words. */
  quote(text: string, entities: readonly InEntity[] = []): void {
    this.#space(2)
    const inner = entities.filter(
      (entity) => this.#means(entity, text) && !entity.type.endsWith('blockquote'),
    )
    const node = this.#quoted({ text, entities: inner }, 0, text.length)
    if (node !== null) this.#children.push(node)
  }

  /** What is text and nothing more stays one run of it: a name may go on behind a mark that means nothing. */
  #means(entity: InEntity, text: string): boolean {
    if (entity.type === 'bot_command') return false
    if (entity.type !== 'mention' && entity.type !== 'text_mention') return true
    return this.naming(entity, text.slice(entity.start, entity.end)) !== null
  }

  #space(lines: number): void {
    if (this.#source !== '') this.#gap = Math.max(this.#gap, lines)
  }

  /** Writes to the source and returns where. */
  #emit(text: string): { start: number; end: number } {
    for (; this.#gap > 0; this.#gap--) this.#source += this.#inQuote && this.#gap > 1 ? '\n>' : '\n'
    if (this.#prefix !== '' && (this.#source === '' || this.#source.endsWith('\n'))) {
      this.#source += this.#prefix
      this.#inQuote = true
    }
    const start = this.#source.length
    this.#source += this.#prefix === '' ? text : text.replaceAll('\n', `\n${this.#prefix}`)
    return { start, end: this.#source.length }
  }

  #blocks(marked: Marked, from: number, to: number): BlockContent[] {
    const made: BlockContent[] = []
    let at = from
    for (const entity of marked.entities) {
      const quote = entity.type.endsWith('blockquote')
      if (entity.start < at || entity.end > to || (entity.type !== 'pre' && !quote)) continue
      // Telegram nests no quotes.
      if (quote && this.#prefix !== '') continue
      this.#paragraphs(marked, at, entity.start, made)
      this.#space(1)
      const { text } = marked
      const inner = quote
        ? this.#quoted(
            { text, entities: marked.entities.filter((other) => other !== entity) },
            entity.start,
            entity.end,
          )
        : this.#fence(text.slice(entity.start, entity.end), entity.language)
      if (inner !== null) made.push(inner)
      this.#space(quote ? 2 : 1)
      at = entity.end
    }
    this.#paragraphs(marked, at, to, made)
    return made
  }

  #quoted(marked: Marked, from: number, to: number): BlockContent | null {
    this.#prefix = '> '
    this.#inQuote = false
    const before = this.#source.length + this.#gap
    const children = this.#blocks(marked, from, to)
    this.#prefix = ''
    this.#inQuote = false
    if (children.length === 0) return null
    return { type: 'blockquote', children, position: span(before, this.#source.length) }
  }

  #fence(value: string, language: string | undefined): BlockContent {
    const content = value.replace(/\n+$/, '')
    const ticks = '`'.repeat(Math.max(3, longestRun(content) + 1))
    const lang = language !== undefined && /^[^\s`]{1,64}$/.test(language) ? language : null
    const { start, end } = this.#emit(`${ticks}${lang ?? ''}\n${content}\n${ticks}`)
    return { type: 'code', lang, meta: null, value: content, position: span(start, end) }
  }

  /** What stands between blank lines; how many there are stays as it was. */
  #paragraphs(marked: Marked, from: number, to: number, made: BlockContent[]): void {
    const { text } = marked
    for (let at = from; at < to; ) {
      let lines = 0
      for (; at < to && text[at] === '\n'; at++) lines++
      this.#space(lines)
      if (at >= to) return
      const gap = text.indexOf('\n\n', at)
      const end = gap < 0 || gap >= to ? to : gap
      const last = text[end - 1] === '\n' ? end - 1 : end
      const { start } = this.#emit('')
      const children = this.#inline(marked, at, last, 0, 0)
      made.push({ type: 'paragraph', children, position: span(start, this.#source.length) })
      at = last
    }
  }

  /** @param first index of the first entity that may lie within */
  #inline(marked: Marked, from: number, to: number, first: number, depth: number): PhrasingContent[] {
    const { text, entities } = marked
    const made: PhrasingContent[] = []
    let at = from
    for (let index = first; index < entities.length && depth < MOST_DEPTH; index++) {
      const entity = entities[index]
      if (entity === undefined || entity.start >= to) break
      const start = Math.max(at, entity.start)
      const end = Math.min(to, entity.end)
      if (end <= start || entity.type === 'pre' || entity.type.endsWith('blockquote')) continue
      this.#plain(text.slice(at, start), made)
      this.#marked(entity, text.slice(start, end), made, () =>
        this.#inline(marked, start, end, index + 1, depth + 1),
      )
      at = end
    }
    this.#plain(text.slice(at, to), made)
    return made
  }

  #plain(value: string, made: PhrasingContent[]): void {
    if (value === '') return
    const { start, end } = this.#emit(value)
    made.push({ type: 'text', value, position: span(start, end) })
  }

  #marked(entity: InEntity, value: string, made: PhrasingContent[], children: () => PhrasingContent[]): void {
    const { start } = this.#emit('')
    const here = () => span(start, this.#source.length)
    switch (entity.type) {
      case 'bold':
      case 'italic':
      case 'strikethrough': {
        this.#emit(MARKS[entity.type])
        const inner = children()
        this.#emit(MARKS[entity.type])
        made.push({ type: NODES[entity.type], children: inner, position: here() })
        return
      }
      case 'code': {
        const ticks = '`'.repeat(longestRun(value) + 1)
        const pad = ticks.length > 1 ? ' ' : ''
        this.#emit(ticks + pad + value + pad + ticks)
        made.push({ type: 'inlineCode', value, position: here() })
        return
      }
      case 'text_link': {
        this.#emit('[')
        const inner = children()
        const url = entity.url ?? ''
        this.#emit(`](${/[\s()<>]/.test(url) ? `<${url.replace(/[\s<>]/g, encodeURIComponent)}>` : url})`)
        made.push({ type: 'link', url, title: null, children: inner, position: here() })
        return
      }
      case 'url':
      case 'email': {
        const inner: PhrasingContent[] = []
        this.#plain(value, inner)
        made.push({
          type: 'link',
          url: addressOf(entity.type, value),
          title: null,
          children: inner,
          position: here(),
        })
        return
      }
      case 'spoiler':
        this.#plain('||', made)
        made.push(...children())
        this.#plain('||', made)
        return
      default: {
        const who = this.naming(entity, value)
        if (who === null) {
          this.#plain(value, made)
          return
        }
        this.#emit(value)
        made.push({ type: 'mention', target: 'user', ...who, position: here() })
      }
    }
  }
}

function addressOf(type: 'url' | 'email', value: string): string {
  if (type === 'email') return `mailto:${value}`
  return /^[a-z][a-z0-9+.-]*:/i.test(value) ? value : `http://${value}`
}

function span(start: number, end: number) {
  return {
    start: { line: 1, column: start + 1, offset: start },
    end: { line: 1, column: end + 1, offset: end },
  }
}

/** The longest run of backticks. */
function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
