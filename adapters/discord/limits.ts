/** What Discord takes, and how fast. */
import type { Capabilities, Limits, OperationKind } from '../../src/messaging/contract.js'

const MEGABYTE = 1_048_576

/**
 * "Message contents (up to 2000 characters)": https://docs.discord.com/developers/resources/message#create-message.
 * Markup counts. Characters are code points: https://github.com/discord/discord-api-docs/issues/1315.
 */
export const TEXT_CHARACTERS = 2_000
/** "The default limit is `10 MiB`", for each file: https://docs.discord.com/developers/reference#uploading-files */
export const UPLOAD_BYTES = 10 * MEGABYTE
/** https://docs.discord.com/developers/components/reference#button: 5 buttons a row, 5 rows. */
export const BUTTON = { label: 80, value: 100, perRow: 5, rows: 5 }
/** "nonce: integer or string, up to 25 characters": https://docs.discord.com/developers/resources/message#create-message */
export const NONCE_CHARACTERS = 25
/** Users in `allowed_mentions`: https://docs.discord.com/developers/resources/message#allowed-mentions-object */
export const MOST_PINGS = 100

const WRITES: readonly OperationKind[] = ['post', 'upload', 'whisper']

export const LIMITS: Limits = {
  text: { max: TEXT_CHARACTERS, unit: 'codepoint' },
  files: { maxBytes: UPLOAD_BYTES, perPost: 10 },
  // https://docs.discord.com/developers/topics/rate-limits: the limits of a route are told by its answers, "50 requests per
  // second" hold over all of them. What the answers say of messages is 5 in 5 s a channel, of reactions 1 in 0.25 s.
  budgets: [
    { scope: 'chat', writes: 5, perMs: 5_000, kinds: WRITES },
    { scope: 'chat', writes: 5, perMs: 5_000, kinds: ['edit'] },
    { scope: 'chat', writes: 5, perMs: 5_000, kinds: ['delete'] },
    { scope: 'chat', writes: 1, perMs: 300, kinds: ['react'] },
    { scope: 'account', writes: 45, perMs: 1_000 },
  ],
  timeoutMs: 20_000,
}

export const CAPABILITIES: Capabilities = {
  operations: ['post', 'edit', 'delete', 'react', 'upload', 'typing', 'whisper'],
  events: ['message', 'edit', 'delete', 'reaction', 'press', 'change'],
  threads: true,
  quoteOpensThread: false,
  buttons: true,
  history: true,
  direct: true,
  // `enforce_nonce`: "checked for uniqueness in the past few minutes"
  // (https://docs.discord.com/developers/resources/message#create-message). Few is at least two.
  idempotentFor: 120_000,
}
