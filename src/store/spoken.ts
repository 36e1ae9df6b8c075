/** What is said in the voice notes of a message, and its words with theirs. Reads only. */
import { voiceNote } from '../messaging/voice.js'
import { all, type Db } from './db.js'

/** By the file's id. */
export function transcriptsOf(db: Db, message: number): ReadonlyMap<string, string> {
  return new Map(
    all<{ file: string; text: string }>(
      db.sql('SELECT file, text FROM transcripts WHERE message = ?'),
      message,
    ).map(({ file, text }) => [file, text]),
  )
}

/** A message's words and, below them, those of its voice notes. */
export function withVoice(db: Db, message: number, text: string): string {
  return [...transcriptsOf(db, message).values()].reduce(below, text)
}

/** A voice note's words below what stands there already. */
export function below(before: string, spoken: string): string {
  return before.trim() === '' ? voiceNote(spoken) : `${before}\n${voiceNote(spoken)}`
}
