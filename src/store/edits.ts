/** Edits and deletions count: before a turn they change it, during it they reach it, afterwards they are erased. */
import type { InboundDelete, InboundEdit } from '../messaging/contract.js'
import { nameOf } from '../messaging/gates/naming.js'
import { chatKeyOf } from '../messaging/keys.js'
import { roomAgents, settingsFor } from '../messaging/roster.js'
import type { AcceptItem, AcceptResult } from '../messaging/store.js'
import { all, one, type Room } from './db.js'
import { refreshTurnLane } from './lanes.js'
import type { MessageRow, TurnRow } from './rows.js'
import { reindex, unindex } from './search.js'
import { canOf, clearStatus, notify } from './turns.js'

export function acceptEdit(room: Room, item: AcceptItem, event: InboundEdit): Partial<AcceptResult> {
  const row = find(room, item, event)
  if (!row || row.deleted_at !== null) return {}
  const settings = settingsFor(room.policy, row.chat)
  const { visible, text } = nameOf(event.doc, item.self, roomAgents(room.policy, settings), settings)
  if (visible === row.text) return { message: row.id }
  const unchangedMeaning = text.trim() === (row.shown ?? row.text ?? '').trim()
  reindex(room, row.id, visible)
  room
    .sql('UPDATE messages SET text = ?, shown = ?, edited_at = ? WHERE id = ?')
    .run(visible, text === visible ? null : text, event.at, row.id)
  if (unchangedMeaning || row.author_id !== event.author.id) return { message: row.id }
  const abort: AcceptResult['abort'][number][] = []
  for (const turn of turnsOf(room, row.id)) {
    // An engine without effects starts again with the new words; another one is not run twice by itself.
    if (turn.state === 'running' && turn.effects === 'none') abort.push({ turn: turn.id, why: 'edited' })
    else if (turn.state === 'settled' && turn.addressed && turn.message === row.id && isLast(room, turn))
      offerRedo(room, turn, item.receivedAt)
  }
  return { message: row.id, abort }
}

export function acceptDelete(room: Room, item: AcceptItem, event: InboundDelete): Partial<AcceptResult> {
  const row = find(room, item, event)
  if (!row || row.deleted_at !== null) return {}
  // The old words leave transcript and search index in one transaction; receipts never held them.
  unindex(room, row.id)
  room
    .sql('UPDATE messages SET text = NULL, shown = NULL, files = NULL, deleted_at = ? WHERE id = ?')
    .run(event.at, row.id)
  const abort: AcceptResult['abort'][number][] = []
  for (const turn of turnsOf(room, row.id)) {
    const left = one(
      room.sql(
        `SELECT 1 FROM turn_messages tm JOIN messages m ON m.id = tm.message
         WHERE tm.turn = ? AND m.deleted_at IS NULL LIMIT 1`,
      ),
      turn.id,
    )
    if (left !== undefined) continue
    if (turn.state === 'queued') {
      room
        .sql(
          "UPDATE turns SET state = 'cancelled', reason = 'the message was deleted', settled_at = ? WHERE id = ?",
        )
        .run(item.receivedAt, turn.id)
      clearStatus(room, turn, item.receivedAt)
      refreshTurnLane(room, turn.lane)
    } else if (turn.state === 'running') abort.push({ turn: turn.id, why: 'deleted' })
  }
  return { message: row.id, abort }
}

function find(room: Room, item: AcceptItem, event: InboundEdit | InboundDelete): MessageRow | undefined {
  return one<MessageRow>(
    room.sql("SELECT * FROM messages WHERE chat = ? AND native = ? AND kind IN ('person', 'bot')"),
    chatKeyOf(item.connection, event.place.chat),
    event.id,
  )
}

function turnsOf(room: Room, message: number): TurnRow[] {
  return all<TurnRow>(
    room.sql(
      'SELECT t.* FROM turn_messages tm JOIN turns t ON t.id = tm.turn WHERE tm.message = ? ORDER BY t.id',
    ),
    message,
  )
}

function isLast(room: Room, turn: TurnRow): boolean {
  return (
    one(
      room.sql("SELECT 1 FROM turns WHERE request = ? AND id > ? AND kind = 'message' LIMIT 1"),
      turn.request,
      turn.id,
    ) === undefined
  )
}

function offerRedo(room: Room, turn: TurnRow, at: number): void {
  if (!canOf(turn).buttons || turn.message === null || turn.kind !== 'message') return
  const offered = one(
    room.sql(
      `SELECT 1 FROM outbox WHERE message = ? AND kind = 'note' AND state IN ('pending', 'sending')
         AND op LIKE '%"kind":"edited"%' LIMIT 1`,
    ),
    turn.message,
  )
  if (offered === undefined)
    notify(room, turn, { kind: 'edited' }, at, {
      buttons: [{ label: 'redo', action: { do: 'redo', message: turn.message } }],
    })
}
