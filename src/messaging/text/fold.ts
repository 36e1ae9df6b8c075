/**
 * Caseless comparison with a way back: Unicode full case folding over NFC, keeping for every folded position where it
 * ends in the text as it was written. Free of imports.
 */

/** Longest run of marks on one letter that is looked at; no name has more, and hostile text may have thousands. */
const SEGMENT_UNITS = 32

const EXTENDS = /^[\p{M}\u1160-\u11ff\ud7b0-\ud7fb]$/u
const BLANKS = /[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]/g

function foldSegment(segment: string): string {
  let folded = ''
  for (const character of segment.normalize('NFC')) {
    // A character at a time, so that a sigma never sees that it ends a word. Twice, because the capital sharp s
    // becomes `ss` only on the second round. The dotless i is the one letter that upper case would confuse.
    folded +=
      character === 'ı' ? character : character.toUpperCase().toLowerCase().toUpperCase().toLowerCase()
  }
  return folded.replace(BLANKS, ' ')
}

/** Where the character at `at` ends together with the marks that belong to it. */
function segmentEnd(text: string, at: number): number {
  let end = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
  while (end < text.length && end - at < SEGMENT_UNITS) {
    const code = text.charCodeAt(end)
    if (code < 0x300) break
    const codePoint = text.codePointAt(end) ?? code
    if (!EXTENDS.test(String.fromCodePoint(codePoint))) break
    end += codePoint > 0xffff ? 2 : 1
  }
  return end
}

/**
 * Folds the one character, with its marks, that stands at `at`. `end` is where it ends in the text as written; `last`
 * tells that it has more marks than any name, so nothing beyond it is worth looking at.
 */
export function foldAt(text: string, at: number): { folded: string; end: number; last: boolean } {
  const code = text.charCodeAt(at)
  if (code < 0x80 && !(text.charCodeAt(at + 1) >= 0x300)) {
    const upper = code >= 0x41 && code <= 0x5a
    const folded = upper ? String.fromCharCode(code + 32) : code === 9 ? ' ' : (text[at] ?? '')
    return { folded, end: at + 1, last: false }
  }
  const end = segmentEnd(text, at)
  return { folded: foldSegment(text.slice(at, end)), end, last: end - at >= SEGMENT_UNITS }
}

/** A whole text folded: two names are the same name exactly when these are equal. */
export function foldName(name: string): string {
  let folded = ''
  for (let at = 0; at < name.length; ) {
    const step = foldAt(name, at)
    folded += step.folded
    at = step.end
  }
  return folded
}
