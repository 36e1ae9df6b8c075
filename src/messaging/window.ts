/** Which lines of a conversation an agent is shown: pure, so that the store and a replay cut alike. */
import { CONTEXT_CHARACTERS, CONTEXT_LINE_CHARACTERS, CONTEXT_LINES, RESULT_CHARACTERS } from './limits.js'

/** A line that is answered is never shortened below this. */
const LEAST_CHARACTERS = 200

/** Kinds of transcript lines that are conversation. Tool logs, notices and cards are not. */
const CONVERSATION = new Set(['person', 'agent', 'bot', 'result', 'digest', 'schedule'])

export function isEligible(line: { kind: string; text: string | null; narration?: boolean }): boolean {
  return CONVERSATION.has(line.kind) && line.narration !== true && (line.text ?? '').trim() !== ''
}

/**
 * The newest lines that fit. Filter before counting; a line that is too long is shortened, and says so.
 *
 * @param lines eligible lines, oldest first, the lines being answered last
 * @param fresh how many of the last lines are being answered: these are never left out for their number
 */
export function windowOf<Line extends { text: string; kind?: string; new?: boolean }>(
  lines: readonly Line[],
  fresh: number,
  historyLimit: number,
): { lines: Line[]; cut: number } {
  const keep = Math.min(CONTEXT_LINES, Math.max(fresh, Math.min(historyLimit, CONTEXT_LINES - fresh) + fresh))
  const shown: Line[] = []
  let room = CONTEXT_CHARACTERS
  let shortened = 0
  for (let index = lines.length - 1; index >= 0 && shown.length < keep; index--) {
    const line = lines[index]
    if (line === undefined) break
    const asked = line.kind === 'result' && line.new === true
    const short = shorten(line.text, asked ? RESULT_CHARACTERS : CONTEXT_LINE_CHARACTERS)
    if (short.length > room && shown.length >= fresh) break
    // Every line that is answered is shown: the ones before it keep a little room.
    const left = room - Math.max(0, Math.min(fresh, keep) - shown.length - 1) * LEAST_CHARACTERS
    const fitted =
      short.length > left && shown.length < fresh ? shorten(short, Math.max(left, LEAST_CHARACTERS)) : short
    if (fitted !== line.text) shortened++
    room -= fitted.length
    shown.unshift(fitted === line.text ? line : { ...line, text: fitted })
  }
  return { lines: shown, cut: lines.length - shown.length + shortened }
}

function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const mark = `… [${text.length - max + 40} characters left out]`
  let end = max - mark.length
  if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? '')) end--
  return text.slice(0, end) + mark
}
