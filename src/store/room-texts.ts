/** What people have agents change in a room. It wins over golem.yaml, and who changed it is kept. */
import type { Changed, RoomText, RoomTextChange, RoomTexts } from '../messaging/posts.js'
import { mayChange, mayNot } from '../messaging/rights.js'
import { safeName } from '../messaging/text/index.js'
import { all, type Db, one, type Room } from './db.js'
import { settingsOf } from './moves.js'
import type { ChatRow, TurnRow } from './rows.js'
import { isScheduled } from './schedule-runs.js'
import { notify } from './turns.js'

export function changeRoomText(room: Room, change: RoomTextChange): Changed {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), change.turn)
  if (turn?.state !== 'running' || turn.boot !== room.boot)
    return { status: 'refused', why: 'This turn is over; nothing was changed.' }
  const chat = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), turn.chat)
  // What a bot, a teammate or a schedule says changes no room.
  const persons = turn.kind === 'message' || turn.kind === 'follow-up'
  if (!persons || turn.ask !== null || turn.hop > 0 || isScheduled(room, turn) || turn.requester_id === null)
    return { status: 'refused', why: 'Only a person may have this changed, in a message of their own.' }
  if (chat === undefined || !mayChange(settingsOf(room, turn.chat), chat, turn.requester_id))
    return { status: 'refused', why: mayNot(turn.chat, turn.requester_id, room.policy.language) }
  const { changes } =
    change.text === null
      ? room.sql('DELETE FROM room_texts WHERE chat = ? AND key = ?').run(turn.chat, change.key)
      : room
          .sql(
            `INSERT INTO room_texts (chat, key, text, by_id, by_name, at, turn) VALUES (?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (chat, key) DO UPDATE SET text = excluded.text, by_id = excluded.by_id,
               by_name = excluded.by_name, at = excluded.at, turn = excluded.turn WHERE text <> excluded.text`,
          )
          .run(
            turn.chat,
            change.key,
            change.text,
            turn.requester_id,
            turn.requester_name ?? '',
            change.at,
            turn.id,
          )
  if (changes === 0) return { status: 'same' }
  notify(
    room,
    turn,
    {
      kind: 'room-changed',
      what: change.key,
      by: safeName(turn.requester_name ?? ''),
      reset: change.text === null,
    },
    change.at,
  )
  return { status: 'changed' }
}

/** What was changed in a chat; undefined where nothing was. */
export function roomTextsOf(db: Db, chat: string): RoomTexts | undefined {
  const rows = all<{ key: RoomText; text: string }>(
    db.sql('SELECT key, text FROM room_texts WHERE chat = ?'),
    chat,
  )
  return rows.length === 0 ? undefined : Object.fromEntries(rows.map(({ key, text }) => [key, text]))
}
