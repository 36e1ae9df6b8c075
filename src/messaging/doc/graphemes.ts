const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Longest character that is kept whole; a longer pile of marks may be cut between code points. */
const WINDOW = 256

/**
 * The last place at or before `at` where no character, as a person sees one, is cut: no surrogate pair, combining
 * sequence, flag or joined emoji. `from` is such a place and a lower bound.
 */
export function characterBoundary(text: string, from: number, at: number): number {
  if (at >= text.length || at <= from) return Math.min(Math.max(at, from), text.length)
  const code = text.charCodeAt(at)
  if (code < 0x300 && text.charCodeAt(at - 1) < 0x300 && !(code === 10 && text[at - 1] === '\r')) return at
  // A sure boundary to start from: line breaks and ASCII letters end every sequence.
  let start = Math.max(from, at - WINDOW)
  for (let index = at - 1; index > start; index--) {
    if (text.charCodeAt(index) < 0x80 && text.charCodeAt(index - 1) < 0x80) {
      start = index
      break
    }
  }
  if (start > from && isLow(text, start)) start++
  const window = text.slice(start, at + WINDOW)
  const segment = segmenter.segment(window).containing(at - start)
  const boundary = segment === undefined ? at : start + segment.index
  if (boundary > from) return boundary
  const codePoint = isLow(text, at) ? at - 1 : at
  return Math.max(codePoint, from)
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
