/** Delegation: an ask is a row with a return address, so a restart in the middle neither repeats nor forgets it. */
import {
  ASK_DEPTH,
  ASK_TIMEOUT,
  ASKS_AT_WORK_PER_ROOM,
  ASKS_PER_ROOT,
  RESULT_CHARACTERS,
} from '../messaging/limits.js'
import { roomAgents, settingsFor } from '../messaging/roster.js'
import type { AskResult, NewAsk } from '../messaging/store.js'
import { nextCtx } from './chats.js'
import { all, one, parse, type Room } from './db.js'
import { refreshTurnLane } from './lanes.js'
import type { AskRow, TurnRow } from './rows.js'
import { addTurn, canOf } from './turns.js'

export function ask(room: Room, wanted: NewAsk): AskResult {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), wanted.turn)
  if (turn?.state !== 'running') return { status: 'refused', why: 'This turn has ended.' }
  const agents = roomAgents(room.policy, settingsFor(room.policy, turn.chat)).filter(
    (agent) => !agent.archived && !agent.hidden,
  )
  const lower = wanted.teammate.normalize('NFC').toLowerCase()
  const teammate = agents.find((agent) =>
    [agent.name, ...agent.aliases].some((name) => name.normalize('NFC').toLowerCase() === lower),
  )
  if (!teammate)
    return {
      status: 'refused',
      why: `There is no active teammate "${wanted.teammate}" in this room. Teammates: ${agents.map((agent) => agent.name).join(', ')}.`,
    }
  // Run again after a restart: what was asked before is not asked twice.
  const before = one<AskRow>(
    room.sql('SELECT * FROM asks WHERE turn = ? AND teammate = ? AND task = ?'),
    turn.id,
    teammate.name,
    wanted.task,
  )
  if (before) return { status: 'asked', ask: before.id }

  const parent =
    turn.ask === null ? undefined : one<AskRow>(room.sql('SELECT * FROM asks WHERE id = ?'), turn.ask)
  const chain = parent ? [...parse<string[]>(parent.chain, []), turn.agent] : [turn.agent]
  const depth = (parent?.depth ?? 0) + 1
  const root = parent?.root ?? turn.message
  if (chain.includes(teammate.name))
    return {
      status: 'refused',
      why: `${teammate.name} is already waiting for this answer (${[...chain, teammate.name].join(' → ')}): that would be a circle. Answer yourself.`,
    }
  if (depth > ASK_DEPTH)
    return { status: 'refused', why: `Delegation is already ${ASK_DEPTH} deep. Answer yourself.` }
  const asked = one<{ n: number }>(room.sql('SELECT count(*) AS n FROM asks WHERE root IS ?'), root)
  if ((asked?.n ?? 0) >= ASKS_PER_ROOT)
    return {
      status: 'refused',
      why: `This request has already asked ${ASKS_PER_ROOT} times. Answer yourself.`,
    }

  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO asks (turn, chat, conversation, asker, teammate, task, state, depth, chain, root, created_at, deadline)
       VALUES (?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, ?, ?)`,
    )
    .run(
      turn.id,
      turn.chat,
      turn.conversation,
      turn.agent,
      teammate.name,
      wanted.task.slice(0, RESULT_CHARACTERS),
      depth,
      JSON.stringify(chain),
      root,
      wanted.at,
      wanted.at + ASK_TIMEOUT,
    )
  const id = Number(lastInsertRowid)
  addTurn(room, {
    chat: turn.chat,
    conversation: turn.conversation,
    lane: laneFor(room, turn, id),
    connection: turn.connection,
    agent: teammate.name,
    kind: 'ask',
    addressed: true,
    sender: null,
    requester: turn.requester_id === null ? null : { id: turn.requester_id, name: turn.requester_name ?? '' },
    replyTo: turn.reply_to,
    message: turn.message,
    thread: turn.thread,
    can: canOf(turn),
    responders: [teammate.name],
    request: null,
    at: wanted.at,
    notBefore: wanted.at,
    debounced: false,
    characters: 0,
    hop: turn.hop,
    ask: id,
  })
  return { status: 'asked', ask: id }
}

/** Asks run beside their conversation, in one of a few lanes of the room: so many are at work at once, not more. */
function laneFor(room: Room, turn: TurnRow, ask: number): string {
  const nested = turn.kind === 'ask' ? `:${turn.ask}` : ''
  const lanes = Array.from(
    { length: ASKS_AT_WORK_PER_ROOM },
    (_, index) => `${turn.chat}#ask${nested}.${index}`,
  )
  const load = lanes.map((lane) => ({
    lane,
    n:
      one<{ n: number }>(
        room.sql("SELECT count(*) AS n FROM turns WHERE lane = ? AND state IN ('queued', 'running')"),
        lane,
      )?.n ?? 0,
  }))
  load.sort((a, b) => a.n - b.n)
  return load[0]?.lane ?? `${turn.chat}#ask.${ask}`
}

