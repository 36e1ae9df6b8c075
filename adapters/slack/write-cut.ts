/** Where a text that is too long for one post is cut: behind a line, a sentence, a word, at last a character. */

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Longest character that is kept whole; a longer pile of marks may be cut between code points. */
const WINDOW = 128

/**
 * The best place to cut `text` at or before `most`, never through a character. 0 where nothing may be cut off.
 *
 * @param how `code` is cut behind lines, else wherever it must be: its blanks mean something
 */
export function cutAt(text: string, most: number, how: 'text' | 'code' = 'text'): number {
  if (text.length <= most) return text.length
  if (most <= 0) return 0
  const line = text.lastIndexOf('\n', most)
  if (line >= 0 && line > most * (how === 'code' ? 0.3 : 0.5)) return line
  if (how === 'text') {
    const lowest = Math.floor(most * 0.5)
    let word = 0
    for (let at = most; at > lowest; at--) {
      if (isSentenceEnd(text, at)) return at
      if (word === 0 && isWordEnd(text, at)) word = at
      // A sentence is worth a third of the post, a word is always near.
      if (word !== 0 && at < most * 0.7) break
    }
    if (word !== 0) return word
    if (line > 0) return line
    for (let at = lowest; at > 0; at--) if (isWordEnd(text, at)) return at
  }
  return wholeCharacters(text, most)
}

/** The last boundary between characters, as people see them, at or before `most`. */
export function wholeCharacters(text: string, most: number): number {
  if (most >= text.length) return text.length
  const before = text.charCodeAt(most - 1)
  const after = text.charCodeAt(most)
  if (before < 0x300 && after < 0x300 && !(before === 13 && after === 10)) return most
  let start = Math.max(0, most - WINDOW)
  for (let at = most - 1; at > start; at--) {
    if (text.charCodeAt(at) < 0x80 && text.charCodeAt(at - 1) < 0x80) start = at
  }
  if (isLow(text, start)) start++
  const found = characters.segment(text.slice(start, most + WINDOW)).containing(most - start)
  const boundary = found === undefined ? most : start + found.index
  if (boundary > 0) return boundary
  return isLow(text, most) ? most - 1 : most
}

const isLow = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}

function isWordEnd(text: string, at: number): boolean {
  const after = text[at] ?? ''
  const before = text[at - 1] ?? ''
  return /\s/.test(after)
    ? !/\s/.test(before)
    : /[，。；：！？、）】》」』]/.test(before) && !/[，。；：！？、）】》」』”’]/.test(after)
}

function isSentenceEnd(text: string, at: number): boolean {
  const before = text[at - 1] ?? ''
  if (/[。！？]/.test(before)) return !/[」』”’）。！？]/.test(text[at] ?? '')
  return (
    /[.!?…"')\]]/.test(before) &&
    /\s/.test(text[at] ?? '') &&
    /[.!?…]["')\]]*$/.test(text.slice(Math.max(0, at - 4), at))
  )
}
