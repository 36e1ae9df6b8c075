/**
 * What Feishu refuses a card for, always as a whole.
 *
 * https://open.feishu.cn/document/feishu-cards/card-json-v2-structure and the sub-codes of 230099 in
 * https://open.feishu.cn/document/server-docs/im-v1/message/create. That more than five tables are refused, however they
 * are written, and that a field nobody knows is, stands in no page; both are reported by many.
 */
import { cardError } from '../api/errors.js'
import { type Fields, fieldsOf, isFields, listOf, parsed, textOf } from '../fields.js'
import { isNewCard } from './card.js'
import { surveyMarkdown } from './markdown.js'

const MOST_TABLES = 5
const MOST_ELEMENTS = 200
const MOST_DEPTH = 5
const MOST_BUTTON_TEXT = 100

/** Elements of schema 2.0. https://open.feishu.cn/document/feishu-cards/card-json-v2-components/component-json-v2-overview */
const NEW_TAGS = new Set(
  (
    'markdown div hr img img_combination table chart person person_list audio button input select_static ' +
    'multi_select_static select_person multi_select_person overflow date_picker picker_time picker_datetime select_img ' +
    'checker column_set column form interactive_container collapsible_panel'
  ).split(' '),
)
/** Those of schema 1.0 that 2.0 gave up. https://open.feishu.cn/document/feishu-cards/card-json-v2-breaking-changes-release-notes */
const GONE_TAGS = new Set(['action', 'note'])
const OLD_TAGS = new Set([...NEW_TAGS, ...GONE_TAGS])

/** Fields of the elements that bots mostly use. Any other is refused. */
const KNOWN_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  markdown: new Set('tag element_id margin text_align text_size icon content'.split(' ')),
  hr: new Set('tag element_id margin'.split(' ')),
  div: new Set('tag element_id margin width text fields extra icon'.split(' ')),
  button: new Set(
    (
      'tag element_id margin type size width text icon hover_tips disabled disabled_tips confirm behaviors name ' +
      'required form_action_type value url multi_url'
    ).split(' '),
  ),
  table: new Set(
    'tag element_id margin page_size row_height row_max_height freeze_first_column header_style columns rows'.split(
      ' ',
    ),
  ),
}

export interface CardContext {
  /** Whether the app knows somebody by this id, user_id or e-mail address. */
  isPerson(id: string): boolean
  /** `<at id=all>` is allowed in this chat. */
  mayNameAll: boolean
  isImage(key: string): boolean
}

/** @returns the card @throws ApiError 230099 with Feishu's reason */
export function checkCard(text: string, context: CardContext): Fields {
  const card = parsed(text)
  if (!isFields(card)) throw malformed('not an object')
  const { type } = card
  if (type === 'template') {
    const id = textOf(fieldsOf(card.data).template_id)
    const message = 'template does not exist, please confirm whether this template has been released'
    throw cardError(200380, message, `templateID: ${id}`)
  }
  const isNew = isNewCard(card)
  if (card.schema !== undefined && !isNew && card.schema !== '1.0')
    throw malformed(`schema ${textOf(card.schema)}`)
  const elements = isNew ? fieldsOf(card.body).elements : (card.elements ?? card.i18n_elements)
  if (!Array.isArray(elements) && !(isFields(elements) && !isNew)) throw malformed('no elements')
  if (isNew && fieldsOf(card.config).update_multi === false)
    throw malformed('config.update_multi must be true')
  new Check(context, isNew).run(card, isNew ? 'ROOT -> body' : 'ROOT')
  return card
}

const malformed = (value: string): Error =>
  cardError(200621, 'parse card json err, please check whether the card json is correct', value)

class Check {
  readonly #context: CardContext
  readonly #isNew: boolean
  readonly #ids = new Set<string>()
  #tables = 0
  #elements = 0

  constructor(context: CardContext, isNew: boolean) {
    this.#context = context
    this.#isNew = isNew
  }

  run(card: Fields, root: string): void {
    this.#header(fieldsOf(card.header))
    const body = this.#isNew ? fieldsOf(card.body).elements : card.elements
    const lists = Array.isArray(body) ? [body] : Object.values(fieldsOf(card.i18n_elements))
    for (const list of lists) this.#list(list, `${root} -> elements`, 0)
    if (this.#tables > MOST_TABLES) throw cardError(11310, 'card table number over limit', 'table')
    this.#count(card)
    if (this.#elements > MOST_ELEMENTS) throw cardError(11310, 'element exceeds the limit', 'element')
  }

  #header(header: Fields): void {
    for (const name of ['title', 'subtitle']) {
      const value = header[name]
      if (value !== undefined && !isFields(value)) throw malformed(`header.${name}`)
    }
  }

  /** Components and texts alike. https://open.feishu.cn/document/feishu-cards/card-json-v2-structure */
  #count(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#count(item)
    else if (isFields(value)) {
      if (typeof value.tag === 'string') this.#elements++
      for (const item of Object.values(value)) this.#count(item)
    }
  }

