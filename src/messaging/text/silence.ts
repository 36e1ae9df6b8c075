/**
 * When an agent's answer is silence. Silence is the whole answer or nothing: a text that merely mentions a token is
 * posted, and the token itself is never shown where it stands on a line of its own at the answer's edge.
 */

export interface SilenceOptions {
  /** The turn was addressed: then a bare `pass` is a word and no token. */
  addressed: boolean
}

/** What may stand around a token: blanks, invisible marks, quotes, emphasis, code and list marks, closing punctuation. */
const AROUND = '[\\s\\u200b-\\u200f\\u2060\\ufeff"\'“”‘’「」『』«»`*_~>.!?…,;:。！？，；：、•#-]'
const TOKEN = '(?:[\\[［【]\\s{0,3}(?:pass|skip)\\s{0,3}[\\]］】]|[(（]\\s{0,3}pass\\s{0,3}[)）])'
const WHOLE = new RegExp(`^${AROUND}*(?:${TOKEN}${AROUND}*)+$`, 'i')
const WHOLE_BARE = new RegExp(`^${AROUND}*pass${AROUND}*$`, 'i')
const NOTHING = /^[\s\u200b-\u200f\u2060\ufeff]*$/
const EMPTY_FENCE = /^\s*(?:`{3,}|~{3,})[\w+-]*[ \t]*(?:\n\s*(?:`{3,}|~{3,})?)?\s*$/
/** The opening line of a code fence with its info string; the token may stand inside. */
const FENCE_LINE = /^\s*(?:`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\r?\n/
/** No silence is longer: what is longer has words. Bounds the work on any answer. */
const SILENCE_UNITS = 400

/** Full-width letters to plain ones; the length stays. */
function plain(text: string): string {
  return text.replace(/[Ａ-Ｚａ-ｚ]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
}

/** Whether the whole answer says "nothing to say". */
export function isSilence(answer: string, options: SilenceOptions): boolean {
  if (NOTHING.test(answer)) return true
  const trimmed = answer.trim()
  if (trimmed.length > SILENCE_UNITS) return false
  const inner = plain(trimmed.replace(FENCE_LINE, ''))
  return WHOLE.test(inner) || EMPTY_FENCE.test(trimmed) || (!options.addressed && WHOLE_BARE.test(inner))
}

const isTokenLine = (line: string): boolean =>
  line.length <= SILENCE_UNITS && !NOTHING.test(line) && WHOLE.test(plain(line))

/** The answer without the token that stands alone on its last line; what is in front of it stays as it is. */
export function stripTrailingToken(answer: string): string {
  let text = answer
  for (;;) {
    const body = text.trimEnd()
    const line = body.lastIndexOf('\n') + 1
    if (line === 0 || !isTokenLine(body.slice(line))) return text
    text = body.slice(0, line).trimEnd()
  }
}

function stripLeadingToken(answer: string): string {
  let text = answer
  for (;;) {
    const body = text.replace(/^(?:[ \t]*\r?\n)+/, '')
    const line = body.indexOf('\n')
    if (line < 0 || !isTokenLine(body.slice(0, line))) return text
    text = body.slice(line + 1).replace(/^(?:[ \t]*\r?\n)+/, '')
  }
}

/** What of an answer is posted: null for silence, else the text without tokens on lines of their own at its edges. */
export function visibleAnswer(answer: string, options: SilenceOptions): string | null {
  if (isSilence(answer, options)) return null
  const text = stripTrailingToken(stripLeadingToken(answer))
  return isSilence(text, options) ? null : text
}

const WORDS = ['[pass]', '[skip]', '(pass)']
const AROUND_ONE = new RegExp(AROUND)
const BRACKETS: Readonly<Record<string, string>> = {
  '［': '[',
  '【': '[',
  '］': ']',
  '】': ']',
  '（': '(',
  '）': ')',
}

/**
 * Whether a streamed text may still become silence when more follows. While it may, nothing of it is shown. Without
 * options the cautious answer for both kinds of turn.
 */
export function mayBecomeSilence(prefix: string, options: SilenceOptions = { addressed: false }): boolean {
  const start = prefix.trimStart()
  if (start.length > SILENCE_UNITS) return false
  // The info string of a fence that has just been opened is still being written.
  if (/^(?:`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*$/.test(start)) return true
  return mayBeTokens(start.replace(FENCE_LINE, ''), options)
}

function mayBeTokens(text: string, options: SilenceOptions): boolean {
  const whole = plain(text).toLowerCase()
  let rest = ''
  for (const character of whole) rest += BRACKETS[character] ?? character
  let bare = !options.addressed
  for (;;) {
    let at = 0
    while (at < rest.length && AROUND_ONE.test(rest[at] ?? '')) at++
    rest = rest.slice(at).replace(/^([[(])\s{0,3}/, '$1')
    if (rest === '') return true
    const token = /^(?:\[(?:pass|skip)\s{0,3}\]|\(pass\s{0,3}\))/.exec(rest)?.[0]
    if (token === undefined) {
      const open = rest.replace(/\s{0,3}$/, '')
      return WORDS.some((word) => word.startsWith(open)) || (bare && isBarePass(rest))
    }
    bare = false
    rest = rest.slice(token.length)
  }
}

function isBarePass(rest: string): boolean {
  if ('pass'.startsWith(rest)) return true
  return WHOLE_BARE.test(rest)
}

/**
 * How much of a streamed text may be shown now: nothing while it may become silence, and never a last line that may
 * become a token.
 */
export function showable(prefix: string, options: SilenceOptions): string {
  if (mayBecomeSilence(prefix, options)) return ''
  const text = stripTrailingToken(stripLeadingToken(prefix))
  if (mayBecomeSilence(text, options)) return ''
  const line = text.lastIndexOf('\n') + 1
  const last = text.slice(line)
  const held = line > 0 && last.length <= SILENCE_UNITS && mayBeTokens(last, { addressed: true })
  return held ? stripTrailingToken(text.slice(0, line).trimEnd()) : text
}
