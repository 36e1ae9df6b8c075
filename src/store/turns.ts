/** Turns: made with their message, claimed one at a time a lane, never lost between two states. */
import { admit } from '../messaging/admit.js'
import type { Capabilities, Place } from '../messaging/contract.js'
import type { Notice } from '../messaging/decision.js'
import { STATUS_AFTER } from '../messaging/limits.js'
import { settingsFor } from '../messaging/roster.js'
import type { ClaimedTurn, TurnKind } from '../messaging/store.js'
import { nextCtx } from './chats.js'
import { contextFor } from './context.js'
import { all, one, parse, type Room } from './db.js'
import { nextAt, refreshTurnLane } from './lanes.js'
import { cancel, enqueue } from './outbox.js'
import type { ChatRow, OutboxRow, TurnRow } from './rows.js'

export interface NewTurn {
  chat: string
  conversation: string
  lane: string
  connection: string
  agent: string
  kind: TurnKind
  addressed: boolean
  sender: string | null
  requester: { id: string; name: string } | null
  replyTo: string | null
  message: number | null
  thread: string | null
  can: Pick<Capabilities, 'operations' | 'buttons' | 'threads'>
  responders: readonly string[]
  /** The first turn of the request; null = this one. */
  request: number | null
  at: number
  notBefore: number
  debounced: boolean
  characters: number
  hop: number
  ask?: number
  follows?: number
}

export function addTurn(room: Room, turn: NewTurn): number {
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO turns (chat, conversation, lane, connection, agent, kind, state, addressed, sender, requester_id,
         requester_name, reply_to, message, thread, can, responders, request, created_at, last_at, not_before,
         debounced, characters, hop, ask, follows)
       VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      turn.chat,
      turn.conversation,
      turn.lane,
      turn.connection,
      turn.agent,
      turn.kind,
      turn.addressed ? 1 : 0,
      turn.sender,
      turn.requester?.id ?? null,
      turn.requester?.name ?? null,
      turn.replyTo,
      turn.message,
      turn.thread,
      JSON.stringify(turn.can),
      JSON.stringify(turn.responders),
      turn.request,
      turn.at,
      turn.at,
      turn.notBefore,
      turn.debounced ? 1 : 0,
      turn.characters,
      turn.hop,
      turn.ask ?? null,
      turn.follows ?? null,
    )
  const id = Number(lastInsertRowid)
  if (turn.request === null) room.sql('UPDATE turns SET request = id WHERE id = ?').run(id)
  if (turn.message !== null) attach(room, id, turn.message)
  refreshTurnLane(room, turn.lane)
  return id
}

export function attach(room: Room, turn: number, message: number): void {
  room.sql('INSERT OR IGNORE INTO turn_messages (turn, message) VALUES (?, ?)').run(turn, message)
}

export function placeOfTurn(room: Room, turn: Pick<TurnRow, 'chat' | 'thread'>): Place {
  const chat = one<{ native: string }>(room.sql('SELECT native FROM chats WHERE key = ?'), turn.chat)
  const native = chat?.native ?? ''
  return turn.thread === null ? { chat: native } : { chat: native, thread: turn.thread }
}

/** Posts a line of Golem's own about a turn. */
export function notify(
  room: Room,
  turn: TurnRow,
  notice: Notice,
  at: number,
  extra: NotifyExtra = {},
): number {
  return enqueue(room, {
    connection: turn.connection,
    chatKey: turn.chat,
    conversation: turn.conversation,
    turn: turn.id,
    message: turn.message,
    at,
    role: extra.role ?? 'notice',
    ...(extra.readyAt === undefined ? {} : { readyAt: extra.readyAt }),
    op: {
      kind: 'note',
      place: placeOfTurn(room, turn),
      notice,
      ...(turn.reply_to === null ? {} : { replyTo: turn.reply_to }),
      ...(extra.buttons && canOf(turn).buttons ? { buttons: extra.buttons } : {}),
    },
  })
}
interface NotifyExtra {
  role?: 'status' | 'notice'
  readyAt?: number
  buttons?: NonNullable<import('../messaging/store.js').Note['buttons']>
}

export function canOf(turn: Pick<TurnRow, 'can'>): Pick<Capabilities, 'operations' | 'buttons' | 'threads'> {
  return JSON.parse(turn.can) as Pick<Capabilities, 'operations' | 'buttons' | 'threads'>
}

/** Removes the status posts of a turn: takes back what was not sent, deletes what was. */
export function clearStatus(room: Room, turn: TurnRow, at: number): void {
  for (const row of all<OutboxRow>(
    room.sql(
      "SELECT * FROM outbox WHERE turn = ? AND role = 'status' AND kind = 'note' AND state NOT IN ('cancelled', 'failed')",
    ),
    turn.id,
  )) {
    if (row.state === 'pending' && cancel(room, row.id, at, 'no longer needed')) continue
    const gone = one(room.sql("SELECT 1 FROM outbox WHERE target = ? AND kind = 'delete'"), row.id)
    if (gone !== undefined || !canOf(turn).operations.includes('delete')) continue
    enqueue(room, {
      connection: turn.connection,
      chatKey: turn.chat,
      conversation: turn.conversation,
      turn: turn.id,
      message: turn.message,
      at,
      role: 'status',
      target: row.id,
      op: { kind: 'delete', place: placeOfTurn(room, turn), id: row.native ?? '' },
    })
  }
}

