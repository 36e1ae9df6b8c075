/** Voice notes as words. They belong to their message: what agents are shown of it has them, and they go when it goes. */
import type { NewTranscript } from '../messaging/voice.js'
import { type Db, one } from './db.js'
import type { MessageRow } from './rows.js'
import { reindex } from './search.js'
import { below, withVoice } from './spoken.js'

export function noteTranscript(db: Db, { message, file, text }: NewTranscript): void {
  const row = one<MessageRow>(db.sql('SELECT * FROM messages WHERE id = ? AND deleted_at IS NULL'), message)
  if (row === undefined) return
  const { changes } = db
    .sql('INSERT OR IGNORE INTO transcripts (message, file, text) VALUES (?, ?, ?)')
    .run(message, file, text)
  if (changes === 0) return
  db.sql('UPDATE messages SET shown = ? WHERE id = ?').run(below(row.shown ?? row.text ?? '', text), message)
  reindex(db, message, withVoice(db, message, row.text ?? ''))
}
