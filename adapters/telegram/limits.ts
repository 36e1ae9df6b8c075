/** What Telegram takes, and how fast. Sources: core.telegram.org/bots/api and core.telegram.org/bots/faq. */
import type { Capabilities, Limits, OperationKind } from '../../src/messaging/contract.js'

const MEGABYTE = 1_048_576

/** "1-4096 characters after entities parsing" (sendMessage), counted in UTF-16 units. */
export const TEXT_UNITS = 4_096
/** Formatting beyond about a hundred entities of a message is dropped without an error; some room is left. */
export const TEXT_ENTITIES = 95
/** Bytes of entities in one message, so that text and entities together stay under 32 KiB. */
export const ENTITY_BYTES = 18_000
/** "data to be sent in a callback query when the button is pressed, 1-64 bytes" (InlineKeyboardButton). */
export const BUTTON_BYTES = 64
/** "Bots can currently send files of any type of up to 50 MB in size" (sendDocument). */
export const UPLOAD_BYTES = 50 * MEGABYTE
/** "The photo must be at most 10 MB in size" (sendPhoto). */
export const PHOTO_BYTES = 10 * MEGABYTE
/** "bots can download files of up to 20MB in size" (getFile). */
export const DOWNLOAD_BYTES = 20 * MEGABYTE

/** A call that has not answered after this, in milliseconds, is given up. */
export const CALL_MS = 20_000
/** The same for a file on its way up. */
export const UPLOAD_MS = 55_000

/** Flood limits count what makes or changes a message; marks and typing have their own, unpublished ones. */
const WRITES: readonly OperationKind[] = ['post', 'edit', 'upload', 'whisper']

export const LIMITS: Limits = {
  text: { max: TEXT_UNITS, unit: 'utf16' },
  files: { maxBytes: UPLOAD_BYTES, perPost: 1 },
  // core.telegram.org/bots/faq: about one message a second in a chat, 20 a minute in a group, 30 a second over all.
  budgets: [
    { scope: 'chat', writes: 1, perMs: 1_000, chats: 'dm', kinds: WRITES },
    { scope: 'chat', writes: 20, perMs: 60_000, chats: 'group', kinds: WRITES },
    // The second holds in groups as well; short bursts "may" go over it, and a long answer in parts is one.
    { scope: 'chat', writes: 4, perMs: 4_000, chats: 'group', kinds: WRITES },
    { scope: 'account', writes: 30, perMs: 1_000, kinds: WRITES },
    // What is allowed of drafts is not published; a person reads no faster.
    { scope: 'chat', writes: 1, perMs: 1_000, kinds: ['draft'] },
    { scope: 'account', writes: 20, perMs: 1_000, kinds: ['draft'] },
  ],
  // Above the adapter's own limits, which tell what was under way.
  timeoutMs: 60_000,
}

export const CAPABILITIES: Capabilities = {
  operations: ['post', 'edit', 'delete', 'react', 'upload', 'typing', 'whisper', 'draft'],
  // Deletions are not reported to bots.
  events: ['message', 'edit', 'reaction', 'press', 'change'],
  threads: true,
  quoteOpensThread: false,
  buttons: true,
  history: false,
  direct: true,
  idempotentFor: 0,
  // https://core.telegram.org/bots/faq#why-doesn-39t-my-bot-see-messages-from-other-bots
  accounts: { hear: false, sameIds: true },
}
