/**
 * What of a document has to be seen on a platform. Everything the platform draws by itself (bullets, bars, rules) and
 * everything it cannot show is said by {@link Shows}, and by nothing else: what is not excused there is a broken law.
 */
import type { Doc, Mention } from '../../../src/messaging/contract.js'

type Node = Doc | Doc['children'][number]

/** How a platform, or its adapter, shows what a document holds. */
export interface Shows {
  /** One character that may be drawn around content: a bullet, a cell's border, a quote's bar. */
  drawn: RegExp
  /** What may stand for a task's box. Always optional. */
  boxes: { done: readonly string[]; open: readonly string[] }
  /** What may stand for a thematic break. Always optional. */
  rules: readonly string[]
  /** How an image is seen: its text, and whether that is a link to it. */
  image(alt: string, url: string): { text: string; link: boolean }
  /** Addresses a label can be linked to. Any other link is seen as `unlinked` says. */
  linkable(url: string): boolean
  unlinked(label: string, url: string): string
  /** The ways in which a mention may be seen; default `@name`. */
  mention?(mention: Mention): readonly string[]
  /** A table that goes on in another part begins there with its header. */
  repeatsHeader: boolean
}

/** A character that has to be seen, or something drawn for which the platform has a choice. */
export type Atom =
  | {
      kind: 'char'
      char: string
      /** White space, a drawn character or a new part stands in front of it. */
      gap: boolean
      /** The header of the table it stands in, for tables that repeat it. */
      header?: string
    }
  | { kind: 'choice'; choices: readonly string[]; optional: boolean; gap: boolean; header?: string }

export interface Expected {
  atoms: readonly Atom[]
  /** In order. `bare`: the address itself is the label. */
  links: readonly { text: string; url: string; bare: boolean }[]
  /** Ids of the users it names, in order, one for each time. */
  mentions: readonly string[]
  /** Contents of code, verbatim. */
  code: readonly string[]
}

/** What has to be seen of `doc` on a platform that shows things as `shows` says. */
export function normalise(doc: Doc, shows: Shows): Expected {
  const seen = new Expectation(shows)
  seen.walk(doc)
  return seen
}

/** The text of the characters, one blank where a gap is: for messages and for finding characters that were cut. */
export function visibleText(atoms: readonly Atom[]): string {
  return atoms
    .map((atom) => {
      const text = atom.kind === 'char' ? atom.char : (atom.choices[0] ?? '')
      return atom.gap ? ` ${text}` : text
    })
    .join('')
}

class Expectation implements Expected {
  readonly atoms: Atom[] = []
  readonly links: { text: string; url: string; bare: boolean }[] = []
  readonly mentions: string[] = []
  readonly code: string[] = []
  #gap = false
  #header: string | undefined

  constructor(private readonly shows: Shows) {}

  walk(node: Node): void {
    switch (node.type) {
      case 'text':
      case 'html':
        this.#text(node.value)
        break
      case 'inlineCode':
        this.code.push(node.value)
        this.#text(node.value)
        break
      case 'code':
        this.code.push(node.value)
        this.#block(() => this.#text(node.value))
        break
      case 'mention':
        this.#mention(node)
        break
      case 'break':
        this.#gap = true
        break
      case 'thematicBreak':
        this.#block(() => this.#choice(this.shows.rules, true))
        break
      case 'link':
        this.#link(node)
        break
      case 'image':
        this.#image(node)
        break
      case 'list':
        this.#list(node)
        break
      case 'table':
        this.#table(node)
        break
      default:
        this.#others(node)
    }
  }

  #others(node: Node): void {
    if (!('children' in node) || node.type === 'footnoteDefinition') return
    const inside = () => this.#children(node.children as readonly Node[])
    if (BLOCKS.has(node.type)) this.#block(inside)
    else inside()
  }

  #children(nodes: readonly Node[]): void {
    for (const child of nodes) this.walk(child)
  }

  #list(node: Extract<Node, { type: 'list' }>): void {
    const { done, open } = this.shows.boxes
    for (const [at, item] of node.children.entries()) {
      this.#block(() => {
        if (node.ordered) this.#block(() => this.#text(`${(node.start ?? 1) + at}.`))
        if (typeof item.checked === 'boolean') this.#choice(item.checked ? done : open, true)
        this.#children(item.children)
      })
    }
  }

  #table(node: Extract<Node, { type: 'table' }>): void {
    const [first] = node.children
    for (const row of node.children) {
      for (const cell of row.children) this.#block(() => this.#children(cell.children))
      if (row === first && this.shows.repeatsHeader) this.#header = this.#headerOf(first)
    }
    this.#header = undefined
  }

  #headerOf(row: Extract<Node, { type: 'tableRow' }>): string {
    const own = new Expectation(this.shows)
    own.#children(row.children)
    return visibleText(own.atoms).replaceAll(' ', '')
  }

  #image(node: Extract<Node, { type: 'image' }>): void {
    const { text, link } = this.shows.image(node.alt ?? '', node.url)
    if (link) this.links.push({ text: squeezed(text), url: node.url, bare: text === node.url })
    this.#text(text)
  }

  #link(node: Extract<Node, { type: 'link' }>): void {
    const own = new Expectation(this.shows)
    own.#children(node.children)
    const label = visibleText(own.atoms).trim()
    if (!this.shows.linkable(node.url)) {
      this.#text(this.shows.unlinked(label, node.url))
      return
    }
    const address = node.url.replace(/^(?:https?:\/\/|mailto:)/, '')
    const bare = label === '' || label === node.url || label === address
    this.links.push({ text: label === '' ? node.url : label, url: node.url, bare })
    if (label === '') this.#text(node.url)
    else this.#children(node.children)
  }

  #mention(node: Mention): void {
    if (node.target === 'user' && node.id !== undefined) this.mentions.push(node.id)
    this.#choice(this.shows.mention?.(node) ?? [`@${node.name}`], false)
  }

  #text(text: string): void {
    for (const char of text) {
      if (HIDDEN.test(char)) continue
      if (/\s/u.test(char)) this.#gap = true
      else {
        this.atoms.push({
          kind: 'char',
          char,
          gap: this.#gap,
          ...(this.#header !== undefined && { header: this.#header }),
        })
        this.#gap = false
      }
    }
  }

  #choice(choices: readonly string[], optional: boolean): void {
    this.atoms.push({
      kind: 'choice',
      choices,
      optional,
      gap: this.#gap,
      ...(this.#header !== undefined && { header: this.#header }),
    })
    if (!optional) this.#gap = false
  }

  /** Something that stands by itself. */
  #block(content: () => void): void {
    this.#gap = true
    content()
    this.#gap = true
  }
}

/** Characters nobody sees, which an adapter may put into a text to make it harmless. */
export const HIDDEN = /^[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u00ad]$/u

const BLOCKS = new Set(['paragraph', 'heading', 'blockquote', 'listItem', 'tableRow', 'tableCell'])

export function squeezed(text: string): string {
  return [...text]
    .filter((char) => !HIDDEN.test(char))
    .join('')
    .replace(/\s+/gu, ' ')
    .trim()
}
