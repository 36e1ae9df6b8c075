/**
 * A document -> cards. Why cards, not texts or rich text? A text has no marks at all, rich text (`post`) no tables and
 * can be changed twenty times only; a card has everything, can be changed for 14 days, and carries buttons. Its Markdown
 * is CommonMark, so that every mark is escaped that is not ours: nothing an agent writes can page anybody or change its
 * form. Headings are bold lines; tables stay tables, three a card; a fourth begins the next one.
 */
import type { Doc, Limits, Part } from '../../src/messaging/contract.js'
import { cardOf, type FeishuBody } from './card.js'
import { elementsOf } from './write-card.js'
import { wellFormed } from './write-escape.js'
import { pack } from './write-pack.js'
import { shownText } from './write-shown.js'
import { mentionsIn, unitsOf } from './write-units.js'

export function write(doc: Doc, limits: Limits): readonly Part[] {
  return pack(unitsOf(doc), limits.text.max).flatMap((units): Part[] => {
    const text = shownText(units)
    const elements = elementsOf(units)
    if (text === '' || elements.length === 0) return []
    const body: FeishuBody = { type: 'interactive', card: cardOf(elements) }
    return [{ text, body, mentions: mentionsIn(units) }]
  })
}

/**
 * The text as it is, in the form that no card can be refused for. Tags that a text message reads
 * (https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json) are made none by a
 * character that nobody sees.
 */
export function plain(text: string): Part {
  const safe = wellFormed(text).replace(/<(?=\/?(?:at|b|i|u|s|p|a)\b)/gi, '<\u200b')
  const body: FeishuBody = { type: 'text', text: safe }
  return { text, body, mentions: [] }
}
