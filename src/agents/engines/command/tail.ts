/** The last bytes of a stream, as text: what a program said on its error output before it ended. */
export class Tail {
  readonly #limit: number
  #kept: Buffer = Buffer.alloc(0)

  constructor(limit: number) {
    this.#limit = limit
  }

  push(chunk: Buffer): void {
    const joined = Buffer.concat([this.#kept, chunk.subarray(-this.#limit)])
    // A copy, so that the chunk's own block is not held.
    this.#kept = Buffer.from(joined.subarray(-this.#limit))
  }

  clear(): void {
    this.#kept = Buffer.alloc(0)
  }

  text(): string {
    let from = 0
    // The cut may stand inside a character: its continuation bytes (10xxxxxx) are left out.
    if (this.#kept.length === this.#limit)
      while (from < 4 && ((this.#kept[from] ?? 0) & 0xc0) === 0x80) from += 1
    return this.#kept.subarray(from).toString('utf8').trim()
  }
}
