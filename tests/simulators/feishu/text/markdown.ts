/**
 * Markdown as Feishu reads it, in three dialects:
 *
 * - `card`: cards of schema 2.0: CommonMark with tables, and some HTML, but no HTML blocks.
 *   https://open.feishu.cn/document/feishu-cards/card-json-v2-components/content-components/rich-text
 * - `old-card`: cards of schema 1.0, without headings, quotes, inline code and tables: their signs are shown.
 *   https://open.feishu.cn/document/feishu-cards/card-components/content-components/rich-text
 * - `post`: the `md` of rich text messages, without headings, inline code and tables.
 *   https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json
 *
 * Whatever looks like a tag of HTML in a card but is none of Feishu's is not shown at all.
 */
import { createRequire } from 'node:module'
import type { List, Nodes, PhrasingContent, Root } from 'mdast'
import type { Canvas } from './canvas.js'
import { emojiCharacter, isKnownEmoji } from './emoji.js'

export type Dialect = 'card' | 'old-card' | 'post'

/** Constructs that a dialect has not. */
const OFF: Readonly<Record<Dialect, string[]>> = {
  card: [],
  'old-card': ['headingAtx', 'setextUnderline', 'blockQuote', 'codeText', 'table', 'definition'],
  // A post knows no HTML but `<at>`, which is read before the Markdown is.
  post: ['headingAtx', 'setextUnderline', 'codeText', 'table', 'definition', 'htmlText'],
}
const ALWAYS_OFF = ['htmlFlow', 'gfmFootnoteCall', 'gfmFootnoteDefinition', 'gfmPotentialFootnoteCall']

const parsers = new Map<Dialect, (text: string) => Root>()

/** Loaded when first needed: a simulator that nobody sends Markdown to does not pay for it. */
function parserFor(dialect: Dialect): (text: string) => Root {
  const known = parsers.get(dialect)
  if (known !== undefined) return known
  const require = createRequire(import.meta.url)
  const { fromMarkdown } = require('mdast-util-from-markdown') as typeof import('mdast-util-from-markdown')
  const { gfm } = require('micromark-extension-gfm') as typeof import('micromark-extension-gfm')
  const { gfmFromMarkdown } = require('mdast-util-gfm') as typeof import('mdast-util-gfm')
  const extensions = [gfm(), { disable: { null: [...ALWAYS_OFF, ...OFF[dialect]] } }]
  const parse = (text: string): Root =>
    fromMarkdown(dashed(text), { extensions, mdastExtensions: gfmFromMarkdown() })
  parsers.set(dialect, parse)
  return parse
}

/** Some of Feishu's tags have an underscore in their name, which no tag of HTML has. */
const dashed = (text: string): string =>
  text.replace(/<(\/?)(text|number|local)_(tag|datetime)\b/g, '<$1$2-$3')
const undashed = (text: string): string =>
  text.replace(/<(\/?)(text|number|local)-(tag|datetime)\b/g, '<$1$2_$3')

/** What is seen of a Markdown text. */
export function renderMarkdown(text: string, canvas: Canvas, dialect: Dialect): string {
  return new Reading(canvas, dialect).blocks(parserFor(dialect)(text).children)
}

/** How many tables it holds, and whom it names by `<at>`: what a card is checked for. */
export function surveyMarkdown(text: string, dialect: Dialect): { tables: number; ats: string[] } {
  const survey = { tables: 0, ats: [] as string[] }
  const visit = (node: Nodes): void => {
    if (node.type === 'table') survey.tables++
    if (node.type === 'html') survey.ats.push(...atIds(node.value))
    if ('children' in node) for (const child of node.children) visit(child)
  }
  visit(parserFor(dialect)(text))
  return survey
}

/** Ids that an opening tag `<at …>` names: `id`, several by `ids`, `email`; in posts `user_id`. */
function atIds(tag: string): string[] {
  const attributes = /^<at\s+([^>]*?)\/?>$/.exec(tag)?.[1]
  if (attributes === undefined) return []
  const value = /(?:^|\s)(?:id|ids|email|user_id)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/.exec(attributes)
  const ids = value?.[1] ?? value?.[2] ?? value?.[3] ?? ''
  return ids.split(',').map((id) => id.trim())
}

const RULE = '———'

class Reading {
  readonly #canvas: Canvas
  readonly #dialect: Dialect

  constructor(canvas: Canvas, dialect: Dialect) {
    this.#canvas = canvas
    this.#dialect = dialect
  }

