/**
 * Cards of others, as text. A card arrives in one of four forms: simplified to rows of elements (events, history), as it
 * was built (structure 1.0 or 2.0), or as clients draw it (`json_card`), where each element's content is its `property`.
 * https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content
 */
import type { RootContent } from 'mdast'
import { mdBlocks } from './read-md.js'
import type { People } from './read-people.js'
import { type Media, postBlocks, Rows } from './read-post.js'
import { linkNode, mentionNode, paragraphsOf, textNode } from './read-text.js'
import { type Fields, fields, list, number, parsed, text } from './shape.js'

/** More than any card has: 200 elements. */
const MOST_ELEMENTS = 1_000
const DEEPEST = 12

export function cardBlocks(content: Fields, people: People, media: Media): RootContent[] {
  const dsl = fields(parsed(content.user_dsl))
  if (Object.keys(dsl).length > 0) return cardBlocks(dsl, people, media)
  const drawn = fields(parsed(content.json_card))
  const card = Object.keys(drawn).length > 0 ? drawn : content
  const elements = elementsOf(card)
  if (elements.some(Array.isArray)) return postBlocks({ ...card, content: elements }, people, media)
  const reader = new CardReader(people, media, fields(parsed(content.json_attachment)))
  reader.header(card)
  reader.elements(elements, 0)
  return reader.done()
}

/** Of whichever structure and language. */
function elementsOf(card: Fields): readonly unknown[] {
  const body = inside(card.body)
  for (const found of [body.elements, card.elements]) if (Array.isArray(found)) return found
  const languages = { ...fields(card.i18n_elements), ...fields(body.i18n_elements) }
  for (const language of ['zh_cn', 'en_us', ...Object.keys(languages).sort()]) {
    const found = Object.hasOwn(languages, language) ? (languages as Fields)[language] : undefined
    if (Array.isArray(found)) return found
  }
  return []
}

/** An element with its `property` laid open. */
function inside(value: unknown): Fields {
  const element = fields(value)
  return element.property === undefined ? element : { ...element, ...fields(element.property) }
}

/** The text of a text object, or of a text. */
function contentOf(value: unknown): string | undefined {
  return text(value) ?? text(inside(value).content) ?? text(inside(value).text)
}

class CardReader {
  readonly #rows: Rows
  #left = MOST_ELEMENTS

  constructor(
    private readonly people: People,
    media: Media,
    private readonly attachment: Fields,
  ) {
    this.#rows = new Rows(people, media)
  }

  done(): RootContent[] {
    return this.#rows.done()
  }

  header(card: Fields): void {
    const header = inside(card.header)
    const title = contentOf(header.title) ?? contentOf(card.title)
    if (title !== undefined) this.#rows.title(title)
    const subtitle = contentOf(header.subtitle)
    if (subtitle !== undefined) this.#text(subtitle)
  }

  elements(elements: readonly unknown[], depth: number): void {
    if (depth > DEEPEST) return
    for (const value of elements) {
      if (this.#left-- <= 0) return
      this.#element(inside(value), depth)
    }
  }

  #text(value: string): void {
    this.#rows.blocks(paragraphsOf([textNode(value)]))
  }

