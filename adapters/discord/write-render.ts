/** One block as Discord's Markdown, and as a person sees it. */
import type { Block, CodeBlock, TextBlock } from './write-blocks.js'
import { JOINER, sizeOf } from './write-escape.js'
import { shownLine, writeLine } from './write-line.js'

export interface Rendered {
  block: Block
  content: string
  shown: string
  /** Code points of the content. */
  size: number
}

export function renderBlock(block: Block): Rendered {
  let { content, shown } = block.kind === 'code' ? renderCode(block) : renderText(block)
  if (block.quote !== 0) {
    content = content.replace(/^/gm, '> ')
    shown = shown.replace(/^/gm, '> ')
  }
  return { block, content, shown, size: sizeOf(content) }
}

type Texts = Pick<Rendered, 'content' | 'shown'>

function renderText(block: TextBlock): Texts {
  const content: string[] = []
  const shown: string[] = []
  const mark = block.heading === 0 ? '' : `${'#'.repeat(block.heading)} `
  block.lines.forEach((line, index) => {
    const written = writeLine(line, block.heading > 0)
    const front = index === 0 ? block.lead : block.indent
    // A line without anything ends a list, and an empty item takes the next line for its own.
    content.push(mark + front + (written === '' && front !== '' ? JOINER : written))
    shown.push((index === 0 ? block.shownLead : block.indent) + shownLine(line))
  })
  return { content: content.join('\n'), shown: shown.join('\n') }
}

function renderCode({ lang, header, text }: CodeBlock): Texts {
  const code = header === '' ? text : `${header}\n${text}`
  return { content: `\`\`\`${lang}\n${code}\n\`\`\``, shown: code }
}

/** Whether it shows more than so many code points: then it is written in more, and need not be written to know it. */
export function isLonger(block: Block, most: number): boolean {
  if (block.kind === 'code') return block.text.length > 2 * most
  let units = 0
  for (const line of block.lines) {
    for (const run of line) {
      if (run.kind === 'text') units += run.text.length
      if (units > 2 * most) return true
    }
  }
  return false
}

/** The people that a block pings, in order. */
export function pingsOf(block: Block): string[] {
  if (block.kind === 'code') return []
  return block.lines.flatMap((line) => line.flatMap((run) => (run.kind === 'mention' ? [run.id] : [])))
}

/** What stands between two blocks, as written. */
export function gapBetween(before: Block, after: Block): string {
  const lines = linesBetween(before, after)
  const isOneQuote = before.quote !== 0 && before.quote === after.quote
  return lines === 2 && isOneQuote ? '\n> \n' : '\n'.repeat(lines)
}

function linesBetween(before: Block, after: Block): 1 | 2 {
  if (before.quote !== after.quote) return 2
  // Code blocks and headings keep their distance by themselves.
  if (before.kind === 'code' || after.kind === 'code') return 1
  if (before.heading > 0 || after.close) return 1
  return before.list !== 0 && before.list === after.list ? 1 : 2
}
