/** Where a URL, and where an e-mail address, begins and ends in running text. Free of imports but this folder's. */
import { isCjk, isWordCharacter, scriptsOf } from './scripts.js'

const URL_UNITS = 2048
const LOCAL_UNITS = 64
const DOMAIN_UNITS = 255
const BLANK = /\s/
const TRAILING = /[.,:;!?'"*_~]/
const LOCAL = /[\p{Script=Latin}\p{Nd}.+%'_-]/u
const HOST = /[\p{L}\p{M}\p{N}-]/u

/** Chinese and Japanese text that follows an address without a blank is no part of it. */
function isForeign(codePoint: number): boolean {
  if (codePoint < 0x2e80) return codePoint === 0x201c || codePoint === 0x201d || codePoint === 0x2026
  return (codePoint >= 0xff00 && codePoint <= 0xffef) || codePoint <= 0x303f || isCjk(scriptsOf(codePoint))
}

/**
 * The end of the URL whose part after `://` (or whose `www.`) starts at `from`. CJK text ends it, unless the host
 * itself starts with it; closing punctuation and a closing bracket without its opening one are left outside.
 */
export function urlEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + URL_UNITS)
  let foreignHost = isForeign(text.codePointAt(from) ?? 0) && isWordCharacter(text.codePointAt(from) ?? 0)
  let open = 0
  let at = from
  while (at < limit) {
    const codePoint = text.codePointAt(at) ?? 0
    const character = String.fromCodePoint(codePoint)
    if (BLANK.test(character) || '<>"`|\\'.includes(character)) break
    if (character === '/') foreignHost = false
    if (codePoint >= 0x80 && isForeign(codePoint) && !(foreignHost && isWordCharacter(codePoint))) break
    if (character === '(') open++
    if (character === ')' && --open < 0) break
    at += character.length
  }
  while (at > from && TRAILING.test(text[at - 1] ?? '')) at--
  return at
}

/** The URL around the `://` at `colon`, or undefined when there is no scheme or nothing behind it. */
export function urlAround(text: string, colon: number): { start: number; end: number } | undefined {
  let start = colon
  while (start > 0 && colon - start < 32 && /[A-Za-z0-9+.-]/.test(text[start - 1] ?? '')) start--
  while (start < colon && !/[A-Za-z]/.test(text[start] ?? '')) start++
  const end = urlEnd(text, colon + 3)
  return start === colon || end === colon + 3 ? undefined : { start, end }
}

/** The e-mail address around the `@` at `at`, or undefined. Looks at most 64 units back and 255 ahead. */
export function emailAround(text: string, at: number): { start: number; end: number } | undefined {
  let start = at
  while (start > 0 && at - start < LOCAL_UNITS && LOCAL.test(text[start - 1] ?? '')) start--
  // Marks at the front belong to the sentence (`*bob@example.com*`), not to the address.
  while (start < at && !/[\p{Script=Latin}\p{Nd}]/u.test(text[start] ?? '')) start++
  if (start === at) return undefined
  let end = at + 1
  while (end < text.length && end - at <= DOMAIN_UNITS) {
    const dot = text[end] === '.' && HOST.test(text[end - 1] ?? '')
    if (!dot && !HOST.test(text[end] ?? '')) break
    end++
  }
  while (end > at + 1 && !/[\p{L}\p{N}]/u.test(text[end - 1] ?? '')) end--
  return text.slice(at + 1, end).indexOf('.') > 0 ? { start, end } : undefined
}
