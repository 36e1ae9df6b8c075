/** How many columns a text takes in a terminal: Chinese, Japanese, Korean and emoji take two, marks none. */

const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
]

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const PLAIN = /^[\x20-\x7e]*$/
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u
const EMOJI = /\p{Emoji_Presentation}|\ufe0f|\u20e3/u

/** What a reader sees as one character. */
export function graphemes(text: string): string[] {
  if (PLAIN.test(text)) return [...text]
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

function graphemeWidth(grapheme: string): 0 | 1 | 2 {
  if (NOTHING.test(grapheme)) return 0
  if (EMOJI.test(grapheme)) return 2
  const code = grapheme.codePointAt(0) ?? 0
  return code >= 0x1100 && WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1
}

/** In columns. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0)
}

/** Cuts at `columns`, with an ellipsis where something was cut. */
export function shorten(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let kept = ''
  let width = 0
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme)
    if (width > columns - 1) break
    kept += grapheme
  }
  return `${kept}…`
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)))
}
export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text))) + text
}

/** Closing marks that must not begin a line. */
const CLOSING =
  /^[\u3001\u3002\uff0c\uff0e\uff01\uff1f\uff1a\uff1b\uff09\u300d\u300f\u3011\u300b\u201d\u2019,.!?;:)\]}]/u

/** Pieces between which a line may be broken: words with the blanks behind them, and every wide character. */
function pieces(text: string): string[] {
  const found: string[] = []
  let word = ''
  for (const grapheme of graphemes(text)) {
    if (CLOSING.test(grapheme) && word === '' && found.length > 0) found.push((found.pop() ?? '') + grapheme)
    else if (graphemeWidth(grapheme) === 2) {
      if (word !== '') found.push(word)
      word = ''
      found.push(grapheme)
    } else if (grapheme === ' ') {
      found.push(`${word} `)
      word = ''
    } else word += grapheme
  }
  if (word !== '') found.push(word)
  return found
}

/** Breaks one line into lines of at most `columns` columns. A word longer than that is broken where it must be. */
export function wrap(text: string, columns: number): string[] {
  const most = Math.max(columns, 2)
  const lines: string[] = []
  let line = ''
  let width = 0
  const push = (piece: string) => {
    const own = displayWidth(piece.trimEnd())
    if (width + own > most && line !== '') {
      lines.push(line.trimEnd())
      line = ''
      width = 0
    }
    line += piece
    width += displayWidth(piece)
  }
  for (const piece of pieces(text)) {
    if (displayWidth(piece.trimEnd()) <= most) push(piece)
    else for (const grapheme of graphemes(piece)) push(grapheme)
  }
  lines.push(line.trimEnd())
  return lines
}
