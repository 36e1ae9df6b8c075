/** Native mentions: `@name` in the text becomes an identity where the sender said whom it means. */
import type { Doc, Mention } from '../../src/messaging/contract.js'
import type { RawMention } from './raw.js'

type Node = Doc | Doc['children'][number]

/** Replaces `@name` in running text. Code, quotes and links keep their text: nobody is named there. Changes `doc`. */
export function nameMentions(doc: Doc, mentions: readonly RawMention[]): Doc {
  if (mentions.length > 0) {
    const longestFirst = [...mentions].sort((a, b) => b.name.length - a.name.length)
    walk(doc, longestFirst)
  }
  return doc
}

function walk(node: Node, mentions: readonly RawMention[]): void {
  if (
    !('children' in node) ||
    node.type === 'blockquote' ||
    node.type === 'link' ||
    node.type === 'linkReference'
  ) {
    return
  }
  const children: Node[] = node.children
  const walked = children.flatMap((child) => {
    if (child.type === 'text') return split(child.value, offsetOf(child), mentions)
    walk(child, mentions)
    return [child]
  })
  // The kinds of children stay what they were, but for text, which may hold mentions wherever it may stand.
  node.children.splice(0, node.children.length, ...(walked as never[]))
}

function split(value: string, offset: number | undefined, mentions: readonly RawMention[]): Node[] {
  const nodes: Node[] = []
  const at = (start: number, end: number) =>
    offset === undefined ? undefined : { start: { offset: offset + start }, end: { offset: offset + end } }
  let from = 0
  let i = value.indexOf('@')
  while (i !== -1) {
    const met = mentions.find(
      ({ name }) => value.startsWith(name, i + 1) && endsAt(value, i + 1 + name.length),
    )
    if (met === undefined) {
      i = value.indexOf('@', i + 1)
      continue
    }
    const end = i + 1 + met.name.length
    if (i > from) nodes.push({ type: 'text', value: value.slice(from, i) })
    const position = at(i, end)
    const mention: Mention = {
      type: 'mention',
      target: 'user',
      id: met.id,
      name: met.name,
      ...(position && { position }),
    }
    nodes.push(mention)
    from = end
    i = value.indexOf('@', end)
  }
  if (from < value.length || nodes.length === 0) nodes.push({ type: 'text', value: value.slice(from) })
  return nodes
}

/** The sender's entity says who is meant; a longer Latin name or number is still another name. */
function endsAt(value: string, end: number): boolean {
  return !/^[A-Za-z0-9_]/.test(value.slice(end)) || !/[A-Za-z0-9_]$/.test(value.slice(0, end))
}

/** Where the text stands in the source, if it stands there as it is (no escapes, no entities). */
function offsetOf(node: Node): number | undefined {
  const { position } = node
  const start = position?.start.offset
  const end = position?.end.offset
  if (start === undefined || end === undefined || !('value' in node)) return undefined
  return end - start === node.value.length ? start : undefined
}
