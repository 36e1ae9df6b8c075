/**
 * Makes sure that nothing in an agent's text pings anybody or offers a command.
 *
 * Telegram looks for `@name` and `/command` in every message, whatever its parse mode, but not inside code, links and
 * mentions that are marked already (tdlib/td, td/telegram/MessageEntity.cpp: match_mentions, match_bot_commands,
 * merge_new_entities). An invisible word joiner behind the `@` or `/` ends the match; the text reads the same, breaks no
 * line and needs no formatting. Wrapping in code would have changed how it looks.
 */
import { isClosed, JOINER, type Rich, type Span } from './rich.js'

const WORD = /[\p{L}\p{N}_]/u
const MENTION = /@\w{2}/y
const COMMAND = /\/\w{1,64}(?:@\w{3,32})?(?![\p{L}\p{N}_/<>])/uy

/** The same text with every accidental mention and command broken. */
export function neutral(rich: Rich): Rich {
  const places = pings(rich)
  return places.length === 0 ? rich : inserted(rich, places)
}

/** Offsets behind an `@` or `/` that Telegram would take for a mention or a command. */
function pings({ text, spans }: Rich): number[] {
  const found: number[] = []
  const closed = spans.filter(isClosed)
  let next = 0
  for (const { index } of text.matchAll(/[@/]/g)) {
    while (next < closed.length && (closed[next]?.end ?? 0) <= index) next++
    if ((closed[next]?.start ?? Number.POSITIVE_INFINITY) <= index) continue
    if (isPing(text, index)) found.push(index + 1)
  }
  return found
}

function isPing(text: string, at: number): boolean {
  const before = characterBefore(text, at)
  if (WORD.test(before)) return false
  const mark = text[at]
  if (mark === '/' && /[/<>]/.test(before)) return false
  const shape = mark === '@' ? MENTION : COMMAND
  shape.lastIndex = at
  return shape.test(text)
}

function characterBefore(text: string, at: number): string {
  const code = text.charCodeAt(at - 1)
  return code >= 0xdc00 && code <= 0xdfff
    ? text.slice(Math.max(0, at - 2), at)
    : text.slice(Math.max(0, at - 1), at)
}

/** A joiner at each of these offsets, which are in order. */
function inserted({ text, spans, keep }: Rich, places: readonly number[]): Rich {
  let made = ''
  let from = 0
  for (const place of places) {
    made += text.slice(from, place) + JOINER
    from = place
  }
  const moved = (offset: number) => offset + countBelow(places, offset)
  return {
    text: made + text.slice(from),
    spans: spans.map((span): Span => ({ ...span, start: moved(span.start), end: moved(span.end) })),
    keep: new Set([...keep].map(moved)),
  }
}

/** How many of the sorted numbers are smaller. */
function countBelow(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}
