const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Units beyond the place that are read, and before it in which a sure boundary is looked for. */
const WINDOW = 256

/**
 * The last place at or before `at` where no character, as a person sees one, is cut: no surrogate pair, combining
 * sequence, flag or joined emoji. `from` is such a place and a lower bound.
 */
export function characterBoundary(text: string, from: number, at: number): number {
  if (at >= text.length || at <= from) return Math.min(Math.max(at, from), text.length)
  const code = text.charCodeAt(at)
  if (code < 0x300 && text.charCodeAt(at - 1) < 0x300 && !(code === 10 && text[at - 1] === '\r')) return at
  const start = sureBoundary(text, from, at)
  const window = text.slice(start, at + WINDOW)
  const segment = segmenter.segment(window).containing(at - start)
  const boundary = segment === undefined ? at : start + segment.index
  if (boundary > from) return boundary
  const codePoint = isLow(text, at) ? at - 1 : at
  return Math.max(codePoint, from)
}

/**
 * Where to count from: a letter behind a letter, ASCII or Chinese, begins a character for sure. Without one near, `from`:
 * where a flag begins in a long row of them is told by the first one alone.
 */
function sureBoundary(text: string, from: number, at: number): number {
  for (let index = at - 1; index > Math.max(from, at - WINDOW); index--) {
    if (isAlone(text.charCodeAt(index)) && isAlone(text.charCodeAt(index - 1))) return index
  }
  return from
}

const isAlone = (code: number): boolean => code < 0x80 || (code >= 0x4e00 && code <= 0x9fff)

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
