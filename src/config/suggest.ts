/** Finds what somebody probably meant to write. */

/**
 * Edits that turn `a` into `b`: insert, delete, replace, or swap two neighbours (Damerau-Levenshtein, each place
 * edited once).
 */
export function distance(a: string, b: string): number {
  const from = [...a]
  const to = [...b]
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1] ? 0 : 1
      let best = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + same)
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        best = Math.min(best, at(beforeLast, j - 2) + 1)
      }
      row.push(best)
    }
    beforeLast = last
    last = row
  }
  return at(last, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}

/** Longer words are not compared: a pasted text is no typing slip. */
const LONGEST = 64

/**
 * The candidate nearest to `word`, or undefined when none is near: at most a third of its letters differ, or the one
 * contains the other (`policy`, `groupPolicy`). Case and the marks `-` and `_` count for nothing (`mention_only`).
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(word)
  if (wanted === '' || wanted.length > LONGEST) return undefined
  let best: string | undefined
  let bestScore = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const known = plain(candidate)
    const edits = distance(wanted, known)
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3))
    const contained =
      Math.min(wanted.length, known.length) >= 4 && (known.includes(wanted) || wanted.includes(known))
    // A contained word is a weaker sign than any small number of slips.
    const score = edits <= allowed ? edits : contained ? LONGEST + edits : Number.POSITIVE_INFINITY
    if (score < bestScore) {
      best = candidate
      bestScore = score
    }
  }
  return best
}

function plain(word: string): string {
  return word
    .normalize('NFC')
    .toLowerCase()
    .replace(/[-_\s]/g, '')
}
