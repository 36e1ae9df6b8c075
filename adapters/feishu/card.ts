/**
 * The part of a card that this adapter writes.
 * https://open.feishu.cn/document/feishu-cards/card-json-v2-structure
 */
import type { Button } from '../../src/messaging/contract.js'
import { BUTTON } from './limits.js'
import { BUTTON_KEY } from './read-action.js'

export type CardElement =
  | { tag: 'markdown'; content: string; text_size?: string }
  | { tag: 'hr' }
  | { tag: 'column_set'; flex_mode: 'flow'; columns: CardColumn[] }

interface CardColumn {
  tag: 'column'
  width: 'auto'
  elements: CardButton[]
}

interface CardButton {
  tag: 'button'
  text: { tag: 'plain_text'; content: string }
  type: 'default' | 'primary' | 'danger'
  behaviors: [{ type: 'callback'; value: Record<string, string> }]
}

export interface Card {
  schema: '2.0'
  /** Without it a card cannot be changed later. */
  config: { update_multi: true }
  header?: { title: { tag: 'plain_text'; content: string }; template?: string }
  body: { elements: CardElement[] }
}

/** `Part.body` of this platform: a card, or the plain form for when a card was refused. */
export type FeishuBody = { type: 'interactive'; card: Card } | { type: 'text'; text: string }

/** Undefined where it is none, as after an update of this program it might be. */
export function bodyOf(value: unknown): FeishuBody | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined
  const body = value as FeishuBody
  if (body.type === 'text') return typeof body.text === 'string' ? body : undefined
  return body.type === 'interactive' && typeof body.card === 'object' ? body : undefined
}

export function cardOf(elements: CardElement[]): Card {
  return { schema: '2.0', config: { update_multi: true }, body: { elements } }
}

/** The same card with buttons below, in as many rows as they need. */
export function withButtons(card: Card, buttons: readonly Button[]): Card {
  if (buttons.length === 0) return card
  const columns = buttons.slice(0, BUTTON.each).map(
    ({ label, value, style = 'default' }): CardColumn => ({
      tag: 'column',
      width: 'auto',
      elements: [
        {
          tag: 'button',
          text: { tag: 'plain_text', content: shortened(label, BUTTON.label) },
          type: style,
          behaviors: [{ type: 'callback', value: { [BUTTON_KEY]: value } }],
        },
      ],
    }),
  )
  const row: CardElement = { tag: 'column_set', flex_mode: 'flow', columns }
  return { ...card, body: { elements: [...card.body.elements, row] } }
}

function shortened(label: string, most: number): string {
  const characters = [...label]
  return characters.length <= most ? label : `${characters.slice(0, most - 1).join('')}…`
}
