/** Blocks -> messages. */
import type { Block } from './write-blocks.js'
import { type Cut, cutBlock } from './write-cut.js'
import { sizeOf } from './write-escape.js'
import { gapBetween, isLonger, pingsOf, renderBlock } from './write-render.js'

export interface Message {
  content: string
  shown: string
  pings: string[]
}

/** A block is begun behind others and goes on in the next message when the message would be emptier than this without it. */
const FILL = 0.5

/** @param max in code points of what is written */
export function pack(blocks: readonly Block[], max: number): Message[] {
  const packer = new Packer(Math.max(1, max))
  for (const block of blocks) packer.add(block)
  return packer.done()
}

interface Entry {
  block: Block
  content: string
  shown: string
  /** Code points of the content with the gap in front of it. */
  size: number
}

class Packer {
  readonly #messages: Message[] = []
  #entries: Entry[] = []
  #size = 0

  constructor(private readonly max: number) {}

  add(whole: Block): void {
    for (let block: Block | null = whole; block !== null; ) {
      const gap = this.#gap(block)
      // Most of a long text is not even looked at before it is its turn.
      const entry: Entry | null = isLonger(block, this.max) ? null : this.#entry(block)
      if (entry !== null && this.#size + entry.size <= this.max) {
        this.#push(entry)
        return
      }
      const isFirst = this.#entries.length === 0
      const isLong: boolean = entry === null || entry.size - gap.length > this.max
      const isWorth: boolean = isFirst || this.#onlyHeading() || this.#size < this.max * (isLong ? 0.8 : FILL)
      const cut: Cut | null = isWorth ? cutBlock(block, this.max - this.#size - gap.length, isFirst) : null
      if (cut === null) {
        this.#flush()
        continue
      }
      this.#push(this.#entry(cut.head))
      block = cut.tail
      if (block !== null) this.#flush()
    }
  }

  done(): Message[] {
    this.#finish()
    return this.#messages.filter(({ shown }) => /[^\s\p{Cf}]/u.test(shown))
  }

  #gap(block: Block): string {
    const before = this.#entries.at(-1)
    return before === undefined ? '' : gapBetween(before.block, block)
  }

  #entry(block: Block): Entry {
    const { content, shown } = renderBlock(block)
    return { block, content, shown, size: sizeOf(content) + this.#gap(block).length }
  }

  #push(entry: Entry): void {
    this.#entries.push(entry)
    this.#size += entry.size
  }

  #onlyHeading(): boolean {
    return this.#entries.every(({ block }) => block.kind === 'text' && block.heading > 0)
  }

  /** A heading goes along with what it heads. */
  #flush(): void {
    const kept: Entry[] = []
    for (
      let last = this.#entries.at(-1);
      last !== undefined && !this.#onlyHeading();
      last = this.#entries.at(-1)
    ) {
      if (last.block.kind !== 'text' || last.block.heading === 0) break
      this.#entries.pop()
      kept.unshift(last)
    }
    this.#finish()
    for (const { block } of kept) this.#push(this.#entry(block))
  }

  #finish(): void {
    if (this.#entries.length > 0) this.#messages.push(this.#message())
    this.#entries = []
    this.#size = 0
  }

  #message(): Message {
    let content = ''
    let shown = ''
    const pings = new Set<string>()
    let before: Block | null = null
    for (const entry of this.#entries) {
      const gap = before === null ? '' : gapBetween(before, entry.block)
      content += gap + entry.content
      shown += gap.replace('> ', '>') + entry.shown
      for (const id of pingsOf(entry.block)) pings.add(id)
      before = entry.block
    }
    return { content, shown: shown.replace(/^\n+|\s+$/g, ''), pings: [...pings] }
  }
}
