/** Schedules as rows: those of golem.yaml, and those that were made in a chat. */
import { mayChange, mayNot } from '../messaging/rights.js'
import {
  type Cancelled,
  type ConfiguredSchedule,
  type Created,
  type Missed,
  type NewSchedule,
  SCHEDULES_PER_ROOM,
  type ScheduleView,
} from '../messaging/schedule.js'
import { all, type Db, one, type Room } from './db.js'
import { settingsOf, whereabouts } from './moves.js'
import type { ChatRow, MessageRow, TurnRow } from './rows.js'

export interface ScheduleRow {
  id: number
  name: string
  source: 'config' | 'chat'
  chat: string
  connection: string
  conversation: string | null
  thread: string | null
  agent: string | null
  cron: string | null
  at: number | null
  timezone: string
  text: string
  missed: Missed
  made_by: string | null
  made_by_name: string | null
  made_in: number | null
  made_turn: number | null
  made_at: number
  next_at: number | null
  last_due: number | null
  looked_at: number
}

// ---- golem.yaml's -----------------------------------------------------------------------------------------------

export function reconcileSchedules(room: Room, schedules: readonly ConfiguredSchedule[], now: number): void {
  const known = new Map(
    all<ScheduleRow>(room.sql("SELECT * FROM schedules WHERE source = 'config'")).map((row) => [
      row.name,
      row,
    ]),
  )
  for (const schedule of schedules) {
    const row = known.get(schedule.name)
    known.delete(schedule.name)
    const chat = whereabouts(room, schedule.chatKey).key
    if (row === undefined) arm(room, schedule, chat, now)
    else follow(room, row, schedule, chat, now)
  }
  for (const { id } of known.values()) room.sql('DELETE FROM schedules WHERE id = ?').run(id)
}

