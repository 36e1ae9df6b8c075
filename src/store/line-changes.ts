/** Which lines are not as they were first said: for what is kept of them outside the transcript. */
import type { LineChange } from '../messaging/line-changes.js'
import { all, type Room } from './db.js'
import { whereabouts } from './moves.js'
import type { MessageRow } from './rows.js'

type Row = Pick<MessageRow, 'id' | 'native' | 'text' | 'shown' | 'edited_at' | 'deleted_at'>

export function lineChanges(room: Room, chat: string, ids: readonly string[]): LineChange[] {
  const { key } = whereabouts(room, chat)
  const wanted = JSON.stringify(ids)
  const rows = all<Row>(
    room.sql(
      `SELECT id, native, text, shown, edited_at, deleted_at FROM messages
       WHERE chat = ? AND native IN (SELECT value FROM json_each(?))
         AND (edited_at IS NOT NULL OR deleted_at IS NOT NULL)
       UNION ALL
       SELECT id, native, text, shown, edited_at, deleted_at FROM messages
       WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(?)) AND chat = ? AND native IS NULL
         AND (edited_at IS NOT NULL OR deleted_at IS NOT NULL)`,
    ),
    key,
    wanted,
    wanted,
    key,
  )
  return rows.map(({ id, native, text, shown, edited_at, deleted_at }) => ({
    id: native ?? String(id),
    text: deleted_at === null ? (shown ?? text ?? '') : null,
    at: deleted_at ?? edited_at ?? 0,
  }))
}
