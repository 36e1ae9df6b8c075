/** Starts what may start: one turn at a time a lane, and no agent twice in a conversation or beyond its share. */
import { admit } from '../messaging/admit.js'
import type { Notice } from '../messaging/decision.js'
import type { ClaimedTurn } from '../messaging/store.js'
import { noteQuiet } from './accounts.js'
import { answeredOf } from './approvals.js'
import { contextFor } from './context.js'
import { all, one, parse, type Room } from './db.js'
import { factsFor } from './facts.js'
import { nextAt, noteServed, refreshTurnLane } from './lanes.js'
import { settingsOf } from './moves.js'
import type { ChatRow, TurnRow } from './rows.js'
import { isScheduled } from './schedule-runs.js'
import { noteClock } from './set-back.js'
import { finish } from './settle.js'
import { clearStatus, enter, notify } from './turns.js'

export function claimTurns(
  room: Room,
  request: { now: number; max: number },
): { turns: ClaimedTurn[]; nextAt: number | null; operationsAt: number | null } {
  const { now, max } = request
  room.readyAt = null
  noteClock(room, now)
  const turns: ClaimedTurn[] = []
  while (turns.length < max) {
    const limit = (max - turns.length) * 4 + 64
    const lanes = readyLanes(room, now, limit)
    const before = turns.length
    for (const lane of lanes) {
      if (turns.length >= max) break
      const claimed = claimHead(room, lane, now, turns.length)
      if (claimed) turns.push(claimed)
    }
    // An agent that has become busy here no longer stands before the others when it is looked again.
    if (lanes.length < limit || turns.length === before) break
  }
  return { turns, nextAt: nextAt(room, 'turns', now), operationsAt: room.readyAt }
}

/**
 * Lanes whose head may start: of each room one, then of each a second one, the room that waits longest first. Those of an
 * agent that is busy everywhere are passed over.
 */
function readyLanes(room: Room, now: number, limit: number): string[] {
  const busy = all<{ agent: string }>(
    room.sql("SELECT agent FROM turns WHERE state = 'running' GROUP BY agent HAVING count(*) >= ?"),
    room.policy.agentConcurrency,
  ).map(({ agent }) => agent)
  // By its order: what waits for a time has a rank no earlier than that, and however many wait, few are looked at.
  const ready =
    "SELECT key, chat FROM lanes INDEXED BY lanes_rank WHERE queue = 'turns' AND running IS NULL AND waiting > 0 AND head_at <= ?"
  const lanes =
    busy.length === 0
      ? all<Ready>(room.sql(`${ready} ORDER BY rank LIMIT ? + 0`), now, limit)
      : all<Ready>(
          room.sql(`${ready} AND agent NOT IN (SELECT value FROM json_each(?)) ORDER BY rank LIMIT ? + 0`),
          now,
          JSON.stringify(busy),
          limit,
        )
  return inTurn(lanes)
}

interface Ready {
  key: string
  chat: string
}

/** The first of each room, then the second of each, and so on. */
function inTurn(lanes: readonly Ready[]): string[] {
  const seen = new Map<string, number>()
  const placed = lanes.map(({ key, chat }) => {
    const place = seen.get(chat) ?? 0
    seen.set(chat, place + 1)
    return { key, place }
  })
  return placed.sort((a, b) => a.place - b.place).map(({ key }) => key)
}

function claimHead(room: Room, lane: string, now: number, place: number): ClaimedTurn | null {
  for (;;) {
    const turn = one<TurnRow>(
      room.sql("SELECT * FROM turns WHERE lane = ? AND state = 'queued' ORDER BY id LIMIT 1"),
      lane,
    )
    if (!turn || turn.not_before > now || isAtWork(room, turn)) return null
    const chat = one<ChatRow>(room.sql('SELECT * FROM chats WHERE key = ?'), turn.chat) as ChatRow
    const settings = settingsOf(room, turn.chat)
    const admission = admit(room.policy, {
      agent: turn.agent,
      kind: turn.kind,
      addressed: turn.addressed === 1,
      forPerson: (turn.requester_id !== null && turn.kind !== 'wake') || isScheduled(room, turn),
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
    refreshTurnLane(room, lane)
    noteServed(room, lane, turn.chat, now, place)
    return {
      ...contextFor(room, running, chat, settings),
      ...gapOf(room, running),
      ...factsFor(room, chat, now),
      ...(turn.attempt > 0 ? answeredOf(room, turn.id) : {}),
    }
  }
}

/** The first message that it answers, where something may have been said before it that is not known. */
function gapOf(room: Room, turn: TurnRow): Pick<ClaimedTurn, 'gap'> {
  if (turn.kind !== 'message' && turn.kind !== 'schedule') return {}
  const gap = one<{ gap: number }>(
    room.sql('SELECT gap FROM conversations WHERE key = ?'),
    turn.conversation,
  )?.gap
  if (gap !== 1) return {}
  const first = one<{ native: string | null }>(
    room.sql(
      `SELECT m.native FROM turn_messages tm JOIN messages m ON m.id = tm.message WHERE tm.turn = ? ORDER BY m.id LIMIT 1`,
    ),
    turn.id,
  )
  return { gap: { before: first?.native ?? null } }
}

/** The agent works in this conversation already, or on as many turns as it may. */
function isAtWork(room: Room, turn: TurnRow): boolean {
  const running = all<{ conversation: string }>(
    room.sql("SELECT conversation FROM turns WHERE state = 'running' AND agent = ?"),
    turn.agent,
  )
  return (
    running.length >= room.policy.agentConcurrency ||
    running.some(({ conversation }) => conversation === turn.conversation)
  )
}

/** What may not start any more ends here, with all that an end brings: marks, a teammate's report, a receipt. */
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
  // Who asked a teammate is told by its follow-up.
  for (const notice of turn.ask === null ? notices : []) {
    notify(room, turn, notice, now)
    if (notice.kind === 'quiet') noteQuiet(room, turn.chat)
  }
  finish(room, turn, { at: now, outcome: { state: 'cancelled', reason }, wakes: [] }, null)
}
