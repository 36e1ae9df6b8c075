/**
 * A tree -> a document: Feishu delivers trees, agents read text. The source is Markdown that says what the tree says,
 * each node knows its place in it, and nothing is parsed.
 */
import type { BlockContent, ListItem, Nodes, PhrasingContent, RootContent, Table } from 'mdast'
import type { Doc } from '../../src/messaging/contract.js'

type Placed = Nodes & { position: NonNullable<Nodes['position']> }

export function docOf(blocks: readonly RootContent[]): Doc {
  const printer = new Printer()
  const children: RootContent[] = []
  for (const block of blocks) {
    if (isEmpty(block)) continue
    if (children.length > 0) printer.write('\n\n')
    children.push(printer.block(block) as RootContent)
  }
  const start = { line: 1, column: 1, offset: 0 }
  return { type: 'root', children, source: printer.source, position: { start, end: printer.point() } }
}

function isEmpty(node: Nodes): boolean {
  if (node.type === 'text' || node.type === 'code' || node.type === 'inlineCode') return node.value === ''
  return 'children' in node && node.type !== 'link' && node.children.every(isEmpty)
}

class Printer {
  source = ''
  #line = 1
  #lineStart = 0
  /** What a line inside the current block begins with. */
  #prefix = ''

  write(text: string): void {
    const written = this.#prefix === '' ? text : text.replaceAll('\n', `\n${this.#prefix}`)
    for (let at = written.indexOf('\n'); at >= 0; at = written.indexOf('\n', at + 1)) {
      this.#line++
      this.#lineStart = this.source.length + at + 1
    }
    this.source += written
  }

  point() {
    const offset = this.source.length
    return { line: this.#line, column: offset - this.#lineStart + 1, offset }
  }

  block(node: Nodes): Placed {
    switch (node.type) {
      case 'paragraph':
        return this.#placed(() => ({ ...node, children: this.#inline(node.children) }))
      case 'heading':
        return this.#placed(() => {
          this.write(`${'#'.repeat(node.depth)} `)
          return { ...node, children: this.#inline(node.children) }
        })
      case 'code':
        return this.#placed(() => {
          const fence = '`'.repeat(Math.max(3, longestRun(node.value) + 1))
          this.write(`${fence}${node.lang ?? ''}\n${node.value}\n${fence}`)
          return node
        })
      case 'thematicBreak':
        return this.#placed(() => {
          this.write('---')
          return node
        })
      case 'blockquote':
        return this.#placed(() => {
          this.write('> ')
          return { ...node, children: this.#inside('> ', node.children, '\n\n') }
        })
      case 'list':
        return this.#placed(() => {
          const items = node.children.map((item, index) => {
            if (index > 0) this.write('\n')
            return this.#item(item, node.ordered === true ? `${(node.start ?? 1) + index}. ` : '- ')
          })
          return { ...node, children: items }
        })
      case 'table':
        return this.#placed(() => this.#table(node))
      default:
        return this.#phrase(node as PhrasingContent)
    }
  }

  #item(item: ListItem, mark: string): ListItem {
    return this.#placed(() => {
      const box = item.checked === true ? '[x] ' : item.checked === false ? '[ ] ' : ''
      this.write(mark + box)
      return { ...item, children: this.#inside(' '.repeat(mark.length), item.children, '\n') }
    }) as ListItem
  }

  #inside<Child extends Nodes>(prefix: string, children: readonly Child[], gap: string): BlockContent[] {
    const outer = this.#prefix
    this.#prefix = outer + prefix
    const printed = children.map((child, index) => {
      if (index > 0) this.write(gap)
      return this.block(child)
    })
    this.#prefix = outer
    return printed as BlockContent[]
  }

  #table(node: Table): Table {
    const rows = node.children.map((row, index) => {
      if (index > 0) this.write('\n')
      const printed = this.#placed(() => {
        const cells = row.children.map((cell) => {
          this.write('| ')
          const placed = this.#placed(() => ({ ...cell, children: this.#inline(cell.children) }))
          this.write(' ')
          return placed
        })
        this.write('|')
        return { ...row, children: cells } as typeof row
      })
      if (index === 0) this.write(`\n${'| --- '.repeat(row.children.length)}|`)
      return printed
    })
    return { ...node, children: rows } as Table
  }

  #inline(nodes: readonly PhrasingContent[]): PhrasingContent[] {
    return nodes.filter((node) => !isEmpty(node)).map((node) => this.#phrase(node) as PhrasingContent)
  }

  #phrase(node: PhrasingContent): Placed {
    return this.#placed(() => {
      switch (node.type) {
        case 'text':
        case 'html':
          this.write(node.value)
          return node
        case 'break':
          this.write('\n')
          return node
        case 'inlineCode': {
          const mark = '`'.repeat(longestRun(node.value) + 1)
          this.write(mark + node.value + mark)
          return node
        }
        case 'mention':
          this.write(`@${node.name}`)
          return node
        case 'strong':
          return this.#marked(node, '**')
        case 'emphasis':
          return this.#marked(node, '_')
        case 'delete':
          return this.#marked(node, '~~')
        case 'link':
          return this.#link(node)
        default:
          return 'children' in node ? { ...node, children: this.#inline(node.children) } : node
      }
    })
  }

  #marked<Node extends Extract<PhrasingContent, { children: PhrasingContent[] }>>(
    node: Node,
    mark: string,
  ): Node {
    this.write(mark)
    const children = this.#inline(node.children)
    this.write(mark)
    return { ...node, children }
  }

  #link(node: Extract<PhrasingContent, { type: 'link' }>): PhrasingContent {
    const [only] = node.children
    const label = node.children.length === 1 && only?.type === 'text' ? only.value : undefined
    const bare = label === node.url || `mailto:${label}` === node.url
    if (!bare) this.write('[')
    const children = this.#inline(node.children)
    if (!bare) this.write(`](${node.url})`)
    return { ...node, children }
  }

  #placed<Node extends Nodes>(print: () => Node): Node & Placed {
    const start = this.point()
    const node = print()
    return { ...node, position: { start, end: this.point() } } as Node & Placed
  }
}

function longestRun(text: string): number {
  return text.includes('`') ? Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) : 0
}