  #list(value: unknown, path: string, depth: number): void {
    if (!Array.isArray(value)) return
    for (const [index, element] of value.entries()) {
      if (!isFields(element)) throw malformed(`${path} -> [${index}]`)
      this.#element(element, `${path} -> [${index}](tag: ${textOf(element.tag)})`, depth)
    }
  }

  #element(element: Fields, path: string, depth: number): void {
    const tag = textOf(element.tag)
    if (this.#isNew && GONE_TAGS.has(tag)) {
      const message = 'cards of schema V2 no longer support this capability'
      throw cardError(200861, message, `unsupported tag ${tag}`, path)
    }
    if (!(this.#isNew ? NEW_TAGS : OLD_TAGS).has(tag)) throw malformed(`unknown tag ${tag}`)
    if (depth > MOST_DEPTH) throw malformed(`${path}: nested too deep`)
    if (this.#isNew) this.#fields(element, tag)
    this.#content(element, tag, path, depth)
    this.#list(element.elements, `${path} -> elements`, depth + 1)
    this.#list(element.actions, `${path} -> actions`, depth + 1)
    // The columns of a table are no elements.
    if (tag !== 'table') this.#list(element.columns, `${path} -> columns`, depth + 1)
  }

  #fields(element: Fields, tag: string): void {
    const known = KNOWN_FIELDS[tag]
    const unknown = known === undefined ? undefined : Object.keys(element).find((name) => !known.has(name))
    if (unknown !== undefined) throw malformed(`unknown property, property: ${unknown}, tag: ${tag}`)
    const id = element.element_id
    if (id === undefined) return
    if (typeof id !== 'string' || !/^[A-Za-z]\w{0,19}$/.test(id)) throw malformed(`element_id ${String(id)}`)
    if (this.#ids.has(id)) throw malformed(`element_id ${id} is used twice`)
    this.#ids.add(id)
  }

  #content(element: Fields, tag: string, path: string, depth: number): void {
    if (tag === 'markdown') this.#markdown(element.content, path)
    if (tag === 'div') this.#words(element.text, path)
    if (tag === 'button') this.#button(element, path)
    if (tag === 'img' && !this.#context.isImage(textOf(element.img_key)))
      throw cardError(200570, 'card contains invalid image keys', `image key ${textOf(element.img_key)}`)
    if (tag === 'table') this.#table(element, path, depth)
  }

  #words(value: unknown, path: string): void {
    if (value === undefined) return
    if (!isFields(value) || typeof value.content !== 'string') throw malformed(path)
    if (value.tag === 'lark_md') this.#markdown(value.content, path)
  }

  #markdown(content: unknown, path: string): void {
    if (typeof content !== 'string') throw malformed(`${path}: content`)
    const { tables, ats } = surveyMarkdown(content, this.#isNew ? 'card' : 'old-card')
    this.#tables += tables
    for (const id of ats) {
      if (id === 'all' ? this.#context.mayNameAll : this.#context.isPerson(id)) continue
      throw cardError(100290, 'There is an invalid user resource(at/person) in your card', id)
    }
  }

  #button(element: Fields, path: string): void {
    const { text } = element
    if (text !== undefined && (!isFields(text) || typeof text.content !== 'string'))
      throw malformed(`${path}: text`)
    if (isFields(text) && [...textOf(text.content)].length > MOST_BUTTON_TEXT)
      throw malformed(`${path}: text is longer than ${MOST_BUTTON_TEXT}`)
    for (const behavior of listOf(element.behaviors)) {
      if (behavior.type !== 'open_url' && behavior.type !== 'callback' && behavior.type !== 'form_action')
        throw malformed(`${path}: behaviors.type ${textOf(behavior.type)}`)
    }
  }

  /** At the root only. https://open.feishu.cn/document/feishu-cards/card-json-v2-components/content-components/table */
  #table(element: Fields, path: string, depth: number): void {
    this.#tables++
    if (depth > 0) throw malformed(`${path}: a table stands at the root only`)
    const names = new Set(listOf(element.columns).map(({ name }) => textOf(name)))
    if (names.size === 0) throw malformed(`${path}: columns`)
    if (element.rows !== undefined && !Array.isArray(element.rows))
      throw cardError(200914, 'table rows is invalid', '', path)
    for (const row of listOf(element.rows)) {
      const stray = Object.keys(row).find((name) => !names.has(name))
      if (stray !== undefined) throw cardError(200915, 'table rows name is invalid', stray, path)
    }
  }
}