// ---- claim ------------------------------------------------------------------------------------------------------

export function claimTurns(
  room: Room,
  request: { now: number; max: number },
): { turns: ClaimedTurn[]; nextAt: number | null } {
  const turns: ClaimedTurn[] = []
  if (request.max > 0) {
    const lanes = all<{ key: string }>(
      room.sql(
        `SELECT key FROM lanes WHERE queue = 'turns' AND running IS NULL AND waiting > 0 AND head_at <= ?
         ORDER BY head_at LIMIT ?`,
      ),
      request.now,
      request.max * 4 + 16,
    )
    for (const lane of lanes) {
      if (turns.length >= request.max) break
      const claimed = claimHead(room, lane.key, request.now)
      if (claimed) turns.push(claimed)
    }
  }
  return { turns, nextAt: nextAt(room, 'turns', request.now) }
}

function claimHead(room: Room, lane: string, now: number): ClaimedTurn | null {
  for (;;) {
    const turn = one<TurnRow>(
      room.sql("SELECT * FROM turns WHERE lane = ? AND state = 'queued' ORDER BY id LIMIT 1"),
      lane,
    )
    if (!turn || turn.not_before > now) return null
    const atWork = one<{ n: number }>(
      room.sql("SELECT count(*) AS n FROM turns WHERE state = 'running' AND agent = ?"),
      turn.agent,
    )
    if ((atWork?.n ?? 0) >= room.policy.agentConcurrency) return null

    const chat = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), turn.chat) as ChatRow
    const settings = settingsFor(room.policy, turn.chat)
    const admission = admit(room.policy, {
      agent: turn.agent,
      kind: turn.kind,
      addressed: turn.addressed === 1,
      forPerson: turn.requester_id !== null && turn.kind !== 'wake',
      createdAt: turn.last_at,
      settings,
      botTurns: chat.bot_turns,
      quietNoticed: chat.quiet_noticed === 1,
      now,
    })
    const trace = JSON.stringify([...parse<unknown[]>(turn.trace, []), ...admission.trace])
    if (admission.verdict !== 'run') {
      drop(room, turn, admission.reason, trace, admission.notices, now)
      continue
    }
    const effects = room.policy.agents.find((agent) => agent.name === turn.agent)?.effects ?? 'unknown'
    room
      .sql(
        `UPDATE turns SET state = 'running', boot = ?, started_at = ?, first_event_at = NULL, attempt = attempt + 1,
           effects = ?, trace = ?, reason = NULL, debounced = 0 WHERE id = ?`,
      )
      .run(room.boot, now, effects, trace, turn.id)
    for (const { message } of all<{ message: number }>(
      room.sql('SELECT message FROM turn_messages WHERE turn = ? ORDER BY message'),
      turn.id,
    ))
      enter(room, turn.conversation, message)
    clearStatus(room, turn, now)
    const running: TurnRow = { ...turn, attempt: turn.attempt + 1, started_at: now }
    if (turn.addressed && turn.kind !== 'ask' && canOf(turn).operations.includes('delete'))
      notify(room, running, { kind: 'working' }, now, {
        role: 'status',
        readyAt: now + STATUS_AFTER,
        buttons: [{ label: 'stop', action: { do: 'stop', turn: turn.id } }],
      })
    refreshTurnLane(room, lane)
    return contextFor(room, running, chat, settings)
  }
}

/** The line gets its place in the context, if it has none yet. */
export function enter(room: Room, conversation: string, message: number): void {
  const row = one<{ ctx: number | null }>(room.sql('SELECT ctx FROM messages WHERE id = ?'), message)
  if (row && row.ctx === null)
    room.sql('UPDATE messages SET ctx = ? WHERE id = ?').run(nextCtx(room, conversation), message)
}

function drop(
  room: Room,
  turn: TurnRow,
  reason: string,
  trace: string,
  notices: readonly Notice[],
  now: number,
): void {
  room
    .sql("UPDATE turns SET state = 'cancelled', reason = ?, settled_at = ?, trace = ? WHERE id = ?")
    .run(reason, now, trace, turn.id)
  for (const notice of notices) {
    notify(room, turn, notice, now)
    if (notice.kind === 'quiet') room.sql('UPDATE chats SET quiet_noticed = 1 WHERE key = ?').run(turn.chat)
  }
  clearStatus(room, turn, now)
  enterWaiting(room, turn.conversation)
  refreshTurnLane(room, turn.lane)
}

/** Lines that stayed outside while a turn worked enter the context, unless a waiting turn will answer them. */
export function enterWaiting(room: Room, conversation: string): void {
  for (const { id } of all<{ id: number }>(
    room.sql(
      `SELECT id FROM messages m WHERE conversation = ? AND ctx IS NULL AND kind <> 'skipped'
         AND NOT EXISTS (SELECT 1 FROM turn_messages tm JOIN turns t ON t.id = tm.turn
                         WHERE tm.message = m.id AND t.state = 'queued') ORDER BY id`,
    ),
    conversation,
  ))
    enter(room, conversation, id)
}
