/** Cards: what a person sees of one, and what can be pressed on it. https://open.feishu.cn/document/feishu-cards/card-json-v2-structure */
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../fields.js'
import { type Canvas, plainText } from './canvas.js'
import { renderMarkdown } from './markdown.js'

export const isNewCard = (card: Fields): boolean => card.schema === '2.0'

export function renderCard(card: Fields, canvas: Canvas): string {
  const drawing = new Drawing(canvas, isNewCard(card))
  const header = fieldsOf(card.header)
  const elements = isNewCard(card) ? fieldsOf(card.body).elements : (card.elements ?? firstLanguage(card))
  return [drawing.words(header.title), drawing.words(header.subtitle), drawing.elements(elements)]
    .filter((part) => part !== '')
    .join('\n')
}

/** Cards of old may be written in several languages. */
const firstLanguage = (card: Fields): unknown => Object.values(fieldsOf(card.i18n_elements))[0]

class Drawing {
  readonly #canvas: Canvas
  readonly #isNew: boolean

  constructor(canvas: Canvas, isNew: boolean) {
    this.#canvas = canvas
    this.#isNew = isNew
  }

  elements(value: unknown): string {
    return listOf(value)
      .map((element) => this.#element(element))
      .filter((part) => part !== '')
      .join('\n')
  }

  /** A text object: `lark_md` is read, `plain_text` is not. */
  words(value: unknown): string {
    if (isFields(value) && value.tag === 'lark_md') return this.#markdown(textOf(value.content))
    return plainText(value)
  }

  #markdown(text: string): string {
    return renderMarkdown(text, this.#canvas, this.#isNew ? 'card' : 'old-card')
  }

  #element(element: Fields): string {
    switch (element.tag) {
      case 'markdown':
        return this.#markdown(textOf(element.content))
      case 'div':
        return [this.words(element.text), ...listOf(element.fields).map((field) => this.words(field.text))]
          .filter((part) => part !== '')
          .join('\n')
      case 'hr':
        return '———'
      case 'img':
        return plainText(element.title) || plainText(element.alt)
      case 'note':
        return listOf(element.elements)
          .map((part) => this.words(part))
          .join(' ')
      case 'action':
        return this.elements(element.actions)
      case 'button':
        this.#button(element)
        return ''
      case 'table':
        return this.#table(element)
      case 'column_set':
        return listOf(element.columns)
          .map((column) => this.elements(column.elements))
          .filter((part) => part !== '')
          .join('\n')
      case 'collapsible_panel':
        return [this.words(fieldsOf(element.header).title), this.elements(element.elements)].join('\n')
      default:
        return this.elements(element.elements)
    }
  }

  #button(element: Fields): void {
    const behaviors = listOf(element.behaviors)
    const jump = behaviors.find(({ type }) => type === 'open_url')
    const url = textOf(jump?.default_url) || textOf(element.url)
    const label = this.words(element.text)
    if (url !== '') this.#canvas.link(label, url)
    const callback = behaviors.find(({ type }) => type === 'callback')
    const action = callback === undefined ? element.value : callback.value
    if (action === undefined && element.form_action_type === undefined) return
    this.#canvas.button(label, action, typeof element.name === 'string' ? element.name : undefined)
  }

  /** https://open.feishu.cn/document/feishu-cards/card-json-v2-components/content-components/table */
  #table(element: Fields): string {
    const columns = listOf(element.columns)
    const head = columns.map((column) => textOf(column.display_name) || textOf(column.name))
    const rows = listOf(element.rows).map((row) =>
      columns.map((column) => this.#cell(row[textOf(column.name)], column.data_type)),
    )
    return [head, ...rows].map((cells) => cells.join(' | ')).join('\n')
  }

  #cell(value: unknown, type: unknown): string {
    if (type === 'lark_md' || type === 'markdown') return this.#markdown(textOf(value))
    if (Array.isArray(value)) return value.map((item) => plainText(fieldsOf(item).text ?? item)).join(' ')
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
}
