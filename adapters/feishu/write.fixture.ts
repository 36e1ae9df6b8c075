/** What was written, and what is read of it again. */
import { expect } from 'vitest'
import {
  type Doc,
  type InboundMessage,
  type Limits,
  parseDoc,
  withMentions,
} from '../../src/messaging/contract.js'
import type { Card, CardElement, FeishuBody } from './card.js'
import feishu from './index.js'
import { LIMITS } from './limits.js'

const MEMBERS = [
  { name: '李雷', id: 'ou_lilei' },
  { name: 'ann', id: 'ou_ann' },
]

/** As the core does: names of members become mentions where the text may address somebody. */
export function named(text: string): Doc {
  return withMentions(parseDoc(text), (_, masked) =>
    MEMBERS.flatMap(({ id, name }) =>
      [...masked.matchAll(new RegExp(`(?<![\\w@/.])@${name}(?![\\w/])`, 'g'))].map(({ index }) => ({
        start: index,
        end: index + name.length + 1,
        mention: { target: 'user' as const, id, name },
      })),
    ),
  )
}

export const write = (doc: Doc | string, limits: Limits = LIMITS) =>
  feishu.codec.write(typeof doc === 'string' ? parseDoc(doc) : doc, limits)
export const cardIn = (body: unknown): Card => {
  const known = body as FeishuBody
  if (known.type !== 'interactive') throw new Error('no card')
  return known.card
}
export const elements = (doc: Doc | string): CardElement[] => {
  const parts = write(doc)
  expect(parts).toHaveLength(1)
  return cardIn(parts[0]?.body).body.elements
}
export const content = (doc: Doc | string): string =>
  elements(doc)
    .map((element) => (element.tag === 'markdown' ? element.content : `(${element.tag})`))
    .join('\n\n')

/** Bytes of what Feishu is sent: JSON in JSON. */
export const requestSize = (body: unknown): number =>
  Buffer.byteLength(JSON.stringify(JSON.stringify(cardIn(body))))

/** A card as it is read back: what its Markdown says, whatever it looks like. */
export function readBack(body: unknown): InboundMessage {
  const message = {
    message_id: 'om_1',
    chat_id: 'oc_1',
    msg_type: 'interactive',
    create_time: '1700000000000',
    sender: { id: 'cli_0123456789abcdef', id_type: 'app_id', sender_type: 'app' },
    body: { content: JSON.stringify(cardIn(body)) },
  }
  const self = { id: 'ou_bot', name: 'Golem' }
  const found = feishu.codec.read({ body: message, from: 'history', appId: 'cli_0123456789abcdef' }, self)
  if (found.kind !== 'message') throw new Error(found.kind)
  return found
}