  blocks(nodes: readonly Nodes[], glue = '\n'): string {
    return nodes
      .filter(({ type }) => type !== 'definition')
      .map((node) => this.#block(node))
      .join(glue)
  }

  #block(node: Nodes): string {
    switch (node.type) {
      case 'paragraph':
      case 'heading':
        return this.#inline(node.children)
      case 'thematicBreak':
        return RULE
      case 'code':
        return undashed(node.value)
      case 'blockquote':
        return this.blocks(node.children).replace(/^/gm, '> ')
      case 'list':
        return this.#list(node, 0)
      case 'table':
        return node.children
          .map((row) => row.children.map((cell) => this.#inline(cell.children)).join(' | '))
          .join('\n')
      default:
        return this.#inline([node as PhrasingContent])
    }
  }

  #list(list: List, depth: number): string {
    let number = list.start ?? 1
    return list.children
      .map((item) => {
        const mark = list.ordered === true ? `${number++}. ` : '• '
        const box = item.checked === true ? '[x] ' : item.checked === false ? '[ ] ' : ''
        const own = item.children.filter(({ type }) => type !== 'list')
        const nested = item.children.filter((child): child is List => child.type === 'list')
        const pad = '  '.repeat(depth)
        const first = `${pad}${mark}${box}${this.blocks(own).replace(/\n/g, `\n${pad}${' '.repeat(mark.length)}`)}`
        return [first, ...nested.map((inner) => this.#list(inner, depth + 1))].join('\n')
      })
      .join('\n')
  }

  #inline(nodes: readonly PhrasingContent[]): string {
    let text = ''
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at] as PhrasingContent
      if (node.type !== 'html') {
        text += this.#piece(node)
        continue
      }
      const { shown, skip } = this.#html(nodes, at)
      text += shown
      at += skip
    }
    return text
  }

  #piece(node: PhrasingContent): string {
    switch (node.type) {
      case 'text':
        return this.#text(node.value)
      case 'inlineCode':
        return undashed(node.value)
      case 'break':
        return '\n'
      case 'link':
        return this.#link(node.url, node.children)
      case 'image':
        return node.alt ?? ''
      default:
        if (!('children' in node)) return ''
        return this.#inline(node.children)
    }
  }

  #link(url: string, children: readonly PhrasingContent[]): string {
    return this.#canvas.link(this.#inline(children), url)
  }

  #text(value: string): string {
    if (this.#dialect === 'post') {
      return value.replace(/@_user_\d+|@_all/g, (key) => this.#canvas.mention(key) ?? key)
    }
    return value.replace(/:([A-Za-z][A-Za-z0-9_]*):/g, (whole, name: string) =>
      isKnownEmoji(name) ? emojiCharacter(name) : whole,
    )
  }

  /** An opening tag and what belongs to it. `skip`: how many of the following nodes are dealt with. */
  #html(nodes: readonly PhrasingContent[], at: number): { shown: string; skip: number } {
    const { value } = nodes[at] as { value: string }
    const name = /^<\/?([a-z-]+)/i.exec(value)?.[1]?.toLowerCase() ?? ''
    if (name === 'br') return { shown: '\n', skip: 0 }
    if (name === 'hr') return { shown: `\n${RULE}\n`, skip: 0 }
    if (value.startsWith('</') || !PAIRED.has(name)) return { shown: '', skip: 0 }
    const end = nodes.findIndex(
      (node, index) => index > at && node.type === 'html' && node.value.toLowerCase().startsWith(`</${name}`),
    )
    const inner = end < 0 ? [] : nodes.slice(at + 1, end)
    return { shown: this.#pair(name, value, inner), skip: end < 0 ? 0 : end - at }
  }

  #pair(name: string, tag: string, inner: readonly PhrasingContent[]): string {
    const attribute = (key: string): string =>
      new RegExp(`\\s${key}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`)
        .exec(tag)
        ?.slice(1)
        .find((part) => part !== undefined) ?? ''
    switch (name) {
      case 'at':
        return atIds(tag)
          .map((id) => this.#canvas.mention(id) ?? '@')
          .join(' ')
      case 'a':
        return this.#link(attribute('href'), inner)
      case 'link':
        return this.#link(attribute('url'), inner)
      case 'person':
        return this.#canvas.name(attribute('id'))
      default:
        return this.#inline(inner)
    }
  }
}

const PAIRED = new Set([
  'at',
  'a',
  'link',
  'person',
  'font',
  'text_tag',
  'raw',
  'number_tag',
  'local_datetime',
])
