/**
 * `parse_mode: MarkdownV2` and the old `Markdown` as the server reads them
 * (https://core.telegram.org/bots/api#markdownv2-style; wording of the errors: `parse_markdown_v2` of
 * https://github.com/tdlib/td, checked against that project's own test cases).
 */
import { type Entity, type Formatted, sortEntities } from './entities.js'
import { linkEntity } from './links.js'
import { ParseError } from './parse-html.js'

/** Names as the server's errors have them. */
type Kind =
  | 'Bold'
  | 'Italic'
  | 'Underline'
  | 'Strikethrough'
  | 'Spoiler'
  | 'Code'
  | 'Pre'
  | 'PreCode'
  | 'TextUrl'
  | 'CustomEmoji'
  | 'BlockQuote'

interface Open {
  kind: Kind
  language: string
  /** In the text so far. */
  offset: number
  /** In the source. */
  begin: number
}

const RESERVED = new Set('_*[]()~`>#+-=|{}.!\n')
const STYLE_OF = {
  Bold: 'bold',
  Italic: 'italic',
  Underline: 'underline',
  Strikethrough: 'strikethrough',
  Spoiler: 'spoiler',
  Code: 'code',
  Pre: 'pre',
  PreCode: 'pre',
} as const
/** Marks of one character. */
const SINGLE: Readonly<Record<string, Kind>> = {
  _: 'Italic',
  '*': 'Bold',
  '~': 'Strikethrough',
  '`': 'Code',
  '[': 'TextUrl',
}
const MARK_LENGTH: Partial<Record<Kind, number>> = { Underline: 2, Spoiler: 2, Pre: 3, PreCode: 3 }

class MarkdownReader {
  readonly #source: string
  #at = 0
  #text = ''
  #quoting = false
  readonly #entities: Entity[] = []
  readonly #open: Open[] = []

  constructor(source: string) {
    this.#source = source
  }

  read(): Formatted {
    for (; this.#at < this.#source.length; this.#at++) {
      const char = this.#source[this.#at] as string
      if (char === '\\' && isEscapable(this.#source[this.#at + 1])) {
        this.#at++
        this.#text += this.#source[this.#at]
      } else if (!this.#isReserved(char)) this.#text += char
      else if (this.#isEnd(char)) this.#end(char)
      else this.#begin(char)
    }
    const last = this.#open.at(-1)
    if (last?.kind === 'BlockQuote') this.#closeQuote()
    const unclosed = this.#open.at(-1)
    if (unclosed) throw this.#noEnd(unclosed)
    return { text: this.#text, entities: sortEntities(this.#entities) }
  }

  #byte(at: number): number {
    return Buffer.byteLength(this.#source.slice(0, at))
  }

  #noEnd({ kind, begin }: Open): ParseError {
    return new ParseError(`Can't find end of ${kind} entity at byte offset ${this.#byte(begin)}`)
  }

  #next(text: string): boolean {
    return this.#source.startsWith(text, this.#at)
  }

  /** In code only the backtick means anything. */
  #isReserved(char: string): boolean {
    const kind = this.#open.at(-1)?.kind
    return kind === 'Code' || kind === 'Pre' || kind === 'PreCode' ? char === '`' : RESERVED.has(char)
  }

  #isEnd(char: string): boolean {
    const open = this.#open.at(-1)
    if (!open) return false
    if (this.#quoting && char === '\n' && this.#source[this.#at + 1] !== '>') return true
    switch (open.kind) {
      case 'Bold':
        return char === '*'
      case 'Italic':
        return char === '_' && this.#source[this.#at + 1] !== '_'
      case 'Underline':
        return this.#next('__')
      case 'Strikethrough':
        return char === '~'
      case 'Spoiler':
        return this.#next('||')
      case 'Code':
        return char === '`'
      case 'Pre':
      case 'PreCode':
        return this.#next('```')
      case 'TextUrl':
      case 'CustomEmoji':
        return char === ']'
      case 'BlockQuote':
        return false
    }
  }

  #push(kind: Kind, begin: number, language = ''): void {
    this.#open.push({ kind, language, offset: this.#text.length, begin })
  }

  #begin(char: string): void {
    const begin = this.#at
    if (char === '\n') this.#line()
    else if (char === '>') this.#quote(begin)
    else if (this.#next('```')) this.#pre(begin)
    else if (this.#next('__')) this.#double('Underline', begin)
    else if (this.#next('![')) this.#double('CustomEmoji', begin)
    else if (this.#next('||')) {
      // At the very end of a quote's last line it marks the quote as expandable.
      const isLast = /^\|\|(\n(?!>)|$)/.test(this.#source.slice(begin))
      if (isLast && this.#open.at(-1)?.kind === 'BlockQuote') this.#expandable()
      else this.#double('Spoiler', begin)
    } else {
      const kind = SINGLE[char]
      if (kind === undefined) throw reserved(char)
      this.#push(kind, begin)
    }
  }

  #double(kind: Kind, begin: number): void {
    this.#at++
    this.#push(kind, begin)
  }

  #quote(begin: number): void {
    if (!this.#startsLine(begin)) throw reserved('>')
    this.#quoting = true
    this.#push('BlockQuote', begin)
  }

  #line(): void {
    this.#text += '\n'
    if (this.#source[this.#at + 1] !== '>') return
    this.#at++
    if (this.#quoting) return
    this.#quoting = true
    this.#push('BlockQuote', this.#at)
  }

  /** At the start, or after an empty bold entity at the start of a line: that separates two quotes. */
  #startsLine(at: number): boolean {
    const before = this.#source.slice(0, at)
    return before === '' || /(^|\n)\*\*$/.test(before)
  }

  #pre(begin: number): void {
    this.#at += 3
    const language = /^[^\s`]*/.exec(this.#source.slice(this.#at))?.[0] ?? ''
    const after = this.#source[this.#at + language.length]
    const isNamed = language !== '' && after !== undefined && after !== '`'
    if (isNamed) this.#at += language.length
    const line = /^(\r\n|\n\r|\n|\r)/.exec(this.#source.slice(this.#at))?.[0] ?? ''
    this.#at += line.length - 1
    this.#push(isNamed ? 'PreCode' : 'Pre', begin, isNamed ? language : '')
  }

  #end(char: string): void {
    const open = this.#open.at(-1) as Open
    if (char === '\n') {
      if (open.kind !== 'BlockQuote') throw this.#noEnd(open)
      this.#closeQuote()
      this.#text += '\n'
      return
    }
    this.#at += (MARK_LENGTH[open.kind] ?? 1) - 1
    const length = this.#text.length - open.offset
    if (open.kind === 'TextUrl') this.#link(open, length)
    else if (open.kind === 'CustomEmoji') this.#emoji(open, length)
    else if (length > 0 && open.kind !== 'BlockQuote') {
      this.#entities.push({
        type: STYLE_OF[open.kind],
        offset: open.offset,
        length,
        ...(open.language !== '' && { language: open.language }),
      })
    }
    this.#open.pop()
  }

  #closeQuote(type: 'blockquote' | 'expandable_blockquote' = 'blockquote'): void {
    const open = this.#open.pop() as Open
    this.#quoting = false
    const length = this.#text.length - open.offset
    if (length > 0) this.#entities.push({ type, offset: open.offset, length })
  }

  #expandable(): void {
    this.#at++
    this.#closeQuote('expandable_blockquote')
    if (this.#source[this.#at + 1] !== '\n') return
    this.#at++
    this.#text += '\n'
  }

