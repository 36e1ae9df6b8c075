/**
 * The `markdown` block: CommonMark and GFM that Slack turns into blocks of its own.
 * https://docs.slack.dev/reference/block-kit/blocks/markdown-block
 *
 * Slack's tokens between `<` and `>` work in it too. They are looked for before the Markdown is, so also inside code:
 * what was not escaped can page. In code, `&lt; &gt; &amp;` are decoded as everywhere in Slack.
 */
import { createRequire } from 'node:module'
import type { List, ListItem, Nodes, PhrasingContent, Root, Table } from 'mdast'
import {
  type Block,
  type Inline,
  joined,
  type Section,
  type Style,
  textElement,
  token,
  unescapeText,
} from './rich.js'

/** Stands for the n-th token while the Markdown is read: characters of the private use area. */
const OPEN = '\ue000'
const CLOSE = '\ue001'
const HELD = /\ue000(\d+)\ue001/g

let parser: ((text: string) => Root) | undefined

/** Loaded when first needed: a simulator that nobody posts Markdown to does not pay for it. */
function load(): (text: string) => Root {
  const require = createRequire(import.meta.url)
  const { fromMarkdown } = require('mdast-util-from-markdown') as typeof import('mdast-util-from-markdown')
  const { gfm } = require('micromark-extension-gfm') as typeof import('micromark-extension-gfm')
  const { gfmFromMarkdown } = require('mdast-util-gfm') as typeof import('mdast-util-gfm')
  // Raw HTML is text.
  const extensions = [gfm(), { disable: { null: ['htmlFlow', 'htmlText'] } }]
  return (text) => fromMarkdown(text, { extensions, mdastExtensions: gfmFromMarkdown() })
}

/** The blocks Slack keeps of a `markdown` block. */
export function parseMarkdown(markdown: string, blockId: () => string): Block[] {
  parser ??= load()
  const held: Inline[] = []
  const text = markdown.replace(/<([^<>\n]+)>/g, (whole, content: string) => {
    const element = token(content)
    return element === null ? whole : `${OPEN}${held.push(element) - 1}${CLOSE}`
  })
  return new Translation(held, blockId).blocks(parser(text))
}

class Translation {
  readonly #held: readonly Inline[]
  readonly #blockId: () => string
  readonly #out: Block[] = []
  #rich: Block[] = []

  constructor(held: readonly Inline[], blockId: () => string) {
    this.#held = held
    this.#blockId = blockId
  }

  blocks(root: Root): Block[] {
    for (const node of root.children) this.#block(node)
    this.#flush()
    return this.#out
  }

  #flush(): void {
    if (this.#rich.length === 0) return
    this.#out.push({ type: 'rich_text', block_id: this.#blockId(), elements: this.#rich })
    this.#rich = []
  }

