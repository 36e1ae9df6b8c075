/**
 * Markdown as cards and the `md` tag hold it: CommonMark with some tags of Feishu's own
 * (https://open.feishu.cn/document/feishu-cards/card-json-v2-components/content-components/rich-text).
 */
import type { PhrasingContent, RootContent } from 'mdast'
import { parseDoc } from '../../src/messaging/contract.js'
import type { People } from './read-people.js'
import { inlineNodes, linkNode, mentionNode, plainPlaceholders, textNode } from './read-text.js'

type Node = RootContent | PhrasingContent

export function mdBlocks(markdown: string, people: People): RootContent[] {
  return parseDoc(markdown).children.flatMap((node) => blocksOf(node, people))
}

function blocksOf(node: RootContent, people: People): RootContent[] {
  switch (node.type) {
    case 'html': {
      const children = inlineOf(htmlNodes(node.value), people)
      return children.length === 0 ? [] : [{ type: 'paragraph', children }]
    }
    case 'code':
      return [{ type: 'code', lang: node.lang ?? null, meta: null, value: node.value }]
    case 'thematicBreak':
      return [{ type: 'thematicBreak' }]
    case 'definition':
    case 'yaml':
      return []
    default: {
      if (!('children' in node)) return []
      const { position: _, ...rest } = node
      return [{ ...rest, children: childrenOf(node, people) } as RootContent]
    }
  }
}

const PHRASING = new Set(['paragraph', 'heading', 'tableCell', 'strong', 'emphasis', 'delete', 'link'])

function childrenOf(node: Node, people: People): Node[] {
  if (!('children' in node)) return []
  if (PHRASING.has(node.type)) return inlineOf(node.children as PhrasingContent[], people)
  return (node.children as RootContent[]).flatMap((child) => blocksOf(child, people))
}

/** Phrasing with its tags read: a tag is a node, what stands between two is others. */
function inlineOf(nodes: readonly PhrasingContent[], people: People): PhrasingContent[] {
  const read: PhrasingContent[] = []
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at] as PhrasingContent
    if (node.type !== 'html') {
      read.push(...phraseOf(node, people))
      continue
    }
    const tag = tagOf(node.value)
    const end = closing(nodes, at, tag?.name)
    const label = plainOf(nodes.slice(at + 1, end ?? at + 1))
    const found = tag === undefined ? [] : tagNodes(tag, label, people)
    read.push(...found)
    if (end !== undefined && tag !== undefined && WHOLE.has(tag.name)) at = end
  }
  return read
}

function phraseOf(node: PhrasingContent, people: People): PhrasingContent[] {
  switch (node.type) {
    case 'text':
      return inlineNodes(node.value, people)
    case 'inlineCode':
      return [{ type: 'inlineCode', value: plainPlaceholders(node.value, people) }]
    case 'break':
      return [textNode('\n')]
    case 'image':
      // An image of Feishu's own is a key, which no address leads to.
      return /^https?:/i.test(node.url) ? [linkNode(node.url, node.alt || node.url)] : altOf(node.alt)
    case 'link':
      return [{ type: 'link', url: node.url, title: null, children: inlineOf(node.children, people) }]
    case 'strong':
    case 'emphasis':
    case 'delete':
      return [{ type: node.type, children: inlineOf(node.children, people) }]
    case 'footnoteReference':
      return [textNode(`[${node.identifier}]`)]
    default:
      return 'children' in node ? inlineOf(node.children, people) : []
  }
}

const altOf = (alt: string | null | undefined): PhrasingContent[] => (alt ? [textNode(alt)] : [])

interface Tag {
  name: string
  open: boolean
  attributes: Readonly<Record<string, string>>
}

/** Tags whose content is read together with them. */
const WHOLE = new Set(['at', 'person', 'a', 'link'])

function tagOf(html: string): Tag | undefined {
  const match = /^<(\/?)([a-z_]+)((?:\s[^>]*)?)\/?>$/i.exec(html.trim())
  if (match === null) return undefined
  const attributes: Record<string, string> = {}
  for (const [, key = '', double, single, bare] of (match[3] ?? '').matchAll(ATTRIBUTE)) {
    if (/^[a-z_]+$/.test(key)) attributes[`$${key}`] = double ?? single ?? bare ?? ''
  }
  return { name: (match[2] ?? '').toLowerCase(), open: match[1] === '', attributes }
}

const ATTRIBUTE = /([a-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))/gi

function closing(nodes: readonly PhrasingContent[], at: number, name: string | undefined) {
  if (name === undefined || !WHOLE.has(name)) return undefined
  for (let end = at + 1; end < Math.min(nodes.length, at + 8); end++) {
    const node = nodes[end]
    if (node?.type === 'html' && tagOf(node.value)?.open === false) return end
  }
  return undefined
}

function tagNodes({ name, open, attributes }: Tag, label: string, people: People): PhrasingContent[] {
  if (name === 'br') return [textNode('\n')]
  if (!open) return []
  if (name === 'at') {
    const ids = (attributes.$id ?? attributes.$ids ?? attributes.$user_id ?? attributes.$open_id ?? '')
      .split(',')
      .filter((id) => /^[\w@-]{1,128}$/.test(id))
    const mentions = ids.map((id) => mentionNode(people.mention(id, label || undefined)))
    if (mentions.length > 0) return mentions
    const shown = label || attributes.$email || ''
    return shown === '' ? [] : [textNode(`@${shown}`)]
  }
  if (name === 'person') {
    const id = attributes.$id ?? ''
    return id === '' ? [] : [textNode(people.name(id, label))]
  }
  if (name === 'a' || name === 'link') {
    const url = attributes.$href ?? attributes.$url ?? ''
    return /^https?:\/\/\S+$/i.test(url) ? [linkNode(url, label || url)] : altOf(label)
  }
  return []
}

const plainOf = (nodes: readonly PhrasingContent[]): string =>
  nodes
    .map((node) => ('value' in node && node.type !== 'html' ? node.value : ''))
    .join('')
    .trim()

/** A block of tags, which no Markdown was read in. */
function htmlNodes(html: string): PhrasingContent[] {
  return html
    .split(/(<\/?[a-z_]+(?:\s[^<>]*)?\/?>)/gi)
    .filter((part) => part !== '')
    .map((part, index) =>
      index % 2 === 1 || part.startsWith('<') ? { type: 'html', value: part } : textNode(part),
    )
}
