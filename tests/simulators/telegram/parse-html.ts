/**
 * `parse_mode: HTML` as the server reads it: a closed list of tags, named entities `&lt; &gt; &amp; &quot;` and numeric
 * ones only, and errors that name byte offsets (https://core.telegram.org/bots/api#html-style; wording of the errors:
 * `parse_html` of https://github.com/tdlib/td, checked against that project's own test cases).
 */
import { type Entity, type EntityType, type Formatted, sortEntities } from './entities.js'
import { linkEntity } from './links.js'

export class ParseError extends Error {}

const STYLE_OF: Readonly<Record<string, EntityType>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  'tg-spoiler': 'spoiler',
  blockquote: 'blockquote',
  code: 'code',
  pre: 'pre',
}
const OTHER_TAGS = new Set(['a', 'span', 'tg-emoji'])

interface Open {
  tag: string
  /** The tag's `href`, `class`, `emoji-id` or `expandable`. */
  argument: string
  offset: number
}

const SPACE = /\s/
const NAME = /[a-zA-Z0-9.-]/

class HtmlReader {
  readonly #source: string
  #at = 0
  #text = ''
  readonly #entities: Entity[] = []
  readonly #open: Open[] = []

  constructor(source: string) {
    this.#source = source
  }

  read(): Formatted {
    while (this.#at < this.#source.length) {
      const char = this.#source[this.#at]
      if (char === '&') this.#text += this.#reference()
      else if (char !== '<') {
        this.#text += char
        this.#at++
      } else if (this.#source[this.#at + 1] === '/') this.#endTag()
      else this.#startTag()
    }
    const last = this.#open.at(-1)
    if (last) throw new ParseError(`Can't find end tag corresponding to start tag "${last.tag}"`)
    if (/\p{Surrogate}/u.test(this.#text)) {
      throw new ParseError(
        'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units',
      )
    }
    return { text: this.#text, entities: sortEntities(mergePre(this.#entities)) }
  }

  /** Byte offset of a place in the source: what the errors name. */
  #byte(at: number): number {
    return Buffer.byteLength(this.#source.slice(0, at))
  }

  /** `&lt;`, `&#39;`, `&#x27;`, with or without the semicolon; anything else stays as it is written. */
  #reference(): string {
    const rest = this.#source.slice(this.#at)
    const number = /^&#(?:x([0-9a-f]+)|([0-9]+));?/i.exec(rest)
    if (number) {
      const code = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16)
      if (code > 0 && code < 0x10ffff) {
        this.#at += number[0].length
        return String.fromCodePoint(code)
      }
    }
    const named = /^&(lt|gt|amp|quot)(?:;|(?![a-zA-Z]))/.exec(rest)
    if (named) {
      this.#at += named[0].length
      return { lt: '<', gt: '>', amp: '&', quot: '"' }[named[1] as 'lt'] ?? ''
    }
    this.#at++
    return '&'
  }

  #skipSpace(): void {
    while (SPACE.test(this.#source[this.#at] ?? '')) this.#at++
  }

  #startTag(): void {
    const begin = this.#at++
    while (
      this.#at < this.#source.length &&
      !SPACE.test(this.#source[this.#at] ?? '') &&
      this.#source[this.#at] !== '>'
    ) {
      this.#at++
    }
    if (this.#at >= this.#source.length)
      throw new ParseError(`Unclosed start tag at byte offset ${this.#byte(begin)}`)
    const tag = this.#source.slice(begin + 1, this.#at).toLowerCase()
    if (!(tag in STYLE_OF) && !OTHER_TAGS.has(tag)) {
      throw new ParseError(`Unsupported start tag "${tag}" at byte offset ${this.#byte(begin)}`)
    }
    let argument = ''
    for (this.#skipSpace(); this.#source[this.#at] !== '>'; this.#skipSpace()) {
      const [name, value] = this.#attribute(tag, begin)
      if (tag === 'a' && name === 'href') argument = value
      else if (tag === 'code' && name === 'class' && value.startsWith('language-')) argument = value.slice(9)
      else if (tag === 'span' && name === 'class' && value.startsWith('tg-')) argument = value.slice(3)
      else if (tag === 'tg-emoji' && name === 'emoji-id') argument = value
      else if (tag === 'blockquote' && name === 'expandable') argument = '1'
    }
    this.#at++
    if (tag === 'span' && argument !== 'spoiler') {
      throw new ParseError(`Tag "span" must have class "tg-spoiler" at byte offset ${this.#byte(begin)}`)
    }
    this.#open.push({ tag, argument, offset: this.#text.length })
  }

  #attribute(tag: string, begin: number): [string, string] {
    const unclosed = () => new ParseError(`Unclosed start tag "${tag}" at byte offset ${this.#byte(begin)}`)
    const from = this.#at
    while (
      this.#at < this.#source.length &&
      !SPACE.test(this.#source[this.#at] ?? '') &&
      !/[=>]/.test(this.#source[this.#at] ?? '')
    ) {
      this.#at++
    }
    const name = this.#source.slice(from, this.#at).toLowerCase()
    if (this.#at >= this.#source.length) throw unclosed()
    if (name === '') {
      throw new ParseError(`Empty attribute name in the tag "${tag}" at byte offset ${this.#byte(begin)}`)
    }
    this.#skipSpace()
    if (this.#source[this.#at] !== '=') {
      // The one attribute that stands alone.
      if (tag === 'blockquote' && name === 'expandable') return [name, '']
      if (this.#at >= this.#source.length) throw unclosed()
      throw new ParseError(
        `Expected equal sign in declaration of an attribute of the tag "${tag}" at byte offset ${this.#byte(begin)}`,
      )
    }
    this.#at++
    this.#skipSpace()
    if (this.#at >= this.#source.length) throw unclosed()
    return [name, this.#value(begin)]
  }

  #value(begin: number): string {
    const mark = this.#source[this.#at]
    if (mark !== '"' && mark !== "'") {
      const from = this.#at
      while (NAME.test(this.#source[this.#at] ?? '')) this.#at++
      const next = this.#source[this.#at]
      if (next === undefined || (!SPACE.test(next) && next !== '>')) {
        throw new ParseError(`Unexpected end of name token at byte offset ${this.#byte(from)}`)
      }
      return this.#source.slice(from, this.#at).toLowerCase()
    }
    let value = ''
    for (this.#at++; this.#source[this.#at] !== mark; ) {
      if (this.#at >= this.#source.length) {
        throw new ParseError(`Unclosed start tag at byte offset ${this.#byte(begin)}`)
      }
      if (this.#source[this.#at] === '&') value += this.#reference()
      else value += this.#source[this.#at++]
    }
    this.#at++
    return value
  }

  #endTag(): void {
    const begin = this.#at
    const open = this.#open.at(-1)
    if (!open) throw new ParseError(`Unexpected end tag at byte offset ${this.#byte(begin)}`)
    this.#at += 2
    const from = this.#at
    while (
      this.#at < this.#source.length &&
      !SPACE.test(this.#source[this.#at] ?? '') &&
      this.#source[this.#at] !== '>'
    ) {
      this.#at++
    }
    const tag = this.#source.slice(from, this.#at).toLowerCase()
    this.#skipSpace()
    if (this.#source[this.#at] !== '>')
      throw new ParseError(`Unclosed end tag at byte offset ${this.#byte(begin)}`)
    this.#at++
    if (tag !== '' && tag !== open.tag) {
      throw new ParseError(
        `Unmatched end tag at byte offset ${this.#byte(begin)}, expected "</${open.tag}>", found "</${tag}>"`,
      )
    }
    this.#open.pop()
    this.#close(open)
  }

  #close({ tag, argument, offset }: Open): void {
    const length = this.#text.length - offset
    if (length === 0) return
    if (tag === 'a') {
      const link = linkEntity(argument === '' ? this.#text.slice(offset) : argument, offset, length)
      if (link) this.#entities.push(link)
    } else if (tag === 'tg-emoji') {
      if (!/^[1-9]\d*$/.test(argument)) throw new ParseError('Invalid custom emoji identifier specified')
      this.#entities.push({ type: 'custom_emoji', offset, length, custom_emoji_id: argument })
    } else if (tag === 'blockquote') {
      this.#entities.push({ type: argument === '' ? 'blockquote' : 'expandable_blockquote', offset, length })
    } else {
      const type = tag === 'span' ? 'spoiler' : (STYLE_OF[tag] as EntityType)
      this.#entities.push({
        type,
        offset,
        length,
        ...(tag === 'code' && argument !== '' && { language: argument }),
      })
    }
  }
}

/** `<pre><code class="language-x">` over one range is one `pre` with a language; a bare code's language is dropped. */
function mergePre(entities: readonly Entity[]): Entity[] {
  const same = (a: Entity, b: Entity) => a.offset === b.offset && a.length === b.length
  return entities.flatMap((entity): Entity[] => {
    if (entity.type === 'pre') {
      const code = entities.find((other) => other.type === 'code' && same(entity, other))
      return [{ ...entity, ...(code?.language !== undefined && { language: code.language }) }]
    }
    if (entity.type !== 'code') return [entity]
    if (entities.some((other) => other.type === 'pre' && same(entity, other))) return []
    return [{ type: 'code', offset: entity.offset, length: entity.length }]
  })
}

/** @throws ParseError in the server's words */
export function parseHtml(source: string): Formatted {
  return new HtmlReader(source).read()
}
