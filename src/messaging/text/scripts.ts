/**
 * Which script a letter belongs to, as far as a name's end depends on it. Free of imports: the console's page uses it
 * in the browser as well.
 */

/**
 * The scripts in everyday use (Unicode Standard Annex #31, table 5). A letter of any other script is never told apart
 * from its neighbours, so it never ends a name: the cautious reading is that the word goes on.
 */
const SCRIPTS = [
  'Latin',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
  'Cyrillic',
  'Greek',
  'Arabic',
  'Hebrew',
  'Devanagari',
  'Thai',
  'Armenian',
  'Bengali',
  'Ethiopic',
  'Georgian',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Khmer',
  'Lao',
  'Malayalam',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thaana',
  'Tibetan',
] as const

const TESTS = SCRIPTS.map((script) => new RegExp(`^\\p{Script_Extensions=${script}}$`, 'u'))
const CJK_MASK = 0b111110
const cache = new Map<number, number>()

/** A bit for each script the character is used in; 0 when it belongs to none of the known ones (digits, marks). */
export function scriptsOf(codePoint: number): number {
  if ((codePoint >= 0x41 && codePoint <= 0x5a) || (codePoint >= 0x61 && codePoint <= 0x7a)) return 1
  if (codePoint < 0xaa) return 0
  const known = cache.get(codePoint)
  if (known !== undefined) return known
  const character = String.fromCodePoint(codePoint)
  let bits = 0
  for (let index = 0; index < TESTS.length; index++) if (TESTS[index]?.test(character)) bits |= 1 << index
  if (cache.size > 4096) cache.clear()
  cache.set(codePoint, bits)
  return bits
}

/** Whether any of the scripts is written without blanks between words as Chinese, Japanese and Korean are. */
export function isCjk(scripts: number): boolean {
  return (scripts & CJK_MASK) !== 0
}

const LETTER_OR_NUMBER = /^[\p{L}\p{N}]$/u

/** A letter or a number of any kind. */
export function isWordCharacter(codePoint: number): boolean {
  if (codePoint < 0x80) {
    return (
      (codePoint >= 0x61 && codePoint <= 0x7a) ||
      (codePoint >= 0x41 && codePoint <= 0x5a) ||
      (codePoint >= 0x30 && codePoint <= 0x39)
    )
  }
  return LETTER_OR_NUMBER.test(String.fromCodePoint(codePoint))
}

/** The code point that ends just before `at`. */
export function codePointBefore(text: string, at: number): number | undefined {
  if (at <= 0) return undefined
  const low = text.charCodeAt(at - 1)
  if (low >= 0xdc00 && low <= 0xdfff && at > 1) {
    const high = text.charCodeAt(at - 2)
    if (high >= 0xd800 && high <= 0xdbff) return (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000
  }
  return low
}
