/** Parts -> what is sent: a message's type and its content. */
import { type Button, type Part, PlatformFailure } from '../../src/messaging/contract.js'
import { bodyOf, type Card, cardOf, type FeishuBody, withButtons } from './card.js'
import { BUTTON } from './limits.js'
import type { Fields } from './shape.js'
import type { Content } from './upload.js'
import { escapeText } from './write-escape.js'

/**
 * What of a part is sent.
 *
 * @param as `interactive` where a card stands that can only be changed by another card
 * @throws PlatformFailure for what nobody could be shown
 */
export function contentOf(part: Part, buttons: readonly Button[] = [], as?: string): Content {
  const body = known(part)
  check(buttons)
  if (body.type === 'text' && buttons.length === 0 && as !== 'interactive')
    return { type: 'text', content: { text: body.text } }
  const card = body.type === 'interactive' ? body.card : textCard(part.text)
  return { type: 'interactive', content: withButtons(card, buttons) as unknown as Fields }
}

/** A text that has to be a card: for its buttons, or because a card stands there. */
function textCard(text: string): Card {
  return cardOf([{ tag: 'markdown', content: escapeText(text, true) }])
}

function known(part: Part): FeishuBody {
  const body = bodyOf(part.body)
  if (body !== undefined && (body.type === 'interactive' || body.text.trim() !== '')) return body
  if (part.text.trim() === '') throw invalid('the post has no text')
  return { type: 'interactive', card: textCard(part.text) }
}

function check(buttons: readonly Button[]): void {
  if (buttons.length > BUTTON.each) throw invalid(`a post takes at most ${BUTTON.each} buttons`)
}

function invalid(sentence: string): PlatformFailure {
  return new PlatformFailure({ kind: 'invalid', field: 'other' }, sentence)
}
