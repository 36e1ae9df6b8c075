/**
 * Markdown as cards and the `md` tag hold it: CommonMark with some tags of Feishu's own
 * (https://open.feishu.cn/document/feishu-cards/card-json-v2-components/content-components/rich-text).
 *
 * Tags are set aside before the Markdown is read: a `<` that is written as a reference is text, and must not become one.
 */
import type { PhrasingContent, RootContent } from 'mdast'
import { parseDoc } from '../../src/messaging/contract.js'
import type { People } from './read-people.js'
import { linkNode, mentionNode, placeholderNodes, plainPlaceholders, textNode } from './read-text.js'

export function mdBlocks(markdown: string, people: People): RootContent[] {
  return new MarkdownReader(markdown, people).blocks()
}

/** Stand around the number of a tag that was set aside, and end an address as a tag does. */
const OPEN = '<⸨'
const CLOSE = '⸩>'
const ASIDE = /<⸨(\d+)⸩>/g

/** A tag with the text it is about, or any other tag; or a mark of our own, which is text. */
const TAG =
  /<(at|person|a|link)\b([^<>\n]*)>([^<>\n]{0,1000})<\/\1\s*>|<\/?(?:at|person|a|link|br|hr|font|text_tag|number_tag|local_datetime|raw|audio)\b[^<>\n]*>|[⸨⸩]/gi

class MarkdownReader {
  readonly #aside: string[] = []
  readonly #markdown: string

  constructor(
    markdown: string,
    private readonly people: People,
  ) {
    this.#markdown = markdown.replace(TAG, (tag) => `${OPEN}${this.#aside.push(tag) - 1}${CLOSE}`)
  }

  blocks(): RootContent[] {
    return parseDoc(this.#markdown).children.flatMap((node) => this.#block(node))
  }

  /** The text as it was written. */
  #written(text: string): string {
    return text.replace(ASIDE, (mark, index: string) => this.#aside[Number(index)] ?? mark)
  }

  #code(text: string): string {
    return plainPlaceholders(this.#written(text), this.people)
  }

  #block(node: RootContent): RootContent[] {
    switch (node.type) {
      case 'code':
        return [{ type: 'code', lang: node.lang ?? null, meta: null, value: this.#code(node.value) }]
      case 'thematicBreak':
        return [{ type: 'thematicBreak' }]
      case 'paragraph':
      case 'heading':
      case 'tableCell': {
        const { position: _, ...rest } = node
        return [{ ...rest, children: this.#inline(node.children) }]
      }
      case 'blockquote':
      case 'list':
      case 'listItem':
      case 'table':
      case 'tableRow': {
        const { position: _, ...rest } = node
        const children = (node.children as RootContent[]).flatMap((child) => this.#block(child))
        return [{ ...rest, children } as RootContent]
      }
      default:
        return []
    }
  }

  #inline(nodes: readonly PhrasingContent[]): PhrasingContent[] {
    return nodes.flatMap((node) => this.#phrase(node))
  }

  #phrase(node: PhrasingContent): PhrasingContent[] {
    switch (node.type) {
      case 'text':
      case 'html':
        return this.#text(node.value)
      case 'inlineCode':
        return [{ type: 'inlineCode', value: this.#code(node.value) }]
      case 'break':
        return [textNode('\n')]
      case 'image':
        // An image of Feishu's own is a key, which no address leads to.
        return /^https?:/i.test(node.url) ? [linkNode(node.url, node.alt || node.url)] : altOf(node.alt)
      case 'link': {
        const children = this.#inline(node.children).filter(({ type }) => type !== 'link')
        return [{ type: 'link', url: this.#written(node.url), title: null, children }]
      }
      case 'strong':
      case 'emphasis':
      case 'delete':
        return [{ type: node.type, children: this.#inline(node.children) }]
      case 'footnoteReference':
        return [textNode(`[${node.identifier}]`)]
      default:
        return 'children' in node ? this.#inline(node.children) : []
    }
  }

  #text(value: string): PhrasingContent[] {
    return value
      .split(ASIDE)
      .flatMap((part, index) =>
        index % 2 === 0 ? placeholderNodes(part, this.people) : this.#tag(this.#aside[Number(part)] ?? ''),
      )
  }

  #tag(tag: string): PhrasingContent[] {
    if (/^[⸨⸩]$/.test(tag)) return [textNode(tag)]
    if (/^<br\b/i.test(tag)) return [textNode('\n')]
    const [, name = '', attributes = '', label = ''] =
      /^<(at|person|a|link)\b([^<>]*)>(?:([^<>]*)<\/)?/i.exec(tag) ?? []
    return tagNodes(name.toLowerCase(), attributesOf(attributes), decoded(label), this.people)
  }
}

const altOf = (alt: string | null | undefined): PhrasingContent[] => (alt ? [textNode(alt)] : [])

const ATTRIBUTE = /([a-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/gi

function attributesOf(written: string): ReadonlyMap<string, string> {
  return new Map(
    [...written.matchAll(ATTRIBUTE)].map(([, key = '', double, single, bare]) => [
      key.toLowerCase(),
      double ?? single ?? bare ?? '',
    ]),
  )
}

function tagNodes(
  name: string,
  attributes: ReadonlyMap<string, string>,
  label: string,
  people: People,
): PhrasingContent[] {
  switch (name) {
    case 'at': {
      const written = ['id', 'ids', 'user_id', 'open_id'].map((key) => attributes.get(key) ?? '').join(',')
      const ids = written.split(',').filter((id) => /^[\w@-]{1,128}$/.test(id))
      if (ids.length > 0) return ids.map((id) => mentionNode(people.mention(id, label || undefined)))
      const shown = label || attributes.get('email')
      return shown ? [textNode(`@${shown}`)] : []
    }
    case 'person': {
      const id = attributes.get('id')
      return id ? [textNode(people.name(id, label))] : []
    }
    case 'a':
    case 'link': {
      const url = attributes.get('href') ?? attributes.get('url') ?? ''
      return /^https?:\/\/\S+$/i.test(url) ? [linkNode(url, label || url)] : altOf(label)
    }
    default:
      return []
  }
}

/** Character references in what stands between two tags, which no Markdown was read in. */
function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|(lt|gt|amp|quot));/g, (written, code?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? written
    const point = Number(code)
    return point > 0 && point < 0x11_0000 ? String.fromCodePoint(point) : written
  })
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }
