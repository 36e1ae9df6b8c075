/** Mentions in a tree: which text may address somebody, turning what was found into nodes, and listing them. */
import type { Nodes, Text } from 'mdast'
import { MASK, maskedRanges } from '../text/mask.js'
import { alignText } from './align.js'
import type { MentionTarget } from './marked.js'
import type { Doc, Mention } from './types.js'

export type { MentionTarget } from './marked.js'

/** A stretch of {@link Addressable.text} that names somebody. */
export interface MentionSpan {
  start: number
  end: number
  mention: MentionTarget
}

export interface Addressable {
  /** The text as a person reads it, emphasis as one mark; mentions already known are blanks. */
  text: string
  /** The same with everything masked that addresses nobody: code, quotes, links, addresses. Same length. */
  masked: string
}

export interface MentionOptions {
  /** Also turn spans inside block quotes into mentions; they read right there but address nobody. Default false. */
  quotes?: boolean
}

interface Flat extends Addressable {
  /** Where each text node that may hold mentions begins. */
  nodes: ReadonlyMap<Text, number>
}

/** What of a text may address somebody; feed it to `findMentions` and `isEveryone`. */
export function addressable(doc: Doc, options: MentionOptions = {}): Addressable {
  const { text, masked } = flatten(doc, options)
  return { text, masked }
}

/**
 * The tree with the spans that `find` reports made mentions. `find` sees {@link Addressable}; a span must lie within
 * one run of text, others are left alone. Nothing inside code, links or (unless asked for) quotes becomes a mention.
 */
export function withMentions(
  doc: Doc,
  find: (text: string, masked: string) => readonly MentionSpan[],
  options: MentionOptions = {},
): Doc {
  const flat = flatten(doc, options)
  const spans = find(flat.text, flat.masked)
    .filter((span) => span.end > span.start)
    .toSorted((a, b) => a.start - b.start)
  if (spans.length === 0) return doc
  const bySource = new Map<Text, MentionSpan[]>()
  let next = 0
  for (const [node, start] of flat.nodes) {
    const end = start + node.value.length
    while (next < spans.length && (spans[next]?.start ?? 0) < start) next++
    let last = start
    for (; next < spans.length && (spans[next]?.start ?? 0) < end; next++) {
      const span = spans[next]
      if (span === undefined || span.end > end || span.start < last) continue
      if (flat.masked.slice(span.start, span.end).includes(MASK)) continue
      last = span.end
      const own = { ...span, start: span.start - start, end: span.end - start }
      bySource.set(node, [...(bySource.get(node) ?? []), own])
    }
  }
  return bySource.size === 0 ? doc : (replaced(doc, bySource, doc.source) as Doc)
}

/** The mentions of a text in order. Those inside a quote are somebody else's words and are left out. */
export function mentionsOf(doc: Doc): Mention[] {
  const found: Mention[] = []
  const walk = (node: Nodes): void => {
    if (node.type === 'mention') found.push(node)
    else if (node.type !== 'blockquote' && 'children' in node) for (const child of node.children) walk(child)
  }
  walk(doc)
  return found
}

function flatten(doc: Doc, options: MentionOptions): Flat {
  const texts: string[] = []
  const masks: string[] = []
  const nodes = new Map<Text, number>()
  let length = 0
  const add = (text: string, hidden: boolean): void => {
    texts.push(text)
    masks.push(hidden ? text.replace(/[^\r\n]/g, MASK) : text)
    length += text.length
  }
  const walk = (node: Nodes, hidden: boolean): void => {
    if (node.type === 'text') {
      if (!hidden) nodes.set(node, length)
      add(node.value, hidden)
    } else if (node.type === 'inlineCode') add(`\`${node.value}\``, true)
    else if (node.type === 'code') add(node.value, true)
    else if (node.type === 'mention') add(' ', hidden)
    else if (node.type === 'break') add('\n', hidden)
    else if (!('children' in node)) add(MASK, true)
    else {
      const written = doc.source?.[node.position?.start.offset ?? -1] ?? ''
      const emphasis = !EMPHASIS.has(node.type) ? '' : /[*_~]/.test(written) ? written : '*'
      const inside = hidden || node.type === 'link' || (node.type === 'blockquote' && options.quotes !== true)
      if (emphasis !== '') add(emphasis, hidden)
      for (const child of node.children) {
        walk(child, inside)
        if (BLOCKS.has(child.type)) add('\n', false)
      }
      if (emphasis !== '') add(emphasis, hidden)
      if (node.type === 'tableCell') add(' | ', hidden)
    }
  }
  walk(doc, false)
  const text = texts.join('')
  let masked = masks.join('')
  if (text.includes('@') || text.includes('://')) masked = withoutAddresses(masked)
  return { text, masked, nodes }
}

const EMPHASIS = new Set(['emphasis', 'strong', 'delete'])
const BLOCKS = new Set([
  'paragraph',
  'heading',
  'code',
  'tableRow',
  'listItem',
  'blockquote',
  'thematicBreak',
])

/** Addresses that are no links of Markdown (`slack://…`) are masked all the same. */
function withoutAddresses(text: string): string {
  let masked = ''
  let from = 0
  for (const { kind, start, end } of maskedRanges(text)) {
    if (kind !== 'url' && kind !== 'email') continue
    masked += text.slice(from, start) + MASK.repeat(end - start)
    from = end
  }
  return masked + text.slice(from)
}

function replaced(
  node: Nodes,
  spans: ReadonlyMap<Text, readonly MentionSpan[]>,
  source: string | undefined,
): Nodes {
  if (!('children' in node)) return node
  let changed = false
  const children = node.children.flatMap((child): Nodes[] => {
    const own = child.type === 'text' ? spans.get(child) : undefined
    const made = own === undefined ? [replaced(child, spans, source)] : split(child as Text, own, source)
    if (made.length !== 1 || made[0] !== child) changed = true
    return made
  })
  return changed ? ({ ...node, children } as Nodes) : node
}

function split(node: Text, spans: readonly MentionSpan[], source: string | undefined): Nodes[] {
  const map = source === undefined ? undefined : alignText(node, source)
  const made: Nodes[] = []
  const at = (start: number, end: number) => {
    const from = map?.[start]
    const to = map?.[end]
    return from === undefined || to === undefined
      ? {}
      : { position: { start: { offset: from }, end: { offset: to } } as never }
  }
  const text = (start: number, end: number): void => {
    if (start < end) made.push({ type: 'text', value: node.value.slice(start, end), ...at(start, end) })
  }
  let from = 0
  for (const { start, end, mention } of spans) {
    text(from, start)
    made.push({ type: 'mention', ...mention, ...at(start, end) })
    from = end
  }
  text(from, node.value.length)
  return made
}
