/**
 * A document -> text and spans.
 *
 * Entities rather than Telegram's HTML: there is no markup to escape, so no character can break a message or grow it past
 * the limit; the limit counts exactly this text; and cutting is clipping, so a fence or a bold run goes on in the next
 * message by itself.
 */
import type { Image, Link, List, ListItem, Nodes, Table } from 'mdast'
import { type Doc, type Mention, plainText } from '../../src/messaging/contract.js'
import { byPlace, JOINER, type Rich, type Span } from './rich.js'
import { drawTable, isDrawable } from './table.js'

/** Longer addresses are shown, not linked. */
const LINK_UNITS = 2_000
/** Deeper quotes, lists and emphasis are read as the text in them. */
const MOST_DEPTH = 100

type Style = 'bold' | 'italic' | 'strikethrough'

export function render(doc: Doc): Rich {
  return new Renderer().run(doc)
}

class Renderer {
  #text = ''
  readonly #spans: Span[] = []
  readonly #keep = new Set<number>()
  /** Line breaks that are written as soon as something follows. */
  #gap = 0
  /** What every new line begins with: the indent of a list, the mark of an inner quote. */
  #prefix = ''
  readonly #open = new Map<Style, number>()
  #inLink = false
  #quotes = 0
  #depth = 0

  run(doc: Doc): Rich {
    this.#blocks(doc.children, 2)
    return { text: this.#text, spans: this.#spans.sort(byPlace), keep: this.#keep }
  }

  #blocks(nodes: readonly Nodes[], gap: number): void {
    nodes.forEach((node, index) => {
      if (index > 0) this.#space(gap)
      this.#node(node)
    })
  }

  /** At least this many line breaks before whatever comes next. */
  #space(lines: number): void {
    if (this.#text !== '') this.#gap = Math.max(this.#gap, lines)
  }

