/**
 * Words for the full-text index, and what is asked of it. Latin-like scripts as in `score.ts`. Scripts that write no blanks
 * (Han, kana, Hangul, Bopomofo) as overlapping pairs of characters, particles among them, and the last character of a run
 * by itself: so every two characters that stand together are found, and one character is found as the beginning of a pair.
 */
import { stem } from './score.js'

const CLASS =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}々〆ー]'
const UNSPACED = new RegExp(CLASS, 'u')
const RUN = new RegExp(`${CLASS}+|(?:(?!${CLASS})[\\p{L}\\p{N}\\p{M}])+`, 'gu')
/** A word has a letter or a digit; a mark that stands alone is none. */
const LETTER = /[\p{L}\p{N}]/u

export interface QueryWord {
  word: string
  /** It is found at the beginning of a word of the index. */
  prefix: boolean
}

/** Words of a text as they stand in the index, in order, with repeats. */
export function indexWords(text: string): string[] {
  return runsOf(text).flatMap((run) => {
    if (!UNSPACED.test(run)) return [stem(run)]
    const characters = [...run]
    return [...pairs(characters), characters.at(-1) ?? '']
  })
}

/** What a question asks the index for, once each, in order. */
export function queryWords(text: string): QueryWord[] {
  const words = runsOf(text).flatMap((run): QueryWord[] => {
    if (!UNSPACED.test(run)) return [{ word: stem(run), prefix: false }]
    const characters = [...run]
    return characters.length === 1
      ? [{ word: run, prefix: true }]
      : pairs(characters).map((word) => ({ word, prefix: false }))
  })
  return [...new Map(words.map((word) => [`${word.prefix} ${word.word}`, word])).values()]
}

/** How often each word of a question stands in a text, in the question's order, and how many words the text has. */
export function countWords(text: string, wanted: readonly QueryWord[]): { counts: number[]; length: number } {
  const words = indexWords(text)
  return {
    counts: wanted.map(
      ({ word, prefix }) => words.filter((one) => (prefix ? one.startsWith(word) : one === word)).length,
    ),
    length: words.length,
  }
}

/** Full-width forms, half-width kana and separate marks count as what they are read as. */
function runsOf(text: string): string[] {
  const runs = text.normalize('NFKC').toLowerCase().normalize('NFC').match(RUN) ?? []
  return runs.filter((run) => LETTER.test(run))
}

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}
