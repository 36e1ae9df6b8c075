/** What a person sees of a message, as it is put together: words, links, whom it pages, what can be pressed. */
import { type Fields, isFields } from '../fields.js'

export interface Names {
  /** Who is meant by an id, or by a placeholder, in this message. Undefined: nobody. */
  person(id: string): { who: string; name: string } | undefined
  /** Whom `@all` pages in this chat. */
  everyone: readonly string[]
  /** The word for all of them. */
  all: string
}

/** A button of a card. */
export interface Button {
  label: string
  /** See {@link valueText}. */
  value: string
  /** What the callback carries, as the card has it. */
  action: unknown
  name?: string
}

export interface Rendered {
  text: string
  links: { text: string; url: string }[]
  /** Principals it pages, in order, each once; `all` where it would page everybody and nobody is there. */
  pings: string[]
  buttons: Button[]
}

export class Canvas {
  readonly #names: Names
  readonly #links: Rendered['links'] = []
  readonly #pings = new Set<string>()
  readonly #buttons: Button[] = []

  constructor(names: Names) {
    this.#names = names
  }

  done(text: string): Rendered {
    return { text, links: this.#links, pings: [...this.#pings], buttons: this.#buttons }
  }

  /** Names somebody, who is told of it. Null: nobody has this id. */
  mention(id: string): string | null {
    if (id === 'all' || id === '@_all') {
      const { everyone, all } = this.#names
      for (const who of everyone.length > 0 ? everyone : ['all']) this.#pings.add(who)
      return `@${all}`
    }
    const person = this.#names.person(id)
    if (person === undefined) return null
    this.#pings.add(person.who)
    return `@${person.name}`
  }

  /** The name alone: nobody is told. */
  name(id: string): string {
    return this.#names.person(id)?.name ?? id
  }

  /** A link counts when a client follows it: http and https. Its label is shown in any case. */
  link(text: string, url: string): string {
    const label = text === '' ? url : text
    if (isLink(url)) this.#links.push({ text: label, url })
    return label
  }

  /** Addresses that stand in a text by themselves: clients make links of them. */
  bare(text: string): string {
    for (const [url] of text.matchAll(/https?:\/\/[^\s<>"'`\u3000-\u303f\uff00-\uffef]+/g)) {
      const clean = url.replace(/[.,;:!?)\]}]+$/, '')
      this.#links.push({ text: clean, url: clean })
    }
    return text
  }

  button(label: string, action: unknown, name?: string): void {
    this.#buttons.push({ label, action, value: valueText(action), ...(name !== undefined && { name }) })
  }
}

/** https://open.feishu.cn/document/feishu-cards/card-json-v2-components/content-components/rich-text: HTTP and HTTPS only. */
export const isLink = (url: string): boolean => /^https?:\/\/\S+$/i.test(url)

/**
 * What a button carries, as one text, by which it can be told from others: a text as it is; of an object with the one
 * text `value`, that text; of any other its JSON.
 */
export function valueText(action: unknown): string {
  if (typeof action === 'string') return action
  if (isFields(action)) {
    const entries = Object.entries(action)
    if (entries.length === 1 && entries[0]?.[0] === 'value' && typeof entries[0][1] === 'string')
      return entries[0][1]
  }
  return action === undefined ? '' : JSON.stringify(action)
}

/** Text of a `plain_text`, or of a bare string. */
export const plainText = (value: unknown): string => {
  if (typeof value === 'string') return value
  const content = isFields(value) ? (value as Fields).content : undefined
  return typeof content === 'string' ? content : ''
}
