/** What Feishu takes, and how fast. */
import type { Capabilities, Limits } from '../../src/messaging/contract.js'

const MEGABYTE = 1_048_576

/**
 * Bytes of a card in the request that sends it, where its JSON is a text of JSON and each quotation mark four bytes.
 * Feishu takes 30 KB (https://open.feishu.cn/document/server-docs/im-v1/message/create, error 230025). What is left
 * is for buttons and what stands around the card.
 */
export const CARD_BYTES = 27_000
/**
 * Elements of a card: Feishu takes 200, containers and texts inside of elements among them
 * (https://open.feishu.cn/document/feishu-cards/card-json-v2-structure).
 */
export const CARD_ELEMENTS = 80
/**
 * Tables of a card, however they are written; more are refused (230099, ErrCode 11310). The vendor's pages speak of five a
 * card and four a Markdown element; its own plugin measured that the fourth is refused
 * (https://github.com/larksuite/openclaw-lark/blob/main/src/card/card-error.ts).
 */
export const CARD_TABLES = 3
/** Buttons a card, and what one takes: characters of its label and of its value. The vendor names no limits. */
export const BUTTON = { each: 20, label: 40, value: 2_000 }
/** https://open.feishu.cn/document/server-docs/im-v1/file/create: "the file size must not exceed 30 MB". */
export const UPLOAD_BYTES = 30 * MEGABYTE
/** https://open.feishu.cn/document/server-docs/im-v1/image/create: "the image size must not exceed 10 MB". */
export const IMAGE_BYTES = 10 * MEGABYTE
/** https://open.feishu.cn/document/server-docs/im-v1/message/get-2: "the resource must not exceed 100 MB". */
export const DOWNLOAD_BYTES = 100 * MEGABYTE
/** A call that has not answered after this, in milliseconds, is given up. */
export const CALL_MS = 20_000
/** The same for a file on its way up. */
export const UPLOAD_MS = 55_000

export const LIMITS: Limits = {
  // Of visible text, in UTF-8. Leaves room for what marks and the JSON add; the writer measures the card itself as well.
  text: { max: 24_000, unit: 'byte' },
  files: { maxBytes: UPLOAD_BYTES, perPost: 1 },
  // https://open.feishu.cn/document/server-docs/im-v1/message/create: 5 a second in a chat, shared by its bots, and
  // to a person; 50 a second and 1,000 a minute for an app. Changes of one message are as many.
  budgets: [
    { scope: 'chat', writes: 5, perMs: 1_000, kinds: ['post', 'edit', 'upload', 'whisper'] },
    { scope: 'account', writes: 50, perMs: 1_000 },
    { scope: 'account', writes: 1_000, perMs: 60_000 },
  ],
  // Above the adapter's own limits, which tell what was under way.
  timeoutMs: 60_000,
}

export const CAPABILITIES: Capabilities = {
  operations: ['post', 'edit', 'delete', 'react', 'upload', 'whisper'],
  // What people change in their messages is reported to nobody.
  events: ['message', 'delete', 'reaction', 'press', 'change'],
  threads: true,
  quoteOpensThread: false,
  buttons: true,
  history: true,
  direct: true,
  // https://open.feishu.cn/document/server-docs/im-v1/message/create: a `uuid` holds for an hour; a clock may differ.
  idempotentFor: 55 * 60_000,
  // An open_id is one app's own: https://open.feishu.cn/document/home/user-identity-introduction/open-id
  accounts: { hear: false, sameIds: false },
}
