/** A document -> messages of Telegram: text and entities, none longer than a message may be. */
import type { Doc, Limits, Part } from '../../src/messaging/contract.js'
import { cut, type Piece } from './cut.js'
import { neutral } from './neutral.js'
import { render } from './render.js'
import { type Entity, JOINER, type Rich, type Span } from './rich.js'

/** `Part.body` of this platform: parameters of `sendMessage`. */
export interface TelegramBody {
  text: string
  entities: Entity[]
}

export function write(doc: Doc, limits: Limits): readonly Part[] {
  const rich = neutral(render(doc))
  const pieces = cut(rich, limits.text.max)
  let first = 0
  return pieces.map((piece) => {
    while ((rich.spans[first]?.end ?? Number.POSITIVE_INFINITY) <= piece.start) first++
    return partOf(piece, rich, first)
  })
}

function partOf(piece: Piece, rich: Rich, first: number): Part {
  const spans: Span[] = []
  for (let index = first; index < rich.spans.length; index++) {
    const span = rich.spans[index]
    if (span === undefined || span.start >= piece.end) break
    if (span.end > piece.start) {
      const start = Math.max(0, span.start - piece.start)
      const end = Math.min(piece.end, span.end) - piece.start
      spans.push({ ...span, start, end })
    }
  }
  // A cut may leave a name or a command at the front that stood inside a word, or code that begins with a blank.
  const text = rich.text.slice(piece.start, piece.end)
  const indented = spans.find((span) => span.kind === 'pre' && span.start === 0 && /^\s/.test(text))
  const own = neutral({ text, spans, keep: new Set() })
  const shown = indented === undefined ? own : withFront(own)
  const mentions = new Set<string>()
  for (const { user } of shown.spans) if (user !== undefined) mentions.add(String(user))
  const body: TelegramBody = { text: shown.text, entities: shown.spans.map(entityOf) }
  return { text: shown.text.replaceAll(JOINER, ''), body, mentions: [...mentions] }
}

/** A joiner in front, as part of the code that begins there. */
function withFront({ text, spans, keep }: Rich): Rich {
  return {
    text: JOINER + text,
    spans: spans.map((span) => ({
      ...span,
      start: span.start === 0 ? 0 : span.start + 1,
      end: span.end + 1,
    })),
    keep,
  }
}

function entityOf({ kind, start, end, url, language, user }: Span): Entity {
  return {
    type: kind,
    offset: start,
    length: end - start,
    ...(url !== undefined && { url }),
    ...(language !== undefined && { language }),
    ...(user !== undefined && { user: { id: user } }),
  }
}
