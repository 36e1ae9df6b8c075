/** A prompt made to fit: what is oldest goes first, what is asked goes last. */
import { DATA } from '../../prompt/frame.js'

const RECENT = '--- Recent conversation ---'
const HEADING = /^--- .+ ---$/
const LEFT_OUT = '[Some of it was left out here, because it is longer than the model takes]'
/** No block is cut below this many characters. */
const LEAST = 400

interface Block {
  heading: string | null
  lines: string[]
}

/**
 * The prompt in at most about `target` characters: earlier messages are left out, oldest first, then the longest blocks
 * lose their middles. Lines of data stay lines of data. Headings cannot be forged: each line from outside has its mark.
 */
export function shorten(prompt: string, target: number): string {
  if (prompt.length <= target) return prompt
  const blocks = blocksOf(prompt)
  const recent = blocks.find(({ heading }) => heading === RECENT)
  let excess = prompt.length - target
  if (recent !== undefined) {
    const before = length(recent)
    recent.lines = withoutOldest(recent.lines, excess)
    excess -= before - length(recent)
  }
  const longest = [...blocks].sort((a, b) => length(b) - length(a))
  for (const block of longest) {
    if (excess <= 0) break
    const before = length(block)
    if (before <= LEAST) break
    block.lines = withoutMiddle(block.lines, Math.max(LEAST, before - excess - LEFT_OUT.length))
    excess -= before - length(block)
  }
  return blocks.flatMap(({ heading, lines }) => (heading === null ? lines : [heading, ...lines])).join('\n')
}

function blocksOf(prompt: string): Block[] {
  const blocks: Block[] = [{ heading: null, lines: [] }]
  for (const line of prompt.split('\n')) {
    if (HEADING.test(line)) blocks.push({ heading: line, lines: [] })
    else blocks.at(-1)?.lines.push(line)
  }
  return blocks
}

function length({ lines }: Block): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}

/** A message begins with its speaker in brackets; its further lines go with it. */
function withoutOldest(lines: readonly string[], excess: number): string[] {
  let gone = 0
  let at = 0
  while (at < lines.length && gone < excess + LEFT_OUT.length) {
    do {
      gone += (lines[at]?.length ?? 0) + 1
      at += 1
    } while (at < lines.length && lines[at]?.startsWith(`${DATA}[`) !== true)
  }
  return at === 0 ? [...lines] : [LEFT_OUT, ...lines.slice(at)]
}

function withoutMiddle(lines: readonly string[], keep: number): string[] {
  const text = lines.join('\n')
  if (text.length <= keep) return [...lines]
  const half = Math.floor(keep / 2)
  const head = whole(text.slice(0, half))
  const tail = whole(text.slice(text.length - half))
  // The tail may begin within a line: it must not become a line of Golem's own.
  const cutAt = text.length - half
  const isWhole = text[cutAt - 1] === '\n'
  return [...head.split('\n'), LEFT_OUT, ...(isWhole ? tail : `${DATA}${tail}`).split('\n')]
}

/** Without half a character at either end. */
function whole(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '')
}

/** A tool's result as the model is given it. */
export function bounded(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  return `${whole(text.slice(0, half))}\n${LEFT_OUT}\n${whole(text.slice(text.length - half))}`
}
