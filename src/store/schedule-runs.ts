/** Schedules that are due. A due time is dealt with once: its turn and the step to the next time are one transaction. */
import type { Decision, Gate } from '../messaging/decision.js'
import { showMoment } from '../messaging/moment.js'
import { roomAgents } from '../messaging/roster.js'
import type { DueSchedule, ScheduleStep, Stepped } from '../messaging/schedule.js'
import { safeName } from '../messaging/text/index.js'
import { touchChat, touchConversation } from './chats.js'
import { all, type Db, one, type Room } from './db.js'
import { settingsOf } from './moves.js'
import type { ChatRow, TurnRow } from './rows.js'
import { rowOf, type ScheduleRow, viewOf } from './schedules.js'
import { addTurn } from './turns.js'

/** Due times that were left out are remembered this long, in case the clock is set back. */
const RUNS_KEPT = 90 * 86_400_000

export function dueSchedules(
  db: Db,
  request: { now: number; max: number; connections: readonly string[] },
): { due: DueSchedule[]; nextAt: number | null } {
  const { now, max } = request
  const connections = JSON.stringify(request.connections)
  const here = 'connection IN (SELECT value FROM json_each(?))'
  const due = all<ScheduleRow>(
    db.sql(`SELECT * FROM schedules WHERE next_at <= ? AND ${here} ORDER BY next_at LIMIT ? + 0`),
    now,
    connections,
    max,
  )
  // Worked out when the clock was ahead of what it is now: their time may be far off.
  const ahead = all<ScheduleRow>(
    db.sql(`SELECT * FROM schedules WHERE looked_at > ? AND next_at > ? AND ${here} LIMIT ? + 0`),
    now,
    now,
    connections,
    max - due.length,
  )
  const next = one<{ at: number | null }>(
    db.sql(`SELECT min(next_at) AS at FROM schedules WHERE next_at > ? AND ${here}`),
    now,
    connections,
  )
  return {
    due: [...due, ...ahead].map((row) => ({
      ...viewOf(row),
      connection: row.connection,
      nextAt: row.next_at ?? now,
      lastDue: row.last_due,
      lookedAt: row.looked_at,
    })),
    nextAt: next?.at ?? null,
  }
}

export function stepSchedule(room: Room, step: ScheduleStep): Stepped {
  const row = rowOf(room, step.schedule)
  if (row === undefined || row.next_at !== step.expected) return 'gone'
  const stepped = step.run === null ? 'moved' : runOnce(room, row, step.run, step.now)
  const lastDue = step.run === null ? row.last_due : step.run.due
  if (step.next === null && row.source === 'chat') room.sql('DELETE FROM schedules WHERE id = ?').run(row.id)
  else
    room
      .sql('UPDATE schedules SET next_at = ?, last_due = ?, looked_at = ? WHERE id = ?')
      .run(step.next, lastDue, step.now, row.id)
  return stepped
}

function runOnce(room: Room, row: ScheduleRow, run: NonNullable<ScheduleStep['run']>, now: number): Stepped {
  const waits = one(
    room.sql(
      `SELECT 1 FROM schedule_runs r JOIN turns t ON t.message = r.message
       WHERE r.schedule = ? AND r.message IS NOT NULL AND t.state = 'queued' LIMIT 1`,
    ),
    row.id,
  )
  const what = run.what === 'run' && waits !== undefined ? 'overlap' : run.what
  const { changes } = room
    .sql(
      `INSERT OR IGNORE INTO schedule_runs (schedule, due, at, what, name, timezone, made_by, missed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(row.id, run.due, now, what, row.name, row.timezone, row.made_by_name, run.missed)
  // The clock was set back: this time has been dealt with.
  if (changes === 0) return 'moved'
  if (what === 'run') {
    const message = makeTurn(room, row, run, now)
    room
      .sql('UPDATE schedule_runs SET message = ? WHERE schedule = ? AND due = ?')
      .run(message, row.id, run.due)
  }
  return what
}

/** @returns the line that its receipt hangs on */
function makeTurn(room: Room, row: ScheduleRow, run: NonNullable<ScheduleStep['run']>, now: number): number {
  const native = row.chat.slice(row.connection.length + 1)
  const chat = touchChat(room, row.connection, { place: { chat: native } }, now)
  const conversation = row.conversation ?? conversationIn(room, chat)
  touchConversation(room, conversation, chat.key, row.thread, 1)
  const agent = row.agent ?? responderIn(room, chat.key)
  const decision: Decision = {
    verdict: 'run',
    addressed: true,
    reason: 'schedule',
    responders: [agent],
    route: 'default',
    conversation,
    notBefore: now,
    join: 'none',
    notices: [],
    trace: [gateOf(row, run, now)],
  }
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO messages (chat, conversation, thread, kind, author_id, author_name, author_kind, text, at, received_at,
         decision) VALUES (?, ?, ?, 'schedule', ?, ?, 'self', ?, ?, ?, ?)`,
    )
    .run(
      chat.key,
      conversation,
      row.thread,
      `schedule-${row.id}`,
      row.name,
      row.text,
      run.due,
      now,
      JSON.stringify(decision),
    )
  const message = Number(lastInsertRowid)
  room.sql('UPDATE chats SET messages = messages + 1, last_at = ? WHERE key = ?').run(now, chat.key)
  addTurn(room, {
    chat: chat.key,
    conversation,
    lane: conversation,
    connection: row.connection,
    agent,
    kind: 'schedule',
    addressed: true,
    sender: null,
    requester: row.made_by === null ? null : { id: row.made_by, name: row.made_by_name ?? '' },
    replyTo: row.cron === null ? nativeOf(room, row.made_in) : null,
    message,
    thread: row.thread,
    can: run.can,
    responders: [agent],
    request: null,
    at: now,
    notBefore: now,
    debounced: false,
    characters: row.text.length,
    hop: 0,
  })
  return message
}

