import type { Logger } from './ambient.js'
import type { Entry } from './directory.js'
import { parseDoc } from './doc/index.js'
import type { AcceptResult } from './store.js'

/** Tells one person something in private, where the platform has that. Volatile: it is about what they have just done. */
export async function whisper(
  entry: Entry,
  note: NonNullable<AcceptResult['whisper']>,
  log: Logger,
): Promise<void> {
  const part = entry.platform.codec.write(parseDoc(note.text), entry.platform.limits)[0]
  if (!part || !entry.connection || !entry.platform.can.operations.includes('whisper')) return
  try {
    const op = { kind: 'whisper', place: note.place, to: note.to, part } as const
    await entry.connection.perform(op, '', AbortSignal.timeout(entry.platform.limits.timeoutMs))
  } catch (error) {
    log.warn({ connection: entry.id, error: String(error) }, 'a private note was not shown')
  }
}