export function openAsks(room: Room, turn: number): string[] {
  return all<{ teammate: string }>(
    room.sql("SELECT teammate FROM asks WHERE turn = ? AND state = 'open' ORDER BY id"),
    turn,
  ).map((row) => row.teammate)
}

/** The teammate has reported, or will not: its result becomes a line of the conversation. */
export function settleAsk(
  room: Room,
  id: number,
  text: string | null,
  reason: string | null,
  at: number,
): void {
  const row = one<AskRow>(room.sql('SELECT * FROM asks WHERE id = ?'), id)
  if (row?.state !== 'open') return
  const answered = text !== null && text.trim() !== ''
  const shown = answered
    ? text.slice(0, RESULT_CHARACTERS)
    : `[${row.teammate} gave no result${reason ? `: ${reason.slice(0, 200)}` : ''}]`
  const asker = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), row.turn)
  // The result of a nested ask belongs to the teammate that asked, not to the room's context.
  const ctx = asker?.kind === 'ask' ? null : nextCtx(room, row.conversation)
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO messages (chat, conversation, thread, kind, author_id, author_name, author_kind, agent, text, at,
         received_at, ctx) VALUES (?, ?, ?, 'result', ?, ?, 'agent', ?, ?, ?, ?, ?)`,
    )
    .run(
      row.chat,
      row.conversation,
      asker?.thread ?? null,
      row.teammate,
      row.teammate,
      row.teammate,
      shown,
      at,
      at,
      ctx,
    )
  room
    .sql('UPDATE asks SET state = ?, settled_at = ?, result = ? WHERE id = ?')
    .run(
      answered ? 'answered' : reason === 'timed-out' ? 'timed-out' : 'failed',
      at,
      Number(lastInsertRowid),
      id,
    )
  followUpIfReady(room, row.turn, at)
}

/** The asker resumes once, when it has ended its turn and all it asked have reported. */
export function followUpIfReady(room: Room, turnId: number, at: number): void {
  const asks = all<AskRow>(room.sql('SELECT * FROM asks WHERE turn = ?'), turnId)
  if (
    asks.length === 0 ||
    asks.some((row) => row.state === 'open') ||
    asks.every((row) => row.state === 'cancelled')
  )
    return
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), turnId)
  if (!turn || turn.state === 'running' || turn.state === 'queued') return
  if (turn.state === 'cancelled' || turn.state === 'interrupted') return
  if (one(room.sql('SELECT 1 FROM turns WHERE follows = ?'), turnId) !== undefined) return
  const id = addTurn(room, {
    chat: turn.chat,
    conversation: turn.conversation,
    lane: turn.lane,
    connection: turn.connection,
    agent: turn.agent,
    kind: 'follow-up',
    addressed: turn.addressed === 1,
    sender: turn.sender,
    requester: turn.requester_id === null ? null : { id: turn.requester_id, name: turn.requester_name ?? '' },
    replyTo: turn.reply_to,
    message: null,
    thread: turn.thread,
    can: canOf(turn),
    responders: [turn.agent],
    request: null,
    at,
    notBefore: at,
    debounced: false,
    characters: 0,
    hop: turn.hop,
    follows: turn.id,
    ...(turn.ask === null ? {} : { ask: turn.ask }),
  })
  room.sql('UPDATE turns SET message = ? WHERE id = ?').run(turn.message, id)
  for (const { message } of all<{ message: number }>(
    room.sql('SELECT message FROM turn_messages WHERE turn = ?'),
    turn.id,
  ))
    room.sql('INSERT OR IGNORE INTO turn_messages (turn, message) VALUES (?, ?)').run(id, message)
}

/** A stopped turn calls off what it asked. */
export function cancelAsks(room: Room, turn: TurnRow, at: number): void {
  room
    .sql("UPDATE asks SET state = 'cancelled', settled_at = ? WHERE turn = ? AND state = 'open'")
    .run(at, turn.id)
  for (const row of all<TurnRow>(
    room.sql("SELECT t.* FROM turns t JOIN asks a ON a.id = t.ask WHERE a.turn = ? AND t.state = 'queued'"),
    turn.id,
  )) {
    room
      .sql("UPDATE turns SET state = 'cancelled', reason = 'called off', settled_at = ? WHERE id = ?")
      .run(at, row.id)
    refreshTurnLane(room, row.lane)
  }
}

export function timeOutAsks(room: Room, now: number): number {
  const late = all<AskRow>(room.sql("SELECT * FROM asks WHERE state = 'open' AND deadline <= ?"), now)
  for (const row of late) settleAsk(room, row.id, null, 'timed-out', now)
  return late.length
}
