/** A map that forgets what was put there longest ago. */
export class Bounded<T> {
  readonly #entries = new Map<string, T>()

  constructor(private readonly most: number) {}

  get(key: string): T | undefined {
    return this.#entries.get(key)
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  set(key: string, value: T): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.most) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      break
    }
  }

  delete(key: string): boolean {
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  get size(): number {
    return this.#entries.size
  }

  values(): IterableIterator<T> {
    return this.#entries.values()
  }

  entries(): IterableIterator<[string, T]> {
    return this.#entries.entries()
  }
}
