/** Voice notes as words. They belong to their message: what agents are shown of it has them, and they go when it goes. */
import { type NewTranscript, voiceNote } from '../messaging/voice.js'
import { all, type Db, one } from './db.js'
import type { MessageRow } from './rows.js'

export function noteTranscript(db: Db, { message, file, text }: NewTranscript): void {
  const row = one<MessageRow>(db.sql('SELECT * FROM messages WHERE id = ? AND deleted_at IS NULL'), message)
  if (row === undefined) return
  const { changes } = db
    .sql('INSERT OR IGNORE INTO transcripts (message, file, text) VALUES (?, ?, ?)')
    .run(message, file, text)
  if (changes === 0) return
  const before = row.shown ?? row.text ?? ''
  const shown = before.trim() === '' ? voiceNote(text) : `${before}\n${voiceNote(text)}`
  db.sql('UPDATE messages SET shown = ? WHERE id = ?').run(shown, message)
}

/** By the file's id. */
export function transcriptsOf(db: Db, message: number): ReadonlyMap<string, string> {
  return new Map(
    all<{ file: string; text: string }>(
      db.sql('SELECT file, text FROM transcripts WHERE message = ?'),
      message,
    ).map(({ file, text }) => [file, text]),
  )
}
