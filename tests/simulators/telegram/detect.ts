/**
 * What the server finds in a text by itself: mentions, commands, hashtags, cashtags, addresses, e-mail
 * (https://core.telegram.org/bots/api#messageentity; rules as `find_entities` of https://github.com/tdlib/td has them).
 */
import type { Entity, EntityType, Formatted } from './entities.js'
import { isHost } from './links.js'

const end = ({ offset, length }: Entity): number => offset + length

/** `@name`: 3 to 32 Latin letters, digits and `_`, not inside a word. */
const MENTION = /(?<![\p{L}\p{N}_])@([a-zA-Z0-9_]{3,32})(?![\p{L}\p{N}_])/gu
/** Not after a word, `/` or `>`; up to 64 characters; `@` and a user name may follow. */
const COMMAND = /(?<![\p{L}\p{N}_/<>])\/([a-zA-Z0-9_]{1,64})(?:@([a-zA-Z0-9_]{3,32}))?(?![\p{L}\p{N}_/<>])/gu
const HASHTAG = /(?<![\p{L}\p{N}_#])#[\p{L}\p{N}_\u00b7\u200c]{1,256}(?![\p{L}\p{N}_#])/gu
const CASHTAG = /(?<![\p{L}\p{N}_$])\$[A-Z]{1,8}(?![\p{L}\p{N}_$])/gu
const EMAIL =
  /(?<![\p{L}\p{N}._%+:/@-])[a-zA-Z0-9._%+-]{1,64}@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*\.[a-zA-Z]{2,24}(?![\p{L}\p{N}_@])/gu
const URL =
  /(?<![\p{L}\p{N}_@.])((?:https?|ftp):\/\/)?(?:[^\s/?#@<>()[\]{}"'`«»]+@)?((?:\d{1,3}\.){3}\d{1,3}|(?:[\p{L}\p{N}\p{Emoji_Presentation}_-]+\.)+[\p{L}\p{N}-]{2,})(?::\d{1,5})?(?:[/?#][^\s<>«»"“”‘’…‖`]*)?/gu
const TG_URL =
  /(?<![\p{L}\p{N}_])(?:tg|ton|tonsite):\/\/[a-z0-9_-]{1,253}(?:[/?#][^\s\u2000-\u200b\u2028\u2029<>«»"]*)?/giu

/** Finds entities in a text. Where two overlap, the earlier, then the longer one stands. */
export function detect(text: string): Entity[] {
  const found: Entity[] = []
  const add = (
    type: EntityType,
    expression: RegExp,
    isOne: (match: RegExpMatchArray) => boolean = () => true,
  ) => {
    for (const match of text.matchAll(expression)) {
      if (isOne(match)) found.push({ type, offset: match.index, length: match[0].length })
    }
  }
  // Almost every text has none of them: one look is cheaper than seven searches.
  if (!/[@/#$.:]/.test(text)) return []
  add('mention', MENTION)
  add('bot_command', COMMAND)
  add('hashtag', HASHTAG, ([tag]) => !/^#\p{N}+$/u.test(tag))
  add('cashtag', CASHTAG)
  add('email', EMAIL)
  add('url', TG_URL)
  for (const match of text.matchAll(URL)) {
    const isWithScheme = match[1] !== undefined
    const host = match[2] ?? ''
    // Without a scheme a name in mixed case is none: "word.Next sentence".
    const domain = host.slice(host.lastIndexOf('.') + 1)
    const isOneCase = domain === domain.toLowerCase() || domain === domain.toUpperCase()
    if (!isHost(host) || (!isWithScheme && !isOneCase)) continue
    const length = trimUrl(match[0]).length
    if (text[match.index + length] === '@') continue
    found.push({ type: 'url', offset: match.index, length })
  }
  found.sort((a, b) => a.offset - b.offset || b.length - a.length)
  const kept: Entity[] = []
  for (const entity of found) {
    if (entity.offset >= (kept.length > 0 ? end(kept.at(-1) as Entity) : 0)) kept.push(entity)
  }
  return kept
}

/** Closing punctuation belongs to the sentence; a closing bracket to the address only when it opens there. */
function trimUrl(url: string): string {
  let trimmed = url
  for (;;) {
    const last = trimmed.at(-1) ?? ''
    const pair = { ')': '(', ']': '[', '}': '{' }[last]
    if (/[.,:;!?'"#]/.test(last) && !(last === '#' && trimmed.at(-2) === '?')) trimmed = trimmed.slice(0, -1)
    else if (last === '#' || pair === undefined) return trimmed
    else if (count(trimmed, last) > count(trimmed, pair)) trimmed = trimmed.slice(0, -1)
    else return trimmed
  }
}

const count = (text: string, char: string): number => text.split(char).length - 1

/** Adds what is found where no code, link or mention stands yet. Styles may cover it. */
export function withDetected({ text, entities }: Formatted): Formatted {
  const solid = entities.filter(
    ({ type }) => !/^(bold|italic|underline|strikethrough|spoiler|.*blockquote)$/.test(type),
  )
  const found = detect(text).filter(
    (one) => !solid.some((other) => one.offset < end(other) && other.offset < end(one)),
  )
  return { text, entities: [...entities, ...found] }
}
