/**
 * Thoughts that a model writes into its reply. Servers of open models hand them on as text, between tags at its
 * beginning. They are nobody's answer: what follows them is.
 */
const OPEN = /^<(think|thinking)>/i
/** So far, it may still become one of these. */
const TAGS = ['<think>', '<thinking>']

/** One reply's text as it comes, without the thoughts at its beginning. A tag further on is a word as any other. */
export class Thoughts {
  #state: 'beginning' | 'thoughts' | 'blank' | 'text' = 'beginning'
  /** What is not known yet to be text. */
  #held = ''
  #close = ''

  /** @returns what of it is to be read */
  take(piece: string): string {
    if (this.#state === 'text') return piece
    if (this.#state === 'blank') return this.#begin(piece)
    this.#held += piece
    if (this.#state === 'beginning') {
      const start = this.#held.trimStart()
      const open = OPEN.exec(start)
      if (open === null) return mayOpen(start) ? '' : this.#release()
      this.#state = 'thoughts'
      this.#close = `</${(open[1] ?? '').toLowerCase()}>`
      this.#held = start.slice(open[0].length)
    }
    const end = this.#held.toLowerCase().indexOf(this.#close)
    if (end >= 0) return this.#begin(this.#held.slice(end + this.#close.length))
    // Only a tag that has begun to close must be kept.
    this.#held = this.#held.slice(-this.#close.length)
    return ''
  }

  /** The reply is over. @returns what was held back, where it was no thought after all */
  end(): string {
    return this.#state === 'beginning' ? this.#release() : ''
  }

  /** After the thoughts, without the blank lines between. */
  #begin(text: string): string {
    const words = text.trimStart()
    this.#state = words === '' ? 'blank' : 'text'
    return words
  }

  #release(): string {
    this.#state = 'text'
    return this.#held
  }
}

function mayOpen(start: string): boolean {
  return TAGS.some((tag) => tag.startsWith(start.toLowerCase()))
}
