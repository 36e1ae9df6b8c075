import type { Capabilities, Limits } from '../../src/messaging/contract.js'
import { MOST_FILE_BYTES, MOST_FILES } from './sizes.js'

export const LIMITS: Limits = {
  text: { max: 8_000, unit: 'utf16' },
  files: { maxBytes: MOST_FILE_BYTES, perPost: MOST_FILES },
  // A commit takes milliseconds; a disk that needs longer than this is in trouble.
  timeoutMs: 10_000,
}

export const CAPABILITIES: Capabilities = {
  operations: ['post', 'edit', 'delete', 'react', 'upload', 'typing', 'whisper'],
  events: ['message', 'edit', 'delete', 'reaction', 'press', 'change'],
  threads: true,
  buttons: true,
  idempotentFor: Number.POSITIVE_INFINITY,
  quoteOpensThread: false,
  history: true,
  direct: false,
}
