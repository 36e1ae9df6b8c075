/**
 * Chats that go on under another id. Everything that Golem keeps of such a chat moves to the new key in one transaction;
 * the old key is remembered, so that what still speaks of it finds its way.
 *
 * Where the new chat counts its messages anew, an old id would name another message there. So what was said under the old
 * key loses its native id and is known by `former` = `oldKey:nativeId` instead: it can be found, but neither quoted nor
 * changed.
 */
import type { InboundChange, Operation } from '../messaging/contract.js'
import { chatKeyOf } from '../messaging/keys.js'
import { type RoomSettings, settingsFor } from '../messaging/roster.js'
import type { AcceptItem, AcceptResult, ClaimedOperation, MovedChat } from '../messaging/store.js'
import { all, type Db, one, type Room } from './db.js'
import { followMove } from './follow-move.js'
import { refreshOutboxLane, refreshTurnLane } from './lanes.js'
import type { ChatRow, ConversationRow } from './rows.js'

interface MoveRow {
  was: string
  now: string
  native: string
  keeps_ids: number
  at: number
  memory: number
}

/** Where a chat is now. `former`: ids that come with the asked key are those of its earlier life. */
export interface Whereabouts {
  key: string
  /** Native id of the chat now; null where it never moved. */
  native: string | null
  former: boolean
}

export function whereabouts(db: Db, key: string): Whereabouts {
  const move = one<MoveRow>(db.sql('SELECT * FROM moves WHERE was = ?'), key)
  return move === undefined
    ? { key, native: null, former: false }
    : { key: move.now, native: move.native, former: move.keeps_ids === 0 }
}

/** Keys that the chat had before, oldest first. */
export function formerKeys(db: Db, key: string): string[] {
  return all<{ was: string }>(db.sql('SELECT was FROM moves WHERE now = ? ORDER BY at, was'), key).map(
    ({ was }) => was,
  )
}

/** The settings of a chat, those that were written for an earlier key of it among them. */
export function settingsOf(room: Room, key: string): RoomSettings {
  return settingsFor(room.policy, key, formerKeys(room, key))
}

export function moves(db: Db): MovedChat[] {
  return all<MoveRow>(db.sql('SELECT * FROM moves ORDER BY at, was')).map(({ was, now, at, memory }) => ({
    from: was,
    to: now,
    at,
    memory: memory === 1,
  }))
}

export function memoryMoved(db: Db, from: string): void {
  db.sql('UPDATE moves SET memory = 1 WHERE was = ?').run(from)
}

