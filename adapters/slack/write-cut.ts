/** Where a text that is too long for one post is cut: behind a line, a sentence, a word, at last a character. */
import { characterBoundary } from '../../src/messaging/contract.js'

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
  return characterBoundary(text, 0, most)
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
