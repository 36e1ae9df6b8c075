import { MemoryError } from './error.js'

/** Most characters of one remembered line. */
export const LINE_CHARACTERS = 500
/** Most characters of a member's name that the gateway writes by itself. */
export const NAME_CHARACTERS = 80

/** Characters that end a line, steer a terminal, turn the reading direction or are not seen at all. */
const INVISIBLE =
  /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]+/gu

/** Text as it may stand in one bullet: no line breaks, no opening of a heading, bullet, fence or comment. */
function tame(text: string): string {
  const flat = text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(INVISIBLE, ' ')
    .replace(/\s+/g, ' ')
    .replace(/<!--/g, '<! --')
    .replace(/-->/g, '-- >')
    .trim()
  // A bullet that begins with block markup would be a heading, a list or a fence inside the list.
  return flat
    .replace(/^(?:[-*+#>]+\s+|#{1,6}$|[-*+>]$)+/u, '')
    .replace(/^(?:`{3,}|~{3,})\s*/u, '')
    .trim()
}

/**
 * One line to remember: flattened and made safe, never shortened.
 *
 * @throws MemoryError `empty` or `too-long`
 */
export function cleanLine(text: string): string {
  const line = tame(text)
  if (line === '')
    throw new MemoryError('empty', 'There is nothing to remember in that line: say it in words.')
  const length = [...line].length
  if (length > LINE_CHARACTERS) {
    throw new MemoryError(
      'too-long',
      `A line of group memory has at most ${LINE_CHARACTERS} characters, this one has ${length}: say it shorter or in several lines.`,
    )
  }
  return line
}

/** A display name as it may stand in Members; a very long one is shortened with `…`. Empty when nothing is left. */
export function cleanName(name: string): string {
  const characters = [...tame(name).replace(/^@+/, '')]
  return characters.length <= NAME_CHARACTERS
    ? characters.join('')
    : `${characters
        .slice(0, NAME_CHARACTERS - 1)
        .join('')
        .trimEnd()}…`
}

const DATE = /^\[\d{4}-\d{2}-\d{2}\]\s*/

/** The day of a clock's reading where this process runs: `2026-03-01`. */
export function dayOf(now: number): string {
  const date = new Date(now)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** A decision with its date in front; one that it already has stays. */
export function dated(line: string, now: number): string {
  return DATE.test(line) ? line : `[${dayOf(now)}] ${line}`
}

/** What makes two lines the same: the words, not the bullet, date, case, width, blanks or closing punctuation. */
export function sameness(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '')
    .replace(DATE, '')
    .replace(/\s+/g, ' ')
    .replace(/[.!。！\s]+$/u, '')
    .toLowerCase()
    .trim()
}

/** Whether a line of Members is about this person: the name, then its end or a mark, so Al is not Alice. */
export function isAbout(entry: string, name: string): boolean {
  const text = sameness(entry).replace(/^[@*_`]+/, '')
  const wanted = sameness(name)
  return (
    text.startsWith(wanted) && /^(?:$|\*|_|\s*[:：,，;；(（=|/]|\s+[-–—])/u.test(text.slice(wanted.length))
  )
}
