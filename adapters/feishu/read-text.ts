/**
 * Text as Feishu delivers it: placeholders for who is mentioned, `[label](address)` for links
 * (https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content); apps also write
 * `<at user_id="ou_x">Name</at>`. Everything else is what was typed.
 */
import type { Paragraph, PhrasingContent, RootContent, Text } from 'mdast'
import type { MentionTarget } from '../../src/messaging/contract.js'
import type { People } from './read-people.js'

export const textNode = (value: string): Text => ({ type: 'text', value })
export const mentionNode = (mention: MentionTarget): PhrasingContent => ({ type: 'mention', ...mention })
export const linkNode = (url: string, label?: string): PhrasingContent => ({
  type: 'link',
  url,
  title: null,
  children: [textNode(label ?? url)],
})
export const note = (value: string): Paragraph => ({ type: 'paragraph', children: [textNode(value)] })

/** The blocks of a text: fences, and paragraphs between blank lines. */
export function textBlocks(text: string, people: People): RootContent[] {
  const blocks: RootContent[] = []
  let from = 0
  for (const fence of text.matchAll(/```([\w+#.-]*)\n?([\s\S]+?)```/g)) {
    blocks.push(...paragraphsOf(inlineNodes(text.slice(from, fence.index), people)))
    const [written, first = '', rest = ''] = fence
    const labelled = written.startsWith(`\`\`\`${first}\n`)
    const value = plainPlaceholders((labelled ? rest : first + rest).replace(/^\n|\n$/g, ''), people)
    blocks.push({ type: 'code', lang: labelled && first !== '' ? first : null, meta: null, value })
    from = fence.index + written.length
  }
  blocks.push(...paragraphsOf(inlineNodes(text.slice(from), people)))
  return blocks
}

const TOKEN =
  /`([^`\n]+)`|<at\s+(?:user_id|open_id|id)\s*=\s*["']?([\w@-]{1,128})["']?\s*>([^<\n]{0,200})<\/at>|@_(?:user_\d+|all)|\[([^[\]\n]{1,1000})\]\(((?:https?:\/\/|mailto:)[^\s()]{1,3000})\)|https?:\/\/(?:(?!@_(?:user_\d|all))[^\s<>"'`，。；：！？、）】》」』”’])+/g

/** What stands within a line. Line breaks stay as they are. */
export function inlineNodes(text: string, people: People): PhrasingContent[] {
  const nodes: PhrasingContent[] = []
  let from = 0
  for (const match of text.matchAll(TOKEN)) {
    const node = tokenNode(match, people)
    if (node === undefined) continue
    if (match.index > from) nodes.push(textNode(text.slice(from, match.index)))
    nodes.push(...node.nodes)
    from = match.index + node.length
  }
  if (from < text.length) nodes.push(textNode(text.slice(from)))
  return nodes
}

function tokenNode(
  match: RegExpMatchArray,
  people: People,
): { nodes: PhrasingContent[]; length: number } | undefined {
  const [written, code, at, name, label, address] = match
  const all = (...nodes: PhrasingContent[]) => ({ nodes, length: written.length })
  if (code !== undefined) return all({ type: 'inlineCode', value: plainPlaceholders(code, people) })
  if (at !== undefined) return all(mentionNode(people.mention(at, name)))
  if (address !== undefined) return all(linkNode(address, plainPlaceholders(label ?? address, people)))
  if (written.startsWith('@')) {
    const mention = people.placeholder(written)
    return mention === undefined ? undefined : all(mentionNode(mention))
  }
  const url = written.replace(/[.,;:!?)\]}*_~]+$/, '')
  return { nodes: [linkNode(url)], length: url.length }
}

/** Text in which only placeholders are read. */
export function placeholderNodes(text: string, people: People): PhrasingContent[] {
  return text.split(/(@_(?:user_\d+|all))/).flatMap((part, index): PhrasingContent[] => {
    const mention = index % 2 === 1 ? people.placeholder(part) : undefined
    if (mention !== undefined) return [mentionNode(mention)]
    return part === '' ? [] : [textNode(part)]
  })
}

/** Inside code and labels a placeholder is what it reads as, and means nobody. */
export function plainPlaceholders(text: string, people: People): string {
  return text.replace(/@_(?:user_\d+|all)/g, (key) => {
    const mention = people.placeholder(key)
    return mention === undefined ? key : `@${mention.name}`
  })
}

/** Paragraphs of a row of nodes: blank lines in its text separate them. */
export function paragraphsOf(nodes: readonly PhrasingContent[]): Paragraph[] {
  const found: PhrasingContent[][] = [[]]
  for (const node of nodes) {
    if (node.type !== 'text' || !node.value.includes('\n')) {
      found.at(-1)?.push(node)
      continue
    }
    node.value.split(/\n[ \t]*\n\s*/).forEach((part, index) => {
      if (index > 0) found.push([])
      if (part !== '') found.at(-1)?.push(textNode(part))
    })
  }
  return found.flatMap((children): Paragraph[] => {
    const kept = trimmed(children)
    return kept.length === 0 ? [] : [{ type: 'paragraph', children: kept }]
  })
}

/** Without line breaks at its ends; nothing where there are only blanks. */
function trimmed(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const kept = [...nodes]
  for (let first = kept[0]; first?.type === 'text'; first = kept[0]) {
    const value = first.value.replace(/^[ \t]*\n+/, '')
    if (value === first.value) break
    if (value === '') kept.shift()
    else kept[0] = textNode(value)
  }
  for (let last = kept.at(-1); last?.type === 'text'; last = kept.at(-1)) {
    const value = last.value.replace(/\n+[ \t]*$/, '')
    if (value === last.value) break
    if (value === '') kept.pop()
    else kept[kept.length - 1] = textNode(value)
  }
  return kept.every((node) => node.type === 'text' && node.value.trim() === '') ? [] : kept
}
