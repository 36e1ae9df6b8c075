/** A text with its formatting, as `sendMessage` and its kin take it, made into what the server keeps. */
import { withDetected } from './detect.js'
import {
  type Entity,
  type EntityType,
  type Formatted,
  MOST_ENTITIES,
  settleEntities,
  trimFormatted,
} from './entities.js'
import { badRequest } from './errors.js'
import { ParseError, parseHtml } from './parse-html.js'
import { parseMarkdown, parseMarkdownV2 } from './parse-markdown.js'

export interface Unformatted {
  text: string
  parseMode?: string
  /** As given: offsets in UTF-16 code units. Not looked at when there is a parse mode. */
  entities?: readonly unknown[]
}

/** Longest raw text, markup included, in bytes: more is refused before it is parsed. Observed, in no page. */
const MOST_RAW_BYTES = 32_768

const EXPLICIT: ReadonlySet<string> = new Set<EntityType>([
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'blockquote',
  'expandable_blockquote',
  'code',
  'pre',
  'text_link',
  'text_mention',
  'custom_emoji',
])

/**
 * @param most longest text after parsing, in UTF-16 code units
 * @param isKnown whether this account can be mentioned by its id here; if not, the mention becomes plain text
 *   (https://core.telegram.org/bots/api#formatting-options, on `tg://user?id=`)
 * @throws ApiError "can't parse entities: …", or that the text is too long
 */
export function format(
  source: Unformatted,
  most: number,
  tooLong: string,
  isKnown: (user: number) => boolean,
): Formatted {
  if (Buffer.byteLength(source.text) > MOST_RAW_BYTES) throw badRequest(tooLong)
  const parsed = trimFormatted(parse(source))
  if (parsed.text.length > most) throw badRequest(tooLong)
  const known = parsed.entities.filter(({ user }) => user === undefined || isKnown(user))
  const { text, entities } = withDetected({
    text: parsed.text,
    entities: settleEntities({ ...parsed, entities: known }),
  })
  return { text, entities: settleEntities({ text, entities }).slice(0, MOST_ENTITIES) }
}

function parse({ text: source, parseMode, entities }: Unformatted): Formatted {
  const text = clean(source)
  const mode = (parseMode ?? '').toLowerCase()
  try {
    if (mode === 'html') return parseHtml(text)
    if (mode === 'markdownv2') return parseMarkdownV2(text)
    if (mode === 'markdown') return parseMarkdown(text)
  } catch (error) {
    if (error instanceof ParseError) throw badRequest(`can't parse entities: ${error.message}`)
    throw error
  }
  if (mode !== '' && mode !== 'none') throw badRequest('unsupported parse_mode')
  return { text, entities: (entities ?? []).map((one) => explicit(one, text)).filter((one) => one !== null) }
}

/** Control characters become blanks, carriage returns go. */
function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters it is about
  return text.replace(/\r/g, '').replace(/[\u0000-\u0009\u000b-\u001f]/g, ' ')
}

/** An entity that a client gave. Kinds that the server finds by itself are not taken from clients. */
function explicit(given: unknown, text: string): Entity | null {
  if (typeof given !== 'object' || given === null)
    throw badRequest("can't parse MessageEntity: expected an Object")
  const one = given as Record<string, unknown>
  const { offset, length } = one
  if (typeof offset !== 'number' || typeof length !== 'number') {
    throw badRequest('can\'t parse MessageEntity: Field "offset" must be of type Number')
  }
  if (offset < 0 || length < 0) throw badRequest(`entity has invalid offset or length: ${offset}, ${length}`)
  if (length === 0 || !EXPLICIT.has(String(one.type))) return null
  if (offset + length > text.length) {
    throw badRequest(
      offset >= text.length
        ? 'entity begins after the end of the text at UTF-16 offset '.concat(String(offset))
        : 'entity beginning at UTF-16 offset '.concat(
            String(offset),
            ' ends after the end of the text at UTF-16 offset ',
            String(offset + length),
          ),
    )
  }
  // Neither end may lie inside a surrogate pair.
  if (isInPair(text, offset))
    throw badRequest(`entity beginning at UTF-16 offset ${offset} begins in a middle of a UTF-16 symbol`)
  if (isInPair(text, offset + length)) {
    throw badRequest(
      `entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol at UTF-16 offset ${offset + length}`,
    )
  }
  const user = (one.user as { id?: number } | undefined)?.id
  return {
    type: one.type as EntityType,
    offset,
    length,
    ...(typeof one.url === 'string' && { url: one.url }),
    ...(typeof one.language === 'string' && { language: one.language }),
    ...(typeof one.custom_emoji_id === 'string' && { custom_emoji_id: one.custom_emoji_id }),
    ...(user !== undefined && { user: Number(user) }),
  }
}

/** The place lies between the two halves of a surrogate pair. */
function isInPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  const before = text.charCodeAt(at - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff
}
