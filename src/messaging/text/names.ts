/**
 * Names and titles that other people chose, made fit to stand in one line of a prompt, a log or a chat: they can
 * neither break the line nor look like the start of another one.
 */

/** Longest name shown, in code points; longer ones end in an ellipsis. */
export const NAME_CHARACTERS = 64
/** Longest title or other one-line text, in code points. */
export const LINE_CHARACTERS = 200

/** Controls, line and paragraph separators, direction overrides, tags and other invisible marks, lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Co}]|(?![\u200c\u200d])\p{Cf}/gu
/** Fillers and Braille blank: letters by category, blanks to the eye. */
const BLANK_LETTERS = /[\u115f\u1160\u3164\uffa0\u2800]/g
/** The frame of a prompt line is `[name]`, of a block `<tag>`, of code a backtick: each has a look-alike that is none. */
const FRAMES: Readonly<Record<string, string>> = {
  '[': '(',
  ']': ')',
  '［': '（',
  '］': '）',
  '<': '‹',
  '>': '›',
  '`': "'",
}
/** Printable ASCII without a frame, one blank between words: as it stands already. Most names are. */
const PLAIN = /^[!-;=?-Z\\^_a-~]+(?: [!-;=?-Z\\^_a-~]+)*$/
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu
const TRAILING_MARKS = /\p{M}$/u

/** One line of text from outside: no line break, no invisible mark, no frame; cut at `limit`; may be empty. */
export function safeLine(text: string, limit = LINE_CHARACTERS): string {
  if (text.length <= limit && PLAIN.test(text)) return text
  // Far more than is kept, far less than hostile: the patterns below never see megabytes.
  const line = text
    .slice(0, limit * 16)
    .replace(INVISIBLE, ' ')
    .replace(BLANK_LETTERS, ' ')
    .replace(/[[\]［］<>`]/g, (mark) => FRAMES[mark] ?? ' ')
    .normalize('NFC')
    .replace(PILED_MARKS, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  return cut(line, limit)
}

/** A display name on one line; never empty: a name of nothing but invisible marks becomes `fallback`. */
export function safeName(name: string, fallback = 'someone'): string {
  const line = safeLine(name, NAME_CHARACTERS)
  return /(?!\p{M}|\p{Cf})\S/u.test(line) ? line : fallback
}

function cut(line: string, limit: number): string {
  if (line.length <= limit) return line
  const characters = [...line]
  if (characters.length <= limit) return line
  let end = limit - 1
  while (end > 0 && (TRAILING_MARKS.test(characters[end] ?? '') || characters[end] === '\u200d')) end--
  while (end > 0 && characters[end - 1] === '\u200d') end--
  return `${characters.slice(0, end).join('').trimEnd()}…`
}
