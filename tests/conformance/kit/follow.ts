/** Follows what is seen along what has to be seen, part by part. */
import { type Atom, HIDDEN, type Shows, visibleText } from './normalise.js'

export interface Followed {
  /** Null when everything is there, in order, and nothing else is; else what is wrong, and where. */
  problem: string | null
  /** Of each part, how much of the expected had been seen at its end. */
  ends: number[]
}

/** `texts` are the visible texts of the parts, in order. */
export function follow(atoms: readonly Atom[], texts: readonly string[], shows: Shows): Followed {
  const walk = new Walk(atoms, shows)
  const ends: number[] = []
  for (const [part, text] of texts.entries()) {
    const problem = walk.part(text)
    if (problem !== null) return { problem: `part ${part + 1} of ${texts.length}: ${problem}`, ends }
    ends.push(walk.at)
  }
  return { problem: walk.rest(), ends }
}

/** The place where a character, as a person sees one, was cut by the end of a part; null when there is none. */
export function cutCharacter(atoms: readonly Atom[], ends: readonly number[]): string | null {
  const whole = visibleText(atoms)
  const boundaries = new Set([whole.length])
  for (const { index } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(whole)) {
    boundaries.add(index)
  }
  for (const end of ends) {
    const length = visibleText(atoms.slice(0, end)).length
    if (!boundaries.has(length)) return around(whole, length)
  }
  return null
}

type Skipped = 'nothing' | 'space' | 'drawn' | 'start'

class Walk {
  at = 0
  #skipped: Skipped = 'start'

  constructor(
    private readonly atoms: readonly Atom[],
    private readonly shows: Shows,
  ) {}

  part(text: string): string | null {
    this.#skipped = 'start'
    let from = this.#header(text)
    while (from < text.length) {
      const char = String.fromCodePoint(text.codePointAt(from) ?? 0)
      const length = this.#step(text, from, char)
      if (typeof length === 'string') return `${length}, at ${around(text, from)}`
      from += length
    }
    return null
  }

  /** What has not been seen at the end. */
  rest(): string | null {
    const left = this.atoms.slice(this.at).filter((atom) => atom.kind === 'char' || !atom.optional)
    return left.length === 0 ? null : `not seen: ${JSON.stringify(visibleText(left).slice(0, 80))}`
  }

  /** Length of what was taken, or what is wrong. */
  #step(text: string, from: number, char: string): number | string {
    if (HIDDEN.test(char)) return char.length
    if (/\s/u.test(char)) {
      if (this.#skipped === 'nothing') this.#skipped = 'space'
      return char.length
    }
    for (let next = this.at; next < this.atoms.length; next++) {
      const atom = this.atoms[next] as Atom
      const length = taken(atom, text, from, char)
      if (length > 0) return this.#take(atom, next, length)
      if (atom.kind === 'char' || !atom.optional) break
    }
    if (this.shows.drawn.test(char)) {
      this.#skipped = 'drawn'
      return char.length
    }
    const left = this.atoms.slice(this.at, this.at + 20)
    return `${JSON.stringify(char)} instead of ${JSON.stringify(visibleText(left))}`
  }

  #take(atom: Atom, index: number, length: number): number | string {
    const [before, gap] = [this.#skipped, this.#gapBefore(index)]
    this.at = index + 1
    this.#skipped = atom.kind === 'choice' && atom.optional ? 'drawn' : 'nothing'
    if (gap && before === 'nothing') return 'two words became one'
    if (!gap && before === 'space' && index > 0) return 'a word was torn apart'
    return length
  }

  /** A gap before something optional that was passed over is one before what follows. */
  #gapBefore(index: number): boolean {
    return this.atoms.slice(this.at, index + 1).some(({ gap }) => gap)
  }

  /** The length of a header that is repeated at the start of a part. */
  #header(text: string): number {
    const atom = this.atoms[this.at]
    if (atom?.header === undefined || atom.header === '') return 0
    let left = atom.header
    let from = 0
    for (const char of text) {
      if (left === '') return from
      if (left.startsWith(char)) left = left.slice(char.length)
      else if (!/\s/u.test(char) && !HIDDEN.test(char) && !this.shows.drawn.test(char)) return 0
      from += char.length
    }
    return left === '' ? from : 0
  }
}

function taken(atom: Atom, text: string, from: number, char: string): number {
  if (atom.kind === 'char') return char === atom.char ? char.length : 0
  return Math.max(0, ...atom.choices.map((choice) => lengthOf(choice, text, from)))
}

/** Length of `choice` at this place; white space within it may be seen as other white space. */
function lengthOf(choice: string, text: string, from: number): number {
  let at = from
  for (const char of choice) {
    if (/\s/u.test(char)) {
      if (!/\s/u.test(text[at] ?? '')) return 0
      while (/\s/u.test(text[at] ?? '')) at++
      continue
    }
    while (at > from && HIDDEN.test(text[at] ?? '')) at++
    if (!text.startsWith(char, at)) return 0
    at += char.length
  }
  return at - from
}

function around(text: string, at: number): string {
  return JSON.stringify(`${text.slice(Math.max(0, at - 30), at)}⟨here⟩${text.slice(at, at + 30)}`)
}