function arm(room: Room, schedule: ConfiguredSchedule, chat: string, now: number): void {
  room
    .sql(
      `INSERT INTO schedules (name, source, chat, connection, agent, cron, at, timezone, text, missed, made_at, next_at,
         looked_at) VALUES (?, 'config', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      schedule.name,
      chat,
      schedule.connection,
      schedule.agent,
      schedule.cron,
      schedule.at,
      schedule.timezone,
      schedule.text,
      schedule.missed,
      now,
      schedule.next,
      now,
    )
}

/** Its time stands where it is the same as before: what was missed meanwhile is still to be dealt with. */
function follow(room: Room, row: ScheduleRow, schedule: ConfiguredSchedule, chat: string, now: number): void {
  const same = row.cron === schedule.cron && row.at === schedule.at && row.timezone === schedule.timezone
  room
    .sql(
      `UPDATE schedules SET chat = ?, connection = ?, agent = ?, cron = ?, at = ?, timezone = ?, text = ?, missed = ?,
         next_at = ?, looked_at = ? WHERE id = ?`,
    )
    .run(
      chat,
      schedule.connection,
      schedule.agent,
      schedule.cron,
      schedule.at,
      schedule.timezone,
      schedule.text,
      schedule.missed,
      same ? row.next_at : schedule.next,
      same ? row.looked_at : now,
      row.id,
    )
}

// ---- made in a chat ---------------------------------------------------------------------------------------------

export function createSchedule(room: Room, wanted: NewSchedule): Created {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), wanted.turn)
  if (turn?.state !== 'running') return { status: 'refused', why: 'This turn has ended.' }
  const why = whyNot(room, turn)
  if (why !== null) return { status: 'refused', why }
  // Said again by a turn that runs again.
  const before = one<ScheduleRow>(
    room.sql(
      'SELECT * FROM schedules WHERE made_turn = ? AND text = ? AND cron IS ? AND timezone = ? AND at IS ?',
    ),
    turn.id,
    wanted.text,
    wanted.cron,
    wanted.timezone,
    wanted.at,
  )
  if (before) return { status: 'known', schedule: viewOf(before) }
  const { n } = one<{ n: number }>(
    room.sql("SELECT count(*) AS n FROM schedules WHERE chat = ? AND source = 'chat'"),
    turn.chat,
  ) ?? { n: 0 }
  if (n >= SCHEDULES_PER_ROOM)
    return {
      status: 'refused',
      why: `This room has ${SCHEDULES_PER_ROOM} schedules already, and may not have more. One has to be cancelled first.`,
    }
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO schedules (name, source, chat, connection, conversation, thread, agent, cron, at, timezone, text,
         missed, made_by, made_by_name, made_in, made_turn, made_at, next_at, looked_at)
       VALUES (?, 'chat', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      wanted.name ?? '',
      turn.chat,
      turn.connection,
      turn.conversation,
      turn.thread,
      turn.agent,
      wanted.cron,
      wanted.at,
      wanted.timezone,
      wanted.text,
      wanted.missed,
      turn.requester_id,
      turn.requester_name,
      turn.message,
      turn.id,
      wanted.now,
      wanted.next,
      wanted.now,
    )
  const id = Number(lastInsertRowid)
  if (wanted.name === null) room.sql('UPDATE schedules SET name = ? WHERE id = ?').run(`schedule ${id}`, id)
  return { status: 'created', schedule: viewOf(rowOf(room, id) as ScheduleRow) }
}

/** Only a person's own message schedules: not a bot's, not a teammate's task, not another schedule, nobody from outside. */
function whyNot(room: Room, turn: TurnRow): string | null {
  const root = one<MessageRow>(room.sql('SELECT * FROM messages WHERE id = ?'), turn.message)
  const isPersons =
    turn.requester_id !== null && root?.kind === 'person' && turn.ask === null && turn.hop === 0
  if (!isPersons || turn.kind === 'schedule' || turn.addressed !== 1)
    return 'Only a person can ask for that, in a message of their own to you.'
  return root.outside === 1 ? 'People of another organisation cannot make schedules here.' : null
}

export function schedulesOf(db: Db, chatKey: string): ScheduleView[] {
  return all<ScheduleRow>(
    db.sql('SELECT * FROM schedules WHERE chat = ? ORDER BY next_at IS NULL, next_at, id'),
    whereabouts(db, chatKey).key,
  ).map(viewOf)
}

export function cancelSchedule(
  room: Room,
  wanted: { id: number; chatKey: string; by: string; now: number },
): Cancelled {
  const { language } = room.policy
  const zh = language === 'zh'
  const key = whereabouts(room, wanted.chatKey).key
  const row = rowOf(room, wanted.id)
  // Another chat's schedules are not spoken of here.
  if (row?.chat !== key)
    return {
      status: 'refused',
      why: zh ? `这里没有编号为 ${wanted.id} 的定时任务。` : `There is no schedule ${wanted.id} here.`,
    }
  if (row.source === 'config')
    return {
      status: 'refused',
      why: zh
        ? `定时任务 ${row.name} 写在 golem.yaml 里，请在那里删除。`
        : `The schedule ${row.name} stands in golem.yaml: it is removed there.`,
    }
  const chat = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), key)
  if (
    row.made_by !== wanted.by &&
    !mayChange(settingsOf(room, key), { kind: chat?.kind ?? 'group' }, wanted.by)
  )
    return { status: 'refused', why: mayNot(key, wanted.by, language) }
  room.sql('DELETE FROM schedules WHERE id = ?').run(row.id)
  return { status: 'cancelled', schedule: viewOf(row) }
}

export function rowOf(db: Db, id: number): ScheduleRow | undefined {
  return one<ScheduleRow>(db.sql('SELECT * FROM schedules WHERE id = ?'), id)
}

export function viewOf(row: ScheduleRow): ScheduleView {
  return {
    id: row.id,
    name: row.name,
    source: row.source,
    chatKey: row.chat,
    conversation: row.conversation,
    agent: row.agent,
    cron: row.cron,
    at: row.at,
    timezone: row.timezone,
    text: row.text,
    missed: row.missed,
    madeBy: row.made_by === null ? null : { id: row.made_by, name: row.made_by_name ?? '' },
    nextAt: row.next_at,
  }
}
