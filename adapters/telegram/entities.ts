/** The entities of an incoming text, checked: kinds that are known, in bounds, in order. Offsets are UTF-16 units. */
import { type Dict, dict, dicts, int, text as textOf } from './raw.js'

export interface InEntity {
  start: number
  end: number
  type: string
  url?: string
  language?: string
  /** Of a `text_mention`. */
  user?: Dict
}

/** More formatting than that is nobody's writing. */
const MOST = 1_000

const KNOWN = new Set([
  'mention',
  'text_mention',
  'bot_command',
  'url',
  'email',
  'text_link',
  'bold',
  'italic',
  'strikethrough',
  'spoiler',
  'code',
  'pre',
  'blockquote',
  'expandable_blockquote',
])

export function entitiesOf(value: unknown, text: string): InEntity[] {
  const found: InEntity[] = []
  for (const raw of dicts(value).slice(0, MOST)) {
    const type = textOf(raw.type)
    const start = int(raw.offset)
    const units = int(raw.length)
    if (type === undefined || !KNOWN.has(type) || start === undefined || units === undefined) continue
    if (start < 0 || units <= 0 || start >= text.length) continue
    const url = textOf(raw.url)
    const language = textOf(raw.language)
    const user = dict(raw.user)
    found.push({
      type,
      start: whole(text, start, -1),
      end: whole(text, Math.min(text.length, start + units), 1),
      ...(url !== undefined && { url }),
      ...(language !== undefined && { language }),
      ...(user !== undefined && { user }),
    })
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end || rank(a) - rank(b))
}

/** Of spans over the same text, the block stands outside and the name inside. */
function rank({ type }: InEntity): number {
  if (type.endsWith('blockquote')) return 0
  return type === 'pre' ? 1 : 2
}

/** Out of the middle of a character that takes two units. */
function whole(text: string, at: number, step: 1 | -1): number {
  const [before, code] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  return before >= 0xd800 && before <= 0xdbff && code >= 0xdc00 && code <= 0xdfff ? at + step : at
}
