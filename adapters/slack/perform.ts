/**
 * Operations of the core -> calls of the Web API. One operation is at most one request; an upload is Slack's three
 * (upload.ts), and a mark that replaces another is two (marks.ts).
 */
import { createHash } from 'node:crypto'
import type { Button, IdempotencyKey, Operation, Part, Post, Receipt } from '../../src/messaging/contract.js'
import { PlatformFailure } from '../../src/messaging/contract.js'
import { CallFailed } from './failures.js'
import { BUTTON, MOST_FALLBACK_BYTES } from './limits.js'
import type { Marks } from './marks.js'
import { escapeText } from './rich.js'
import { type Fields, fields, list, text, timestamp } from './shape.js'
import { threadOf } from './threads.js'
import type { Uploader } from './upload.js'
import type { Web } from './web.js'

export interface Desk {
  web: Web
  marks: Marks
  uploader: Uploader
  /** What the token may do; null where Slack did not say. */
  scopes: ReadonlySet<string> | null
  /** Typing is shown by an assistant's status; false once Slack has refused it. */
  status: boolean
  now(): number
}

/** How a post is found again: https://docs.slack.dev/messaging/message-metadata */
export const EVENT_TYPE = 'golem_message'

/** What of a key Slack is shown: nothing that can be turned back. */
export function hashOf(key: IdempotencyKey): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

export async function carryOut(
  desk: Desk,
  op: Operation,
  key: IdempotencyKey,
  signal: AbortSignal,
): Promise<Receipt> {
  const { web } = desk
  const at = (): number => desk.now()
  const channel = op.place.chat
  switch (op.kind) {
    case 'post': {
      const sent = await web.call('chat.postMessage', postOf(desk, op, key), { signal })
      return receipt(sent, at())
    }
    case 'edit': {
      const { text: fallback, blocks } = bodyOf(op.part)
      const shown = [...blocks, ...buttonsOf(op.buttons)]
      await web.call('chat.update', { channel, ts: op.id, text: fallback, blocks: shown }, { signal })
      return { id: op.id, at: at() }
    }
    case 'delete':
      await web.call('chat.delete', { channel, ts: op.id }, { signal })
      return { id: op.id, at: at() }
    case 'react':
      await desk.marks.set(channel, op.id, op.mark, signal)
      return { id: op.id, at: at() }
    case 'whisper': {
      const { text: fallback, blocks } = bodyOf(op.part)
      const thread = timestamp(op.place.thread)
      const args = { channel, user: op.to, text: fallback, blocks, ...(thread && { thread_ts: thread }) }
      await web.call('chat.postEphemeral', args, { signal })
      return { at: at() }
    }
    case 'typing':
      await showStatus(desk, channel, op.place.thread, op.on, signal)
      return { at: at() }
    case 'upload':
      return desk.uploader.upload(op, hashOf(key), signal)
    default:
      throw new PlatformFailure({ kind: 'invalid', field: 'other' }, 'Slack has no such operation')
  }
}

function postOf(desk: Desk, op: Post, key: IdempotencyKey): Record<string, unknown> {
  const { text: fallback, blocks } = bodyOf(op.part)
  const thread = threadOf(op)
  return {
    channel: op.place.chat,
    text: fallback,
    blocks: [...blocks, ...buttonsOf(op.buttons)],
    unfurl_links: false,
    unfurl_media: false,
    metadata: { event_type: EVENT_TYPE, event_payload: { key: hashOf(key) } },
    ...(thread !== undefined && { thread_ts: thread }),
    ...(op.agent !== undefined &&
      desk.scopes?.has('chat:write.customize') === true && { username: op.agent }),
  }
}

function receipt(sent: Fields, at: number): Receipt {
  const id = timestamp(sent.ts)
  return id === undefined ? { at } : { id, at }
}

/** @throws PlatformFailure for what this platform's codec did not make */
function bodyOf(part: Part): { text: string; blocks: readonly unknown[] } {
  const body = fields(part.body)
  const blocks = list(body.blocks)
  const fallback = typeof body.text === 'string' ? body.text : undefined
  if (blocks.length > 0 && fallback !== undefined) return { text: fallback, blocks }
  const plain = (fallback ?? part.text).trim()
  if (plain === '') throw new PlatformFailure({ kind: 'invalid', field: 'other' }, 'the post has no text')
  // Without blocks the text is what people see: as it is, whatever marks are in it.
  return {
    text: escapeText(plain.slice(0, MOST_FALLBACK_BYTES)),
    blocks: [
      {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: plain }] }],
      },
    ],
  }
}

function buttonsOf(buttons: readonly Button[] = []): unknown[] {
  if (buttons.length === 0) return []
  if (buttons.length > BUTTON.each) {
    throw new PlatformFailure(
      { kind: 'invalid', field: 'other' },
      `a post takes at most ${BUTTON.each} buttons`,
    )
  }
  return [
    {
      type: 'actions',
      elements: buttons.map(({ label, value, style }, index) => {
        if (value.length > BUTTON.value) {
          const sentence = `the value of a button has ${value.length} characters, Slack takes ${BUTTON.value}`
          throw new PlatformFailure({ kind: 'invalid', field: 'other' }, sentence)
        }
        return {
          type: 'button',
          action_id: `golem_${index}`,
          text: { type: 'plain_text', text: shortened(label), emoji: false },
          value,
          ...((style === 'primary' || style === 'danger') && { style }),
        }
      }),
    },
  ]
}

function shortened(label: string): string {
  const line = label.replace(/\s+/g, ' ').trim() || '·'
  const characters = [...line]
  return line.length <= BUTTON.label ? line : `${characters.slice(0, BUTTON.label / 2).join('')}…`
}

/**
 * "… is thinking": only threads have it, and it goes away with the next post.
 * https://docs.slack.dev/reference/methods/assistant.threads.setStatus
 */
async function showStatus(
  desk: Desk,
  channel: string,
  thread: string | undefined,
  on: boolean,
  signal: AbortSignal,
): Promise<void> {
  const ts = timestamp(thread)
  if (ts === undefined || !desk.status) return
  try {
    const args = { channel_id: channel, thread_ts: ts, status: on ? 'is thinking…' : '' }
    await desk.web.call('assistant.threads.setStatus', args, { signal, timeoutMs: 5_000 })
  } catch (error) {
    const refused = error instanceof CallFailed && STATUS_REFUSED.has(error.code)
    if (!refused) throw error
    desk.status = false
  }
}

const STATUS_REFUSED: ReadonlySet<string> = new Set([
  'unknown_method',
  'missing_scope',
  'not_allowed_token_type',
  'method_not_supported_for_channel_type',
  'access_denied',
  'accesslimited',
  'method_deprecated',
  'deprecated_endpoint',
])

/** Metadata of a message that this bot posted under a key. */
export function keyOf(message: Fields): string | undefined {
  const metadata = fields(message.metadata)
  return metadata.event_type === EVENT_TYPE ? text(fields(metadata.event_payload).key) : undefined
}
