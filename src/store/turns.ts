/** Turns as rows: made with their message, and what is posted about them while they wait and work. */
import type { Capabilities, Place } from '../messaging/contract.js'
import type { Notice } from '../messaging/decision.js'
import { placeOf } from '../messaging/keys.js'
import { STATUS_AFTER } from '../messaging/limits.js'
import type { Note, TurnKind } from '../messaging/store.js'
import { nextCtx } from './chats.js'
import { all, one, type Room } from './db.js'
import { refreshTurnLane } from './lanes.js'
import { cancel, enqueue } from './outbox.js'
import type { OutboxRow, TurnRow } from './rows.js'

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
  return placeOf(chat?.native ?? '', turn.thread)
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
  buttons?: NonNullable<Note['buttons']>
}

export function canOf(turn: Pick<TurnRow, 'can'>): Pick<Capabilities, 'operations' | 'buttons' | 'threads'> {
  return JSON.parse(turn.can) as Pick<Capabilities, 'operations' | 'buttons' | 'threads'>
}

/** Says behind whom an addressed request waits, if it waits for long. */
export function notifyWaiting(room: Room, request: number, at: number): void {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), request)
  if (!turn || !canOf(turn).operations.includes('delete')) return
  const ahead =
    one<{ agent: string }>(
      room.sql(
        "SELECT agent FROM turns WHERE lane = ? AND state = 'queued' AND id < ? ORDER BY id DESC LIMIT 1",
      ),
      turn.lane,
      turn.id,
    ) ??
    one<{ agent: string }>(
      room.sql("SELECT agent FROM turns WHERE state = 'running' AND lane = ? LIMIT 1"),
      turn.lane,
    )
  const notice: Notice = ahead
    ? { kind: 'waiting', agent: ahead.agent }
    : { kind: 'waiting', agent: turn.agent, elsewhere: true }
  if (ahead || isBusyElsewhere(room, turn.agent))
    notify(room, turn, notice, at, {
      role: 'status',
      readyAt: at + STATUS_AFTER,
      buttons: [{ label: 'stop', action: { do: 'stop', turn: turn.id } }],
    })
}

/** The agent has as many turns at work as it may, none of them in this conversation. */
function isBusyElsewhere(room: Room, agent: string): boolean {
  const running = one<{ n: number }>(
    room.sql("SELECT count(*) AS n FROM turns WHERE state = 'running' AND agent = ?"),
    agent,
  )
  return (running?.n ?? 0) >= room.policy.agentConcurrency
}

/** The status post of a turn that takes its time, with its Stop button. */
export function noteWorking(room: Room, id: number, at: number, speaks = false): void {
  const turn = one<TurnRow>(room.sql("SELECT * FROM turns WHERE id = ? AND state = 'running'"), id)
  // What a schedule runs, nobody waits for.
  const awaited = turn?.addressed === 1 && turn.kind !== 'schedule'
  if (turn && (awaited || speaks) && turn.kind !== 'ask' && canOf(turn).operations.includes('delete'))
    notify(room, turn, { kind: 'working' }, at, {
      role: 'status',
      buttons: [{ label: 'stop', action: { do: 'stop', turn: turn.id } }],
    })
}

/** Removes the status posts of a turn: takes back what was not sent, deletes what was. */
export function clearStatus(room: Room, turn: TurnRow, at: number): void {
  for (const row of all<OutboxRow>(
    room.sql(
      "SELECT * FROM outbox WHERE turn = ? AND role = 'status' AND kind <> 'delete' AND state NOT IN ('cancelled', 'failed')",
    ),
    turn.id,
  )) {
    if (row.state === 'pending' && cancel(room, row.id, at, 'no longer needed')) continue
    // It goes already, or an answer stands in its place.
    const gone = one(
      room.sql("SELECT 1 FROM outbox WHERE target = ? AND (kind = 'delete' OR role = 'answer')"),
      row.id,
    )
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

/** The line gets its place in the context, if it has none yet. */
export function enter(room: Room, conversation: string, message: number): void {
  const row = one<{ ctx: number | null }>(room.sql('SELECT ctx FROM messages WHERE id = ?'), message)
  if (row && row.ctx === null)
    room.sql('UPDATE messages SET ctx = ? WHERE id = ?').run(nextCtx(room, conversation), message)
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
