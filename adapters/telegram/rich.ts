/** Text as Telegram keeps it: plain characters, and spans over them. */

/** A word joiner: shows nothing, breaks no line, and ends whatever Telegram was reading. */
export const JOINER = '\u2060'

/** A stretch of the text, in UTF-16 units. */
export interface Span {
  start: number
  end: number
  kind: 'bold' | 'italic' | 'strikethrough' | 'blockquote' | 'code' | 'pre' | 'text_link' | 'text_mention'
  /** Of a `text_link`. */
  url?: string
  /** Of a `pre`. */
  language?: string
  /** Of a `text_mention`: the user's numeric id. */
  user?: number
}

export interface Rich {
  text: string
  /** By start; of two that start together the longer one first. */
  spans: Span[]
  /** Offsets at which a cut would part what belongs together: a heading and what it heads. */
  keep: ReadonlySet<number>
}

/** One entity of an outgoing message (core.telegram.org/bots/api#messageentity). */
export interface Entity {
  type: Span['kind']
  offset: number
  length: number
  url?: string
  language?: string
  user?: { id: number }
}

/** Kinds that Telegram neither nests in one another nor looks for names and commands in. */
export function isClosed({ kind }: Span): boolean {
  return kind === 'code' || kind === 'pre' || kind === 'text_link' || kind === 'text_mention'
}

export function byPlace(a: Span, b: Span): number {
  return a.start - b.start || b.end - a.end
}
