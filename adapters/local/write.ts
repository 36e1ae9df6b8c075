/** A document -> posts of a local room. The rooms speak Markdown, so this is the least of all the renderers. */
import {
  type Doc,
  type Limits,
  type Mention,
  type Part,
  parseDoc,
  plainText,
  splitMarkdown,
  toMarkdown,
} from '../../src/messaging/contract.js'
import type { RawMention } from './raw.js'

/** `Part.body` of this platform. */
export interface LocalBody {
  /** Markdown; raw HTML in it is shown as text. */
  text: string
  /** Who is meant by the `@names` in the text. */
  mentions: RawMention[]
}

/** While the text is being split, one private character stands for each mention: a character is never cut. */
const PRIVATE = 0xf0000
const MOST_MENTIONS = 0xfffd

export function write(doc: Doc, limits: Limits): readonly Part[] {
  const met: Mention[] = []
  const free = firstFree(doc)
  const marked = toMarkdown(doc, (mention) => {
    if (met.length >= MOST_MENTIONS) return label(mention)
    met.push(mention)
    return String.fromCodePoint(free + met.length - 1)
  })
  if (marked.trim() === '') return []
  const isMark = new RegExp(`[\\u{${free.toString(16)}}-\\u{${(free + MOST_MENTIONS).toString(16)}}]`, 'gu')
  const mentionAt = (mark: string) => met[(mark.codePointAt(0) ?? 0) - free]
  const shown = (text: string) =>
    met.length === 0 ? text : text.replace(isMark, (mark) => labelOr(mentionAt(mark), mark))
  return splitMarkdown(marked, limits.text.max, (text) => shown(text).length).map((piece) => {
    const mentions = new Map<string, RawMention>()
    for (const [mark] of met.length === 0 ? [] : piece.matchAll(isMark)) {
      const mention = mentionAt(mark)
      if (mention?.target === 'user' && mention.id !== undefined) {
        mentions.set(mention.id, { id: mention.id, name: mention.name })
      }
    }
    const text = shown(piece)
    const body: LocalBody = { text, mentions: [...mentions.values()] }
    return { text: plainText(parseDoc(text)), body, mentions: [...mentions.keys()] }
  })
}

/** `@name`, with what Markdown would read as a mark escaped. */
function label(mention: Mention): string {
  return `@${mention.name.replace(/[\r\n]+/g, ' ').replace(/[\\`*_~[\]<>|&#]/g, '\\$&')}`
}

function labelOr(mention: Mention | undefined, otherwise: string): string {
  return mention === undefined ? otherwise : label(mention)
}

/** The start of a private range that the document itself does not use. */
function firstFree(doc: Doc): number {
  return /[\u{f0000}-\u{ffffd}]/u.test(plainText(doc) + JSON.stringify(doc.source ?? '')) ? 0x100000 : PRIVATE
}
