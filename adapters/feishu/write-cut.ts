/** Where a text that is too long for one card is cut: behind a line, a sentence, a word, at last a character. */
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
  if (line > most * (how === 'code' ? 0.3 : 0.5)) return line
  if (how === 'text') {
    const found = lastMatch(text, most, SENTENCE, 0.6) ?? lastMatch(text, most, WORD, 0.2)
    if (found !== undefined) return found
  }
  return characterBoundary(text, 0, most)
}

/** Behind these a sentence, or a word, is over. */
const SENTENCE = /[。！？][」』”’）]*|[.!?…]["')\]]*(?=\s)/g
const WORD = /[，；：、）】》」』]|(?=\s)/g
/** How far back is looked, in UTF-16 units. */
const FAR = 2_000

/** The last place behind a match that leaves at least `share` of what would fit. */
function lastMatch(text: string, most: number, pattern: RegExp, share: number): number | undefined {
  const from = Math.max(Math.floor(most * share), most - FAR)
  let found: number | undefined
  for (const match of text.slice(from, most + 1).matchAll(pattern)) {
    const end = from + match.index + match[0].length
    if (end <= most && end > from) found = end
  }
  return found
}
