/** Edits and deletions count: before a turn they change it, during it they reach it, afterwards they are erased. */
import type { InboundDelete, InboundEdit } from '../messaging/contract.js'
import { nameOf } from '../messaging/gates/naming.js'
import { chatKeyOf } from '../messaging/keys.js'
import { roomAgents } from '../messaging/roster.js'
import type { AcceptItem, AcceptResult } from '../messaging/store.js'
import { requeue, withdrawQuestions } from './approvals.js'
import { callOff, openAsks } from './asks.js'
import { all, one, type Room } from './db.js'
import { eraseFactsFrom, followEdit } from './facts.js'
import { settingsOf } from './moves.js'
import { beginningOf, EDITED, isLastOfRequest, offerRedo } from './redo.js'
import type { MessageRow, TurnRow } from './rows.js'
import { reindex, unindex } from './search.js'
import { finish, stopWaiting } from './settle.js'
import { withVoice } from './spoken.js'
import { findLine, findNative } from './state.js'
import { noteUnread } from './unread.js'

export function acceptEdit(room: Room, item: AcceptItem, event: InboundEdit): Partial<AcceptResult> {
  const row = find(room, item, event)
  if (!row) return unseen(room, item, event)
  // An own post is what was posted. An agent's that speaks through another account is what is heard of it.
  if (row.deleted_at !== null || row.author_kind === 'agent') return {}
  const settings = settingsOf(room, row.chat)
  const { visible, text: words } = nameOf(event.doc, item.self, roomAgents(room.policy, settings), settings)
  const text = withVoice(room, row.id, words)
  if (visible === row.text) return { message: row.id }
  const unchangedMeaning = text.trim() === (row.shown ?? row.text ?? '').trim()
  reindex(room, row.id, withVoice(room, row.id, visible))
  followEdit(room, row.id, row.text ?? '', visible, item.receivedAt)
  room
    .sql('UPDATE messages SET text = ?, shown = ?, edited_at = ? WHERE id = ?')
    .run(visible, text === visible ? null : text, event.at, row.id)
  if (unchangedMeaning || row.author_id !== event.author.id) return { message: row.id }
  const abort: AcceptResult['abort'][number][] = []
  for (const turn of turnsOf(room, row.id)) {
    if (turn.state === 'parked' && turn.effects === 'none') {
      // It begins again with the new words, which may ask something else. Another engine begins when somebody decides.
      withdrawQuestions(room, turn.id, item.receivedAt)
      requeue(room, turn.id, item.receivedAt)
    } else if (turn.state === 'running') {
      // An engine without effects starts again with the new words; another one is not run twice by itself, nor one
      // that has ended by now: then the person may ask for it.
      room.sql('UPDATE turns SET reason = ? WHERE id = ?').run(EDITED, turn.id)
      if (turn.effects !== 'none') continue
      withdrawQuestions(room, turn.id, item.receivedAt)
      abort.push({ turn: turn.id, why: 'edited' })
      for (const other of callOff(room, turn.id, item.receivedAt)) abort.push({ turn: other, why: 'stopped' })
    } else if (openAsks(room, turn.id).length > 0) {
      // Teammates are at work on the old words: once that is answered, the person may ask for the new ones.
      room.sql('UPDATE turns SET reason = ? WHERE id = ?').run(EDITED, beginningOf(room, turn).id)
    } else if (ENDED.has(turn.state) && turn.addressed && isLastOfRequest(room, turn))
      offerRedo(room, turn, item.receivedAt)
  }
  return { message: row.id, abort }
}

const DELETED = 'the message was deleted'
const ENDED: ReadonlySet<TurnRow['state']> = new Set(['settled', 'passed', 'failed'])

export function acceptDelete(room: Room, item: AcceptItem, event: InboundDelete): Partial<AcceptResult> {
  const row = find(room, item, event)
  if (!row) return unseen(room, item, event)
  if (row.deleted_at !== null) return {}
  // The old words leave transcript, search index, facts and receipts in one transaction.
  unindex(room, row.id)
  eraseFactsFrom(room, row.id, item.receivedAt)
  room
    .sql('UPDATE messages SET text = NULL, shown = NULL, files = NULL, deleted_at = ? WHERE id = ?')
    .run(event.at, row.id)
  if (row.kind === 'agent')
    room
      .sql("UPDATE outbox SET text = NULL, op = json_object('kind', kind) WHERE line = ? AND state = 'sent'")
      .run(row.id)
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
    withdrawQuestions(room, turn.id, item.receivedAt)
    if (turn.state === 'queued' || turn.state === 'parked') {
      room
        .sql("UPDATE turns SET state = 'cancelled', reason = ?, settled_at = ? WHERE id = ?")
        .run(DELETED, item.receivedAt, turn.id)
      finish(
        room,
        turn,
        { at: item.receivedAt, outcome: { state: 'cancelled', reason: DELETED }, wakes: [] },
        null,
      )
    } else {
      if (turn.state === 'running') abort.push({ turn: turn.id, why: 'deleted' })
      abort.push(...stopWaiting(room, turn, item.receivedAt))
    }
  }
  return { message: row.id, abort }
}

function find(room: Room, item: AcceptItem, event: InboundEdit | InboundDelete): MessageRow | undefined {
  const row = findLine(room, chatKeyOf(item.connection, event.place.chat), event.id)
  return row && CHANGEABLE.has(row.kind) ? row : undefined
}
const CHANGEABLE: ReadonlySet<MessageRow['kind']> = new Set(['person', 'bot', 'agent'])

/** Not in the transcript: a post of Golem's that is no line of it, or something said before Golem listened. */
function unseen(room: Room, item: AcceptItem, event: InboundEdit | InboundDelete): Partial<AcceptResult> {
  const key = chatKeyOf(item.connection, event.place.chat)
  if (findNative(room, key, event.id) !== null || event.author.kind === 'self') return {}
  const what = event.kind === 'edit' ? 'An edit' : 'A deletion'
  return noteUnread(room, item, event, {
    reason: `unknown-${event.kind}`,
    saw: { message: event.id },
    why: `${what} of a message that Golem has never seen: there is nothing to change.`,
  })
}

function turnsOf(room: Room, message: number): TurnRow[] {
  return all<TurnRow>(
    room.sql(
      'SELECT t.* FROM turn_messages tm JOIN turns t ON t.id = tm.turn WHERE tm.message = ? ORDER BY t.id',
    ),
    message,
  )
}