function gateOf(row: ScheduleRow, run: NonNullable<ScheduleStep['run']>, now: number): Gate {
  const by = row.made_by_name === null ? 'it stands in golem.yaml' : `made by ${safeName(row.made_by_name)}`
  const late =
    run.missed > 0
      ? ` It stands for ${run.missed} earlier ${run.missed === 1 ? 'run' : 'runs'} that were missed, too.`
      : ''
  return {
    gate: 'schedule',
    verdict: 'pass',
    saw: {
      schedule: row.name,
      due: new Date(run.due).toISOString(),
      'late ms': Math.max(0, now - run.due),
      cron: row.cron,
      timezone: row.timezone,
    },
    why: `The schedule ${row.name} was due at ${showMoment(run.due, row.timezone)} ${row.timezone}; ${by}.${late}`,
  }
}

/** Where Golem speaks to a chat by itself: a direct one has one context a person, any other the chat's own. */
export function conversationIn(room: Room, chat: ChatRow): string {
  if (chat.kind !== 'dm') return chat.key
  const last = one<{ conversation: string }>(
    room.sql(
      "SELECT conversation FROM messages WHERE chat = ? AND kind = 'person' AND conversation <> chat ORDER BY id DESC LIMIT 1",
    ),
    chat.key,
  )
  return last?.conversation ?? chat.key
}

function responderIn(room: Room, chat: string): string {
  const settings = settingsOf(room, chat)
  const agents = roomAgents(room.policy, settings).filter((agent) => !agent.archived && !agent.hidden)
  const { defaultResponder: chosen } = settings
  const named = chosen.kind === 'agent' ? agents.find(({ name }) => name === chosen.agent) : undefined
  return (named ?? agents.find(({ orchestrator }) => orchestrator) ?? agents[0])?.name ?? room.policy.name
}

/** The post that a one-shot was asked for in is quoted by its answer, if it still stands. */
function nativeOf(room: Room, message: number | null): string | null {
  if (message === null) return null
  return (
    one<{ native: string | null }>(
      room.sql('SELECT native FROM messages WHERE id = ? AND deleted_at IS NULL'),
      message,
    )?.native ?? null
  )
}

// ---- afterwards -------------------------------------------------------------------------------------------------

/** The run that a line of the transcript stands for. */
export function dueRunOf(
  db: Db,
  message: number | null,
): { name: string; due: number; timezone: string; by: string | null; missed: number } | undefined {
  if (message === null) return undefined
  const run = one<{ name: string; due: number; timezone: string; made_by: string | null; missed: number }>(
    db.sql('SELECT name, due, timezone, made_by, missed FROM schedule_runs WHERE message = ?'),
    message,
  )
  return run && { name: run.name, due: run.due, timezone: run.timezone, by: run.made_by, missed: run.missed }
}

/** Whether a turn goes back to a schedule: such a turn is no reply in a row of bots that only a person may break. */
export function isScheduled(db: Db, turn: Pick<TurnRow, 'kind' | 'message'>): boolean {
  if (turn.kind === 'schedule') return true
  if (turn.kind !== 'follow-up' && turn.kind !== 'ask') return false
  return dueRunOf(db, turn.message) !== undefined
}

export function pruneSchedules(db: Db, now: number, most: number): number {
  return db
    .sql(
      `DELETE FROM schedule_runs WHERE (schedule, due) IN (
         SELECT schedule, due FROM schedule_runs WHERE at < ? AND what <> 'run' LIMIT ? + 0)`,
    )
    .run(now - RUNS_KEPT, most).changes
}
