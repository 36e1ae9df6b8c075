/** A memory file as a prompt has room for it: never more than a bound, and never shorter in silence. */
import { condense, FILE_CHARACTERS } from './condense.js'

/** What stands in place of a list's older lines says where they are. */
const WHERE = 'memory_read'

export interface Digest {
  text: string
  /** Characters that are left out; 0 where the text is whole. */
  cut: number
}

/**
 * Golem keeps its files below the bound. A person's may be longer: then the older lines of its lists are told by an
 * extract, and where that is not enough its end is left out, in whole lines, and said to be.
 */
export function digest(text: string, limit = FILE_CHARACTERS): Digest {
  if (text.length <= limit) return { text, cut: 0 }
  const shorter = condense(text, WHERE, limit)?.text ?? beginning(text, limit)
  return { text: shorter, cut: text.length - shorter.length }
}

function beginning(text: string, limit: number): string {
  const lines = text.split('\n')
  const kept: string[] = []
  let left = limit - note(lines.length).length - 1
  for (const line of lines) {
    left -= line.length + 1
    if (left < 0) break
    kept.push(line)
  }
  // One endless line: its beginning, so that something of it is seen.
  if (kept.length === 0)
    kept.push(...[...text.slice(0, Math.max(0, limit - 200))].slice(0, -1).join('').split('\n'))
  return [...kept, note(lines.length - kept.length)].join('\n')
}

const note = (lines: number): string =>
  `(${Math.max(1, lines)} more lines of this file are not shown here; ${WHERE} gives them)`

/** A part of a file in whole lines, from a line on (the first is 1). `next`: where to go on; absent at the end. */
export function page(text: string, from: number, limit = FILE_CHARACTERS): { text: string; next?: number } {
  const lines = text.split('\n')
  let size = 0
  let to = from - 1
  while (to < lines.length && (to === from - 1 || size + (lines[to]?.length ?? 0) < limit)) {
    size += (lines[to]?.length ?? 0) + 1
    to++
  }
  const part = lines.slice(from - 1, to).join('\n')
  return to < lines.length ? { text: part, next: to + 1 } : { text: part }
}
