/**
 * Three-way merge by line. It has no conflicts: a line that either side took away is away, a line that either side
 * added is there, and where both added in one place both additions stand, the ones of `ours` first, common lines once.
 * So nobody's words are lost; at worst one thing is said in two ways.
 */

/** The lines of a text with their line ends; joined they are the text again. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** A line without its line end. */
export function bare(line: string): string {
  return line.replace(/\r?\n$/, '')
}

/** The line end a text uses: that of its first line. */
export function lineEnd(lines: readonly string[]): string {
  return lines[0]?.endsWith('\r\n') ? '\r\n' : '\n'
}

/** Cells a table of common subsequences may have; beyond it unique lines are matched first. */
const TABLE = 4_000_000

type Match = readonly [number, number]

function table(a: readonly string[], b: readonly string[]): Match[] {
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const out: Match[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) out.push([i++, j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return out
}

/** Lines that stand exactly once on either side, in an order both sides share. */
function anchors(a: readonly string[], b: readonly string[]): Match[] {
  const once = (lines: readonly string[]): Map<string, number> => {
    const seen = new Map<string, number>()
    lines.forEach((line, index) => {
      seen.set(line, seen.has(line) ? -1 : index)
    })
    return seen
  }
  const right = once(b)
  const pairs: Match[] = []
  for (const [line, i] of once(a)) {
    const j = right.get(line) ?? -1
    if (i >= 0 && j >= 0) pairs.push([i, j])
  }
  // The longest run of pairs that rises on both sides, by patience sorting.
  const tails: number[] = []
  const before = new Int32Array(pairs.length).fill(-1)
  pairs.forEach(([, j], index) => {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < j) low = middle + 1
      else high = middle
    }
    before[index] = low > 0 ? (tails[low - 1] ?? -1) : -1
    tails[low] = index
  })
  const out: Match[] = []
  for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index]
    if (pair) out.push(pair)
  }
  return out.reverse()
}

/** Pairs of equal lines, rising on both sides; the most there are, or nearly so for very large texts. */
function common(a: readonly string[], b: readonly string[]): Match[] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let tail = 0
  while (tail < a.length - start && tail < b.length - start && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const middleA = a.slice(start, a.length - tail)
  const middleB = b.slice(start, b.length - tail)
  const inner: Match[] = []
  if ((middleA.length + 1) * (middleB.length + 1) <= TABLE) {
    for (const match of table(middleA, middleB)) inner.push(match)
  } else {
    let [fromA, fromB] = [0, 0]
    const fixed = anchors(middleA, middleB)
    for (const [i, j] of [...fixed, [middleA.length, middleB.length] as const]) {
      const [pieceA, pieceB] = [middleA.slice(fromA, i), middleB.slice(fromB, j)]
      if ((pieceA.length + 1) * (pieceB.length + 1) <= TABLE) {
        for (const [x, y] of table(pieceA, pieceB)) inner.push([x + fromA, y + fromB])
      }
      if (i < middleA.length) inner.push([i, j])
      ;[fromA, fromB] = [i + 1, j + 1]
    }
  }
  const out: Match[] = []
  for (let index = 0; index < start; index++) out.push([index, index])
  for (const [i, j] of inner) out.push([i + start, j + start])
  for (let index = tail; index > 0; index--) out.push([a.length - index, b.length - index])
  return out
}

interface Change {
  /** Where each line of the base is on this side; absent = taken away. */
  kept: ReadonlyMap<number, number>
  /** Lines added before base line `n`; the last entry holds what follows the base. */
  added: readonly (readonly string[])[]
}

function change(base: readonly string[], side: readonly string[]): Change {
  const kept = new Map<number, number>()
  const added: string[][] = []
  let next = 0
  let from = 0
  for (const [i, j] of [...common(base.map(bare), side.map(bare)), [base.length, side.length] as const]) {
    while (next < i) {
      added[next] = added[next] ?? []
      next++
    }
    added[i] = side.slice(from, j)
    if (i < base.length) kept.set(i, j)
    from = j + 1
    next = i + 1
  }
  return { kept, added }
}

/** The shortest text that holds both lists of lines in their own order. */
function both(ours: readonly string[], theirs: readonly string[]): string[] {
  if (theirs.length === 0) return [...ours]
  if (ours.length === 0) return [...theirs]
  const out: string[] = []
  let [i, j] = [0, 0]
  for (const [x, y] of [...common(ours.map(bare), theirs.map(bare)), [ours.length, theirs.length] as const]) {
    for (const line of ours.slice(i, x)) out.push(line)
    for (const line of theirs.slice(j, y)) out.push(line)
    const line = ours[x]
    if (line !== undefined) out.push(line)
    ;[i, j] = [x + 1, y + 1]
  }
  return out
}

/** Lines as one text; a line end is added where a last line has become an inner one. */
function join(lines: readonly string[], end: string): string {
  return lines
    .map((line, index) => (index < lines.length - 1 && !line.endsWith('\n') ? line + end : line))
    .join('')
}

/**
 * `ours` with what changed from `base` to `theirs`. Line ends do not make lines different; those of `ours` win unless
 * only `theirs` changed them.
 */
export function merge(base: string, ours: string, theirs: string): string {
  if (base === theirs || ours === theirs) return ours
  if (base === ours) return theirs
  const [b, o, t] = [splitLines(base), splitLines(ours), splitLines(theirs)]
  const [left, right] = [change(b, o), change(b, t)]
  const out: string[] = []
  for (let index = 0; index <= b.length; index++) {
    for (const line of both(left.added[index] ?? [], right.added[index] ?? [])) out.push(line)
    const [i, j] = [left.kept.get(index), right.kept.get(index)]
    if (i === undefined || j === undefined) continue
    const line = o[i] === b[index] ? t[j] : o[i]
    if (line !== undefined) out.push(line)
  }
  return join(out, lineEnd(o))
}

/** Two texts of unknown origin as one: every line of both, common ones once. */
export function union(ours: string, theirs: string): string {
  const [o, t] = [splitLines(ours), splitLines(theirs)]
  return join(both(o, t), lineEnd(o))
}