  #own(block: Block): void {
    this.#flush()
    this.#out.push({ ...block, block_id: this.#blockId() })
  }

  #block(node: Nodes): void {
    switch (node.type) {
      case 'thematicBreak':
        this.#own({ type: 'divider' })
        return
      case 'table':
        this.#own(this.#table(node))
        return
      case 'heading':
        this.#section(this.#inline(node.children, { bold: true }))
        return
      case 'paragraph':
        this.#section(this.#inline(node.children))
        return
      case 'code':
        this.#rich.push({ type: 'rich_text_preformatted', border: 0, elements: this.#code(node.value, {}) })
        return
      case 'list':
        this.#list(node, 0)
        return
      case 'blockquote':
        this.#rich.push({ type: 'rich_text_quote', elements: this.#flat(node.children) })
        return
      case 'definition':
        return
      default:
        this.#section(this.#flat([node]))
    }
  }

  #section(elements: Inline[]): void {
    const last = this.#rich.at(-1)
    // Paragraphs of one run are one section, a blank line apart.
    if (last?.type === 'rich_text_section')
      last.elements = joined([...(last.elements as Inline[]), textElement('\n\n'), ...elements])
    else this.#rich.push({ type: 'rich_text_section', elements })
  }

  #list(list: List, indent: number): void {
    let items: Section[] = []
    const style = list.ordered === true ? 'ordered' : 'bullet'
    let offset = (list.start ?? 1) - 1
    const flush = (): void => {
      if (items.length === 0) return
      const counted = style === 'ordered' && offset > 0 ? { offset } : {}
      this.#rich.push({ type: 'rich_text_list', style, indent, border: 0, ...counted, elements: items })
      offset += items.length
      items = []
    }
    for (const item of list.children) {
      const nested = item.children.filter((child) => child.type === 'list')
      const own = this.#flat(item.children.filter((child) => child.type !== 'list'))
      items.push({ type: 'rich_text_section', elements: joined([textElement(box(item)), ...own]) })
      if (nested.length > 0) flush()
      for (const list of nested) this.#list(list, indent + 1)
    }
    flush()
  }

  #table(table: Table): Block {
    const rows = table.children.map((row) =>
      row.children.map((cell) => ({
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: this.#inline(cell.children) }],
      })),
    )
    return { type: 'table', rows }
  }

  /** Blocks as one run of text. */
  #flat(nodes: readonly Nodes[]): Inline[] {
    const parts = nodes.map((node): Inline[] => {
      if (node.type === 'code') return this.#code(node.value, { code: true })
      if (node.type === 'list') {
        return this.#lines(
          node.children.map((item, at) => [
            textElement(node.ordered === true ? `${(node.start ?? 1) + at}. ` : '• '),
            ...this.#flat(item.children),
          ]),
        )
      }
      if (node.type === 'table') {
        return this.#lines(
          node.children.map((row) =>
            row.children.flatMap((cell, at) => [
              textElement(at > 0 ? ' | ' : ''),
              ...this.#inline(cell.children),
            ]),
          ),
        )
      }
      if (node.type === 'heading') return this.#inline(node.children, { bold: true })
      if (node.type === 'paragraph') return this.#inline(node.children)
      if (node.type === 'thematicBreak') return [textElement('———')]
      return 'children' in node ? this.#flat(node.children) : this.#inline([node as PhrasingContent])
    })
    return this.#lines(parts)
  }

  #lines(parts: readonly Inline[][]): Inline[] {
    return joined(parts.flatMap((part, at) => (at > 0 ? [textElement('\n'), ...part] : part)))
  }

  #inline(nodes: readonly PhrasingContent[], style: Style = {}): Inline[] {
    return joined(nodes.flatMap((node) => this.#phrase(node, style)))
  }

  #phrase(node: PhrasingContent, style: Style): Inline[] {
    switch (node.type) {
      case 'text':
      case 'html':
        return this.#text(node.value, style)
      case 'inlineCode':
        return this.#code(node.value, { ...style, code: true })
      case 'strong':
        return this.#inline(node.children, { ...style, bold: true })
      case 'emphasis':
        return this.#inline(node.children, { ...style, italic: true })
      case 'delete':
        return this.#inline(node.children, { ...style, strike: true })
      case 'break':
        return [textElement('\n', style)]
      case 'link':
        return this.#link(node.url, this.#inline(node.children, style), style)
      case 'image':
        return this.#link(node.url, this.#text(node.alt ?? '', style), style)
      case 'footnoteReference':
        return [textElement(`[^${node.identifier}]`, style)]
      case 'imageReference':
        return this.#text(node.alt ?? '', style)
      case 'linkReference':
        return this.#inline(node.children, style)
      default:
        return []
    }
  }

  /** A mention inside a label ends the link there: Slack's links hold text only. */
  #link(url: string, label: Inline[], style: Style): Inline[] {
    const styled = Object.keys(style).length > 0 ? { style } : {}
    return label.map((part) =>
      part.type === 'text' ? { type: 'link', url: this.#restore(url), text: part.text, ...styled } : part,
    )
  }

  #code(value: string, style: Style): Inline[] {
    return this.#text(value, style, unescapeText)
  }

  #text(value: string, style: Style, decode = (text: string) => text): Inline[] {
    const out: Inline[] = []
    let at = 0
    for (const match of value.matchAll(HELD)) {
      const element = this.#held[Number(match[1])]
      if (element === undefined) continue
      out.push(textElement(decode(value.slice(at, match.index)), style), element)
      at = match.index + match[0].length
    }
    return joined([...out, textElement(decode(value.slice(at)), style)])
  }

  /** An address that holds what was taken for a token reads as it was written. */
  #restore(url: string): string {
    return decodeURI(url).replace(HELD, (_, at: string) => {
      const element = this.#held[Number(at)]
      return element?.type === 'link' ? element.url : ''
    })
  }
}

const box = (item: ListItem): string => (item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : '')