/** A conversation's key now; a turn that began before the move still asks by the old one. */
export function conversationNow(db: Db, conversation: string): string {
  for (const { was, now, keeps_ids } of all<MoveRow>(db.sql('SELECT * FROM moves'))) {
    const rest = conversation.slice(was.length)
    if (!conversation.startsWith(was) || !/^(?:$|[:#])/.test(rest)) continue
    return rest.startsWith(':') && keeps_ids === 0 ? `${now}:${nativeOf(was)}${rest}` : `${now}${rest}`
  }
  return conversation
}

function nativeOf(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}

/** The notice of a platform. Once is enough: told again, it changes nothing. */
export function moveChat(room: Room, item: AcceptItem, event: InboundChange): Partial<AcceptResult> {
  const { movedTo } = event
  const { receivedAt: at } = item
  if (movedTo === undefined || movedTo === event.place.chat) return {}
  const from = chatKeyOf(item.connection, event.place.chat)
  const to = chatKeyOf(item.connection, movedTo)
  if (whereabouts(room, from).key === to) return {}
  const keeps = event.keepsIds === true
  // A chat that comes back to an id it had: that id is no former one any more.
  room.sql('DELETE FROM moves WHERE was = ?').run(to)
  room
    .sql('UPDATE moves SET now = ?, native = ?, keeps_ids = min(keeps_ids, ?), memory = 0 WHERE now = ?')
    .run(to, movedTo, keeps ? 1 : 0, from)
  room
    .sql(
      `INSERT INTO moves (was, now, native, keeps_ids, at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (was) DO UPDATE SET now = excluded.now, native = excluded.native, keeps_ids = excluded.keeps_ids,
         at = excluded.at, memory = 0`,
    )
    .run(from, to, movedTo, keeps ? 1 : 0, at)
  moveRows(room, { from, to, native: movedTo, keeps, at })
  return { moved: { from, to, at, memory: false } }
}

interface Move {
  from: string
  to: string
  native: string
  keeps: boolean
  at: number
}

function moveRows(room: Room, move: Move): void {
  const lanes = lanesOf(room, move.from)
  moveConversations(room, move)
  moveRoom(room, move)
  const { from, to, keeps } = move
  const key = (column: string) => `${column} = ${mapped(column)}`
  const names = { from, to, sub: keeps ? to : `${to}:${nativeOf(from)}` }
  if (!keeps) {
    room
      .sql(
        `UPDATE messages SET former = chat || ':' || native, native = NULL, thread = NULL,
           chain = CASE WHEN chain IS NULL THEN NULL ELSE :old || ':' || chain END,
           utterance = NULL, reply_to = NULL WHERE chat = :from AND native IS NOT NULL`,
      )
      .run({ from, old: nativeOf(from) })
    room.sql('DELETE FROM behind WHERE chat = ?').run(from)
    room.sql('UPDATE turns SET reply_to = NULL, thread = NULL WHERE chat = ?').run(from)
    // What is being sent may be sent still, under the old id.
    room
      .sql(
        `UPDATE outbox SET former = chat || ':' || coalesce(native, ''), native = NULL
         WHERE chat = ? AND (native IS NOT NULL OR state = 'sending')`,
      )
      .run(from)
  }
  for (const [table, columns] of [
    ['messages', ['conversation']],
    ['turns', ['conversation', 'lane']],
    ['asks', ['conversation']],
    ['outbox', ['conversation']],
    ['approvals', ['conversation']],
  ] as const)
    room.sql(`UPDATE ${table} SET ${columns.map(key).join(', ')}, chat = :to WHERE chat = :from`).run(names)
  followMove(room, move, (key) => mapKey(move, key))
  for (const [table, rest] of [
    ['people', ''],
    ['behind', ''],
  ] as const) {
    room.sql(`UPDATE OR IGNORE ${table} SET chat = ? WHERE chat = ?${rest}`).run(to, from)
    room.sql(`DELETE FROM ${table} WHERE chat = ?`).run(from)
  }
  refreshLanes(room, lanes, move)
}

/** A conversation's or a lane's key under the new chat, as an expression. */
function mapped(column: string): string {
  return `CASE WHEN ${column} = :from THEN :to
    WHEN substr(${column}, 1, length(:from) + 1) = :from || ':' THEN :sub || substr(${column}, length(:from) + 1)
    ELSE :to || substr(${column}, length(:from) + 1) END`
}

function mapKey({ from, to, keeps }: Move, key: string): string {
  const rest = key.slice(from.length)
  return rest.startsWith(':') && !keeps ? `${to}:${nativeOf(from)}${rest}` : `${to}${rest}`
}

/** What was heard under the new id before the notice comes behind what was heard under the old one. */
function moveConversations(room: Room, move: Move): void {
  for (const old of all<ConversationRow>(room.sql('SELECT * FROM conversations WHERE chat = ?'), move.from)) {
    const key = mapKey(move, old.key)
    const known = one<ConversationRow>(room.sql('SELECT * FROM conversations WHERE key = ?'), key)
    room.sql('DELETE FROM conversations WHERE key = ?').run(old.key)
    if (known === undefined) {
      room
        .sql(
          `INSERT INTO conversations (key, chat, thread, owner, ctx, fresh_from, answered, gap)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          key,
          move.to,
          move.keeps ? old.thread : null,
          old.owner,
          old.ctx,
          old.fresh_from,
          old.answered,
          old.gap,
        )
      continue
    }
    room.sql('UPDATE messages SET ctx = ctx + ? WHERE conversation = ? AND ctx > 0').run(old.ctx, key)
    room
      .sql(
        `UPDATE conversations SET owner = coalesce(owner, ?), ctx = ctx + ?, fresh_from = max(fresh_from, ?),
           answered = max(answered, ?), gap = ? WHERE key = ?`,
      )
      .run(old.owner, old.ctx, old.fresh_from, old.answered, old.gap, key)
  }
}

function moveRoom(room: Room, { from, to, native }: Move): void {
  const old = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), from)
  if (old === undefined) return
  room.sql('DELETE FROM chats WHERE key = ?').run(from)
  room
    .sql(
      `INSERT INTO chats (key, connection, native, kind, title, created_at, last_at, messages, bot_turns, quiet_noticed,
         hint_given, whole, sees, outsiders) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET title = coalesce(title, excluded.title), created_at = excluded.created_at,
         last_at = max(last_at, excluded.last_at), messages = messages + excluded.messages,
         hint_given = max(hint_given, excluded.hint_given), whole = excluded.whole,
         outsiders = max(outsiders, excluded.outsiders), listed_at = NULL`,
    )
    .run(
      to,
      old.connection,
      native,
      old.kind,
      old.title,
      old.created_at,
      old.last_at,
      old.messages,
      old.bot_turns,
      old.quiet_noticed,
      old.hint_given,
      old.whole,
      old.sees,
      old.outsiders,
    )
}

interface Lanes {
  turns: string[]
  outbox: string[]
}

function lanesOf(room: Room, chat: string): Lanes {
  const keys = (sql: string): string[] => all<{ key: string }>(room.sql(sql), chat).map(({ key }) => key)
  return {
    turns: keys("SELECT DISTINCT lane AS key FROM turns WHERE chat = ? AND state IN ('queued', 'running')"),
    outbox: keys(
      "SELECT DISTINCT conversation AS key FROM outbox WHERE chat = ? AND state IN ('pending', 'sending')",
    ),
  }
}

function refreshLanes(room: Room, lanes: Lanes, move: Move): void {
  for (const key of lanes.turns) {
    room.sql("DELETE FROM lanes WHERE queue = 'turns' AND key = ?").run(key)
    refreshTurnLane(room, mapKey(move, key))
  }
  for (const key of lanes.outbox) {
    room.sql("DELETE FROM lanes WHERE queue = 'outbox' AND key = ?").run(key)
    room.stale.delete(key)
    refreshOutboxLane(room, mapKey(move, key), move.at)
  }
}

// ---- operations -------------------------------------------------------------------------------------------------

/**
 * An operation that was made for the old id, for the new one. What names a message of the old chat by an id that means
 * nothing in the new one is null: it cannot be done any more. An edit that would have shown something shows it anew.
 */
export function redirected(db: Db, claimed: ClaimedOperation): ClaimedOperation | null {
  const { op } = claimed
  const { native, former } = whereabouts(db, chatKeyOf(claimed.connection, op.place.chat))
  if (native === null) return claimed
  if (!former) return { ...claimed, op: { ...op, place: { ...op.place, chat: native } } }
  const place = { chat: native }
  switch (op.kind) {
    case 'post':
    case 'upload': {
      const { replyTo: _, ...rest } = op
      return { ...claimed, op: { ...rest, place } as Operation }
    }
    case 'note': {
      const { replyTo: _, ...rest } = op
      return op.edits === undefined ? { ...claimed, op: { ...rest, place } } : null
    }
    case 'edit': {
      const { id: _, ...rest } = op
      return { ...claimed, op: { ...rest, kind: 'post', place } }
    }
    case 'typing':
    case 'draft':
    case 'whisper':
      return { ...claimed, op: { ...op, place } }
    case 'delete':
    case 'react':
      return null
  }
}

/** The post was on its way under the old id when the chat moved: so its id is an old one. */
export function settleFormer(db: Db, operation: number, sent: boolean): void {
  const row = one<{ native: string | null; former: string; line: number | null }>(
    db.sql("SELECT native, former, line FROM outbox WHERE id = ? AND former LIKE '%:'"),
    operation,
  )
  if (row === undefined) return
  // Not sent yet: the next try goes to the new chat.
  const former = sent && row.native !== null ? `${row.former}${row.native}` : null
  db.sql('UPDATE outbox SET former = ?, native = NULL WHERE id = ?').run(former, operation)
  if (former !== null && row.line !== null)
    db.sql('UPDATE messages SET former = ?, native = NULL WHERE id = ? AND native = ?').run(
      former,
      row.line,
      row.native,
    )
}
