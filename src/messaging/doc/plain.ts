import type { ListItem, Nodes, Table } from 'mdast'
import type { Doc, Mention } from './types.js'

export interface PlainOptions {
  /** How a mention reads; default `@name`. */
  mentionText?: (mention: Mention) => string
  /** How text reads that is no mention, code included; default as it is. */
  text?: (value: string) => string
  /** Write a link's address behind its label, for places where a label cannot be clicked. Default false. */
  urls?: boolean
}

/** What a person sees of a text, without any markup: labels of links, content of code, rows of tables. */
export function plainText(doc: Doc | Nodes, options: PlainOptions = {}): string {
  return render(doc, options).replace(/^\n+|\s+$/g, '')
}

const blocks = (nodes: readonly Nodes[], options: PlainOptions, gap: string): string =>
  nodes
    .map((node) => render(node, options))
    .filter((text) => text !== '')
    .join(gap)

const prefixLines = (text: string, prefix: string): string => text.replace(/^(?=.)/gm, prefix)

function render(node: Nodes, options: PlainOptions): string {
  switch (node.type) {
    case 'root':
      return blocks(node.children, options, '\n\n')
    case 'text':
    case 'inlineCode':
    case 'code':
    case 'html':
      return options.text?.(node.value) ?? node.value
    case 'mention':
      return options.mentionText?.(node) ?? `@${node.name}`
    case 'break':
      return '\n'
    case 'link': {
      const label = inline(node.children, options)
      const same = node.url === label || node.url === `http://${label}` || node.url === `mailto:${label}`
      if (label === '') return node.url
      return options.urls === true && !same ? `${label} (${node.url})` : label
    }
    case 'image':
      return options.urls === true ? [node.alt, `(${node.url})`].filter(Boolean).join(' ') : (node.alt ?? '')
    case 'imageReference':
      return node.alt ?? ''
    case 'footnoteReference':
      return `[${node.identifier}]`
    case 'footnoteDefinition':
      return `[${node.identifier}] ${blocks(node.children, options, '\n\n')}`
    case 'thematicBreak':
      return '———'
    case 'blockquote':
      return prefixLines(blocks(node.children, options, '\n\n'), '> ')
    case 'list':
      return node.children
        .map((item, at) => listItem(item, node.ordered ? `${(node.start ?? 1) + at}. ` : '• ', options))
        .join(node.spread ? '\n\n' : '\n')
    case 'table':
      return table(node, options)
    case 'definition':
    case 'yaml':
      return ''
    default:
      return inline(node.children, options)
  }
}

const inline = (nodes: readonly Nodes[], options: PlainOptions): string =>
  nodes.map((node) => render(node, options)).join('')

function listItem(item: ListItem, bullet: string, options: PlainOptions): string {
  const box = item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : ''
  const text = blocks(item.children, options, item.spread ? '\n\n' : '\n')
  const indent = ' '.repeat(bullet.length)
  return (
    bullet + box + prefixLines(text, indent).slice(text.startsWith('\n') || text === '' ? 0 : indent.length)
  )
}

const table = (node: Table, options: PlainOptions): string =>
  node.children
    .map((row) => row.children.map((cell) => inline(cell.children, options)).join(' | '))
    .join('\n')
