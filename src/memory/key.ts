import { createHash } from 'node:crypto'
import { MemoryError } from './error.js'

/** Room for suffixes (`.damaged-<time>.md`, temporary names) within the 255 bytes a file name may have. */
const FORM_LENGTH = 160
const PLAIN = /^[A-Za-z0-9_-]$/

function escapeCharacter(character: string): string {
  if (PLAIN.test(character)) return character
  // Half of a surrogate pair has no UTF-8; `%u` can begin nothing else, so the form stays one of its own.
  if (/^\p{Surrogate}$/u.test(character)) return `%u${character.charCodeAt(0).toString(16).toUpperCase()}`
  return [...Buffer.from(character, 'utf8')]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('')
}

/**
 * The file form of a chat key: `slack:C123` -> `slack-C123`, `telegram:-100456` -> `telegram--100456`. Every character
 * of the chat id outside `[A-Za-z0-9_-]` is percent-escaped, so two keys never share a file and none leaves the folder.
 * A form longer than a file name may be ends in `~` and a hash of the whole key instead; `~` appears in no other form.
 *
 * @throws MemoryError `bad-key` when the connection's part is not `[a-z0-9.]+` or the chat id is empty
 */
export function fileForm(chatKey: string): string {
  const colon = chatKey.indexOf(':')
  const connection = chatKey.slice(0, Math.max(colon, 0))
  const chat = chatKey.slice(colon + 1)
  if (!/^[a-z0-9.]+$/.test(connection) || chat === '') {
    throw new MemoryError(
      'bad-key',
      `${JSON.stringify(chatKey.slice(0, 80))} is no chat key: write connection:chat, such as slack:C123.`,
    )
  }
  const form = `${connection}-${[...chat].map(escapeCharacter).join('')}`
  if (form.length <= FORM_LENGTH) return form
  const hash = createHash('sha256').update(chatKey, 'utf16le').digest('hex').slice(0, 40)
  return `${form.slice(0, FORM_LENGTH - hash.length - 1).replace(/%[^%]{0,4}$/, '')}~${hash}`
}