  #write(text: string): void {
    if (text === '') return
    if (this.#gap > 0) {
      this.#text += '\n'.repeat(this.#gap) + this.#prefix
      this.#gap = 0
    }
    this.#text += this.#prefix === '' ? text : text.replaceAll('\n', `\n${this.#prefix}`)
  }

  #inline(nodes: readonly Nodes[]): void {
    for (const node of nodes) this.#node(node)
  }

  #node(node: Nodes): void {
    if (this.#depth >= MOST_DEPTH) {
      this.#write(clean(plainText(node)))
      return
    }
    this.#depth++
    this.#known(node)
    this.#depth--
  }

  #known(node: Nodes): void {
    switch (node.type) {
      case 'text':
      case 'html':
        this.#write(clean(node.value))
        return
      case 'paragraph':
        this.#inline(node.children)
        return
      case 'heading': {
        this.#styled('bold', () => this.#inline(node.children))
        this.#keep.add(this.#text.length)
        return
      }
      case 'strong':
        this.#styled('bold', () => this.#inline(node.children))
        return
      case 'emphasis':
        this.#styled('italic', () => this.#inline(node.children))
        return
      case 'delete':
        this.#styled('strikethrough', () => this.#inline(node.children))
        return
      case 'inlineCode':
        this.#code(node.value)
        return
      case 'code':
        this.#fence(node.value, node.lang ?? '')
        return
      case 'link':
        this.#link(node)
        return
      case 'image':
        this.#image(node)
        return
      case 'mention':
        this.#mention(node)
        return
      case 'break':
        this.#write('\n')
        return
      case 'thematicBreak':
        this.#write('———')
        return
      case 'blockquote':
        this.#quote(node.children)
        return
      case 'list':
        this.#list(node)
        return
      case 'table':
        this.#table(node)
        return
      case 'footnoteReference':
        this.#write(clean(`[${node.identifier}]`))
        return
      case 'footnoteDefinition':
        this.#write(clean(`[${node.identifier}] `))
        this.#blocks(node.children, 2)
        return
      case 'imageReference':
        this.#write(clean(node.alt ?? ''))
        return
      case 'definition':
      case 'yaml':
        return
      default:
        this.#inline(node.children)
        return
    }
  }

  #span(kind: Span['kind'], start: number, more: Partial<Span> = {}): void {
    if (this.#text.length > start) this.#spans.push({ start, end: this.#text.length, kind, ...more })
  }

  /** Where the next character will stand. */
  #here(): number {
    if (this.#gap > 0) {
      this.#text += '\n'.repeat(this.#gap) + this.#prefix
      this.#gap = 0
    }
    return this.#text.length
  }

  #styled(style: Style, write: () => void): void {
    if (this.#open.has(style)) {
      write()
      return
    }
    this.#open.set(style, this.#here())
    write()
    this.#span(style, this.#open.get(style) ?? this.#text.length)
    this.#open.delete(style)
  }

  /** "pre and code entities can't contain other entities": bold text around code ends before it and goes on behind it. */
  #apart(write: () => void): void {
    this.#here()
    for (const [style, start] of this.#open) this.#span(style, start)
    write()
    for (const style of this.#open.keys()) this.#open.set(style, this.#text.length)
  }

  #code(value: string): void {
    const text = clean(value)
    if (this.#inLink || text.trim() === '') {
      this.#write(text)
      return
    }
    this.#apart(() => {
      const start = this.#text.length
      this.#write(text.replaceAll('\n', ' '))
      this.#span('code', start)
    })
  }

  #fence(value: string, lang: string): void {
    const text = clean(value).replace(/\s+$/, '')
    if (text.trim() === '') return
    // A list's indent would become part of the code.
    const prefix = this.#prefix
    this.#prefix = ''
    this.#apart(() => this.#pre(text, lang))
    this.#prefix = prefix
  }

  #pre(text: string, lang: string): void {
    const start = this.#here()
    // Telegram lets no span begin with a blank and trims the message's front: the first line would lose its indent.
    this.#write(/^\s/.test(text) ? JOINER + text : text)
    this.#span('pre', start, /^[\w+#.-]{1,32}$/.test(lang) ? { language: lang } : {})
  }

  #link(link: Link): void {
    if (this.#inLink) {
      this.#inline(link.children)
      return
    }
    const url = linkable(link.url)
    const start = this.#here()
    if (url !== null) {
      this.#inLink = true
      if (link.children.length === 0) this.#write(clean(link.url))
      else this.#inline(link.children)
      this.#inLink = false
      this.#span('text_link', start, { url })
      return
    }
    this.#inline(link.children)
    const label = this.#text.slice(start)
    if (label === '') this.#write(clean(link.url))
    else if (link.url !== label && link.url !== `mailto:${label}`) this.#write(clean(` (${link.url})`))
  }

  #image(image: Image): void {
    const url = linkable(image.url)
    const start = this.#here()
    const alt = clean(image.alt ?? '')
    this.#write(alt === '' ? clean(image.url) : alt)
    if (this.#inLink) return
    if (url !== null) this.#span('text_link', start, { url })
    else if (alt !== '' && image.url !== '') this.#write(clean(` (${image.url})`))
  }

  #mention(mention: Mention): void {
    const start = this.#here()
    this.#write(`@${clean(mention.name).replace(/\s+/g, ' ').trim()}`)
    const user = userOf(mention)
    if (user !== null && !this.#inLink) this.#span('text_mention', start, { user })
  }

  /** Quotes cannot be nested ("Block quotations can't be nested"): inner ones carry the mark of plain text. */
  #quote(children: readonly Nodes[]): void {
    if (this.#quotes > 0 || this.#prefix !== '') {
      this.#prefixed('> ', '> ', children, 2)
      return
    }
    const start = this.#here()
    this.#quotes++
    this.#blocks(children, 2)
    this.#quotes--
    this.#span('blockquote', start)
  }

  #prefixed(first: string, rest: string, children: readonly Nodes[], gap: number): void {
    this.#write(first)
    const prefix = this.#prefix
    this.#prefix += rest
    this.#blocks(children, gap)
    this.#gap = 0
    this.#prefix = prefix
  }

  #list(list: List): void {
    const gap = list.spread ? 2 : 1
    list.children.forEach((item, index) => {
      if (index > 0) this.#space(gap)
      this.#item(item, list.ordered ? `${(list.start ?? 1) + index}. ` : '• ')
    })
  }

  #item(item: ListItem, bullet: string): void {
    const box = item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : ''
    this.#prefixed(bullet + box, ' '.repeat(bullet.length), item.children, item.spread ? 2 : 1)
  }

  /** Columns line up in a fixed-width block; a table with links or mentions, or too wide for a phone, is lines of text. */
  #table(table: Table): void {
    if (isDrawable(table)) {
      this.#fence(drawTable(table), '')
      return
    }
    table.children.forEach((row, index) => {
      if (index > 0) this.#space(1)
      const cells = () =>
        row.children.forEach((cell, at) => {
          if (at > 0) this.#write(' | ')
          this.#inline(cell.children)
        })
      if (index === 0) this.#styled('bold', cells)
      else cells()
    })
  }
}

/**
 * The address as Telegram links it, or null: other schemes are dropped in silence, and `tg://user?id=` would make a
 * mention of whomever an agent names (core.telegram.org/bots/api#formatting-options).
 */
function linkable(url: string): string | null {
  if (url.length > LINK_UNITS || !/^https?:\/\/[^\s/]/i.test(url)) return null
  return clean(url)
}

/** A user's id, which is a positive number; chats that speak as themselves have negative ones and cannot be mentioned. */
function userOf({ target, id }: Mention): number | null {
  if (target !== 'user' || id === undefined || !/^[1-9]\d{0,15}$/.test(id)) return null
  const user = Number(id)
  return Number.isSafeInteger(user) ? user : null
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNCLEAN = /[\0-\t\v-\x1f\u2028-\u202e]|\p{Surrogate}/u

/** Without what Telegram changes or refuses: control characters, direction marks, halves of characters. */
function clean(text: string): string {
  if (!UNCLEAN.test(text)) return text
  return (
    text
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      .replaceAll('\t', '    ')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
      .replace(/[\0-\t\v-\x1f]/g, ' ')
      .replace(/[\u202a-\u202e]/g, '')
      .replace(/\p{Surrogate}/gu, '\ufffd')
  )
}
