/** Blocks -> messages. */
import type { Block } from './write-blocks.js'
import { type Cut, cutBlock } from './write-cut.js'
import { gapBetween, isLonger, pingsOf, type Rendered, renderBlock } from './write-render.js'

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

interface Entry extends Rendered {
  /** In front of it. */
  gap: string
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
      const whole: Rendered | null = isLonger(block, this.max) ? null : renderBlock(block)
      if (whole !== null && this.#size + gap.length + whole.size <= this.max) {
        this.#push(whole)
        return
      }
      const isFirst = this.#entries.length === 0
      const isLong: boolean = whole === null || whole.size > this.max
      const isWorth: boolean = isFirst || this.#onlyHeading() || this.#size < this.max * (isLong ? 0.8 : FILL)
      const cut: Cut | null = isWorth ? cutBlock(block, this.max - this.#size - gap.length, isFirst) : null
      if (cut === null) {
        this.#flush()
        continue
      }
      this.#push(cut.head)
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

  #push(rendered: Rendered): void {
    const gap = this.#gap(rendered.block)
    this.#entries.push({ ...rendered, gap })
    this.#size += gap.length + rendered.size
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
    for (const entry of kept) this.#push(entry)
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
    for (const entry of this.#entries) {
      content += entry.gap + entry.content
      shown += entry.gap.replace('> ', '>') + entry.shown
      for (const id of pingsOf(entry.block)) pings.add(id)
    }
    return { content, shown: shown.replace(/^\n+/, '').trimEnd(), pings: [...pings] }
  }
}