  #link(open: Open, length: number): void {
    const hasUrl = this.#source[this.#at + 1] === '('
    const url = hasUrl ? this.#url('a URL') : this.#text.slice(open.offset)
    const link = length > 0 ? linkEntity(url, open.offset, length) : null
    if (link) this.#entities.push(link)
  }

  #emoji(open: Open, length: number): void {
    if (this.#source[this.#at + 1] !== '(')
      throw new ParseError('Custom emoji entity must contain a tg://emoji URL')
    const url = this.#url('a custom emoji URL')
    const [, scheme, host, query] = /^(\w+):(?:\/\/)?([^/?#]*)\/?(?:\?([^#]*))?/.exec(url) ?? []
    if (scheme?.toLowerCase() !== 'tg') throw new ParseError('Custom emoji URL must have scheme tg')
    if (host?.toLowerCase() !== 'emoji') throw new ParseError('Custom emoji URL must have host "emoji"')
    const id = new URLSearchParams(query).get('id')
    if (id === null) throw new ParseError('Custom emoji URL must have an emoji identifier')
    if (!/^[1-9]\d*$/.test(id)) throw new ParseError('Invalid custom emoji identifier specified')
    this.#entities.push({ type: 'custom_emoji', offset: open.offset, length, custom_emoji_id: id })
  }

  /** The address in round brackets after `]`; leaves the place at its closing bracket. */
  #url(what: string): string {
    const begin = this.#at + 2
    let url = ''
    for (this.#at = begin; this.#source[this.#at] !== ')'; this.#at++) {
      if (this.#at >= this.#source.length) {
        throw new ParseError(`Can't find end of ${what} at byte offset ${this.#byte(begin)}`)
      }
      if (this.#source[this.#at] === '\\' && isEscapable(this.#source[this.#at + 1])) this.#at++
      url += this.#source[this.#at]
    }
    return url
  }
}

/** Any character with a code from 1 to 126 may be escaped. */
function isEscapable(char: string | undefined): boolean {
  const code = char?.charCodeAt(0) ?? 0
  return code >= 1 && code <= 126
}

const reserved = (char: string): ParseError =>
  new ParseError(`Character '${char}' is reserved and must be escaped with the preceding '\\'`)

/** @throws ParseError in the server's words */
export function parseMarkdownV2(source: string): Formatted {
  return new MarkdownReader(source).read()
}

/** The old mode: no nesting, and only `_ * `` ` `` [` mean anything. @throws ParseError in the server's words */
export function parseMarkdown(source: string): Formatted {
  const entities: Entity[] = []
  let text = ''
  for (let at = 0; at < source.length; at++) {
    const char = source[at] as string
    if (char === '\\' && /[_*`[]/.test(source[at + 1] ?? '')) {
      text += source[++at]
      continue
    }
    if (!/[_*`[]/.test(char)) {
      text += char
      continue
    }
    const isPre = source.startsWith('```', at)
    const mark = isPre ? '```' : char === '[' ? ']' : char
    let from = at + (isPre ? 3 : 1)
    const language = isPre ? (/^([^\s`]+)(?=\s)/.exec(source.slice(from))?.[1] ?? '') : ''
    from += language.length
    if (isPre) from += /^(\r\n|\n\r|\n|\r)/.exec(source.slice(from))?.[0].length ?? 0
    const to = source.indexOf(mark, from)
    if (to < 0) {
      const byte = Buffer.byteLength(source.slice(0, at))
      throw new ParseError(`Can't find end of the entity starting at byte offset ${byte}`)
    }
    const inner = source.slice(from, to)
    const range = { offset: text.length, length: inner.length }
    text += inner
    at = to + mark.length - 1
    let url = inner
    if (char === '[' && source[at + 1] === '(') {
      const close = source.indexOf(')', at + 2)
      url = source.slice(at + 2, close < 0 ? source.length : close)
      at = close < 0 ? source.length : close
    }
    if (range.length === 0) continue
    if (char === '[') {
      const link = linkEntity(url, range.offset, range.length)
      if (link) entities.push(link)
    } else if (isPre) entities.push({ type: 'pre', ...range, ...(language !== '' && { language }) })
    else entities.push({ type: char === '`' ? 'code' : char === '*' ? 'bold' : 'italic', ...range })
  }
  return { text, entities: sortEntities(entities) }
}