  #element(element: Fields, depth: number): void {
    switch (element.tag) {
      case 'markdown':
      case 'lark_md':
        this.#markdown(element, depth)
        break
      case 'div':
        for (const value of [{ text: element.text }, ...list(element.fields), element.extra]) {
          this.#textObject(fields(value), depth)
        }
        break
      case 'hr':
        this.#rows.blocks([{ type: 'thematicBreak' }])
        break
      case 'img':
      case 'image': {
        const alt = contentOf(element.alt) ?? contentOf(element.title)
        if (alt !== undefined) this.#text(alt)
        break
      }
      case 'table':
        this.#table(element)
        break
      case 'code_block':
        this.#code(element)
        break
      case 'button': {
        const label = contentOf(element.text)
        if (label !== undefined) this.#text(`[${label}]`)
        break
      }
      case 'at': {
        const id = text(element.user_id) ?? text(element.userID)
        if (id !== undefined)
          this.#rows.blocks(paragraphsOf([mentionNode(this.people.mention(id, this.#named(id)))]))
        break
      }
      case 'link':
      case 'a':
        this.#link(element)
        break
      default:
        this.#other(element, depth)
    }
  }

  /** Text that stands in an element; or the element itself, where it is no text. */
  #textObject(value: Fields, depth: number): void {
    const held = inside(value.text ?? value)
    if (held.tag === 'lark_md' || held.tag === 'markdown') this.#markdown(held, depth)
    else if (held.tag === 'plain_text' || held.tag === 'text' || held.tag === undefined) {
      const said = contentOf(held)
      if (said !== undefined) this.#text(said)
    } else this.#element(held, depth)
  }

  #markdown(element: Fields, depth: number): void {
    const written = text(element.content)
    if (written !== undefined) this.#rows.blocks(mdBlocks(written, this.people))
    else this.elements(list(element.elements), depth + 1)
  }

  #link(element: Fields): void {
    const label = contentOf(element)
    const url = text(element.href) ?? text(element.url) ?? text(fields(element.url).url)
    if (url !== undefined && /^https?:\/\/\S+$/i.test(url))
      this.#rows.blocks(paragraphsOf([linkNode(url, label)]))
    else if (label !== undefined) this.#text(label)
  }

  /** https://open.feishu.cn/document/feishu-cards/card-json-v2-components/content-components/table */
  #table(element: Fields): void {
    const columns = list(element.columns)
      .slice(0, 50)
      .map((column) => {
        const { name, display_name: shown, displayName: drawn } = inside(column)
        return { name: text(name) ?? '', label: text(shown) ?? text(drawn) ?? text(name) ?? '' }
      })
    if (columns.length === 0) return
    const cells = list(element.rows)
      .slice(0, 200)
      .map((row) => columns.map(({ name }) => cellText(own(fields(row), name))))
    const rows = [columns.map(({ label }) => label), ...cells]
    this.#rows.blocks([
      {
        type: 'table',
        children: rows.map((row) => ({
          type: 'tableRow',
          children: row.map((cell) => ({
            type: 'tableCell',
            children: cell === '' ? [] : [textNode(cell)],
          })),
        })),
      },
    ])
  }

  #code(element: Fields): void {
    const lines = list(element.contents).map((line) =>
      list(fields(line).contents)
        .map((piece) => contentOf(piece) ?? '')
        .join(''),
    )
    const value = lines.length > 0 ? lines.join('') : (contentOf(element) ?? '')
    const lang = text(element.language)?.replace(/[^\w+#.-]/g, '') || null
    if (value !== '') this.#rows.blocks([{ type: 'code', lang, meta: null, value: value.replace(/\n$/, '') }])
  }

  /** Containers, and kinds nobody knows: what can be read of them. */
  #other(element: Fields, depth: number): void {
    const said = contentOf(element.text) ?? text(element.content) ?? contentOf(inside(element.header).title)
    if (said !== undefined) this.#text(said)
    const inner = [element.elements, element.columns, element.actions, element.items, element.fields]
    this.elements(inner.flatMap(list), depth + 1)
  }

  #named(id: string): string | undefined {
    const users = fields(this.attachment.at_users)
    return text(fields(Object.hasOwn(users, id) ? users[id] : undefined).content)
  }
}

function own(row: Fields, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined
}

function cellText(value: unknown): string {
  const data = fields(value).data ?? value
  if (typeof data === 'string') return data.replace(/\s*\n\s*/g, ' ')
  const amount = number(data)
  if (amount !== undefined) return String(amount)
  return list(data)
    .map((item) => contentOf(item) ?? '')
    .filter((item) => item !== '')
    .join(', ')
}
