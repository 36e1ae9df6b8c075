import type { Capabilities, Limits } from '../../src/messaging/contract.js'

/**
 * Most characters that the blocks of a post may have as JSON. Slack refuses more with `msg_blocks_too_long` and tells
 * neither the limit nor what it counts; 13,200 is what people found for text
 * (https://github.com/slackapi/bolt-js/issues/2509), less for rich text with many elements (issue 2867 there). The JSON
 * is longer than whatever they count.
 */
export const MOST_BLOCK_UNITS = 12_000
/** https://docs.slack.dev/reference/block-kit/blocks: 50 blocks a message, some of them for buttons. */
export const MOST_BLOCKS = 40
/** `chat.update` counts bytes of `text` and refuses more than 4,000; it is only read in notifications. */
export const MOST_FALLBACK_BYTES = 3_000
/** https://docs.slack.dev/reference/block-kit/blocks/table-block */
export const TABLE = { rows: 100, columns: 20, units: 9_000 }
/** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
export const BUTTON = { label: 75, value: 2_000, each: 25 }

export const LIMITS: Limits = {
  // Visible text. Leaves room for what the JSON of ordinary text adds; a longer post is folded behind "See more" anyway.
  text: { max: 8_000, unit: 'utf16' },
  // A workspace takes files up to 1 GB; what agents make is smaller, and it passes through this process.
  files: { maxBytes: 100 * 1024 * 1024, perPost: 1 },
  // About one message a second in a channel, short bursts allowed; changes of messages are tier 3, 50 a minute.
  // https://docs.slack.dev/apis/web-api/rate-limits
  budgets: [
    { scope: 'chat', writes: 4, perMs: 4_000, kinds: ['post', 'upload', 'whisper'] },
    { scope: 'account', writes: 50, perMs: 60_000, kinds: ['edit'] },
    { scope: 'account', writes: 50, perMs: 60_000, kinds: ['delete'] },
    { scope: 'account', writes: 50, perMs: 60_000, kinds: ['react'] },
  ],
  timeoutMs: 20_000,
  // https://docs.slack.dev/reference/methods/assistant.threads.setStatus: "a two minute timeout applies".
  typingMs: 120_000,
}

export const CAPABILITIES: Capabilities = {
  operations: ['post', 'edit', 'delete', 'react', 'upload', 'typing', 'whisper'],
  events: ['message', 'edit', 'delete', 'reaction', 'press', 'change'],
  threads: true,
  // https://docs.slack.dev/messaging/#threading: `thread_ts` is the only way to answer a message.
  quoteOpensThread: true,
  buttons: true,
  history: true,
  direct: true,
  idempotentFor: 0,
}
