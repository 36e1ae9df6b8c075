/** Delegation: an ask is a row with a return address, so a restart in the middle neither repeats nor forgets it. */
import {
  ASK_DEPTH,
  ASK_TIMEOUT,
  ASKS_AT_WORK_PER_ROOM,
  ASKS_PER_ROOT,
  RESULT_CHARACTERS,
} from '../messaging/limits.js'
import { type Agent, type Language, roomAgents } from '../messaging/roster.js'
import type { AskResult, NewAsk } from '../messaging/store.js'
import { withdrawQuestions } from './approvals.js'
import { nextCtx } from './chats.js'
import { all, one, parse, type Room } from './db.js'
import { refreshTurnLane } from './lanes.js'
import { settingsOf } from './moves.js'
import type { AskRow, TurnRow } from './rows.js'
import { isBusy } from './state.js'
import { addTurn, canOf } from './turns.js'

export function ask(room: Room, wanted: NewAsk): AskResult {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), wanted.turn)
  if (turn?.state !== 'running') return { status: 'refused', why: 'This turn has ended.' }
  const agents = roomAgents(room.policy, settingsOf(room, turn.chat)).filter(
    (agent) => !agent.archived && !agent.hidden,
  )
  const teammate = agents.find((agent) => isCalled(agent, wanted.teammate))
  if (!teammate)
    return {
      status: 'refused',
      why: `There is no active teammate "${wanted.teammate}" in this room. Teammates: ${agents.map((agent) => agent.name).join(', ')}.`,
    }
  const task = wanted.task.slice(0, RESULT_CHARACTERS)
  // Run again after a restart: what was asked before is not asked twice.
  const before = one<AskRow>(
    room.sql("SELECT * FROM asks WHERE turn = ? AND teammate = ? AND task = ? AND state <> 'cancelled'"),
    turn.id,
    teammate.name,
    task,
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
      task,
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
    lane: laneFor(room, turn.chat),
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

/** Whether a name means this agent: its own or one of its others, in any case. */
export function isCalled(agent: Pick<Agent, 'name' | 'aliases'>, name: string): boolean {
  const wanted = name.normalize('NFC').toLowerCase()
  return [agent.name, ...agent.aliases].some((own) => own.normalize('NFC').toLowerCase() === wanted)
}

/**
 * Asks run beside their conversation, in one of a few lanes of the room: so many are at work at once, not more. Who asks
 * further down ends its turn meanwhile, so none waits for one behind it.
 */
function laneFor(room: Room, chat: string): string {
  const load = Array.from({ length: ASKS_AT_WORK_PER_ROOM }, (_, index) => {
    const lane = `${chat}#ask.${index}`
    const waiting = one<{ n: number }>(
      room.sql("SELECT count(*) AS n FROM turns WHERE lane = ? AND state = 'queued'"),
      lane,
    )
    const running = one(room.sql("SELECT 1 FROM turns WHERE state = 'running' AND lane = ? LIMIT 1"), lane)
    return { lane, n: (waiting?.n ?? 0) + (running === undefined ? 0 : 1) }
  })
  return load.reduce((best, next) => (next.n < best.n ? next : best)).lane
}

export function openAsks(room: Room, turn: number): string[] {
  return all<{ teammate: string }>(
    room.sql("SELECT teammate FROM asks WHERE turn = ? AND state = 'open' ORDER BY id"),
    turn,
  ).map((row) => row.teammate)
}

/** How a teammate's work ended without a result. What a program said of its failure is for the receipt alone. */
export type NoResult = 'silent' | 'failed' | 'stopped' | 'interrupted' | 'timed-out'

const NO_RESULT: Record<Language, Record<NoResult, string>> = {
  en: {
    silent: 'had nothing to say',
    failed: 'failed',
    stopped: 'was stopped or could not start',
    interrupted: 'was interrupted',
    'timed-out': 'did not answer in time',
  },
  zh: {
    silent: '没有内容',
    failed: '失败',
    stopped: '被停止或未能开始',
    interrupted: '被中断',
    'timed-out': '未在规定时间内回答',
  },
}

/** The teammate has reported, or will not: its result becomes a line of the conversation. */
export function settleAsk(room: Room, id: number, end: { text: string } | NoResult, at: number): void {
  const row = one<AskRow>(room.sql('SELECT * FROM asks WHERE id = ?'), id)
  if (row?.state !== 'open') return
  const text = typeof end === 'object' ? end.text : ''
  const why = typeof end === 'object' ? 'silent' : end
  const answered = text.trim() !== ''
  const zh = room.policy.language === 'zh'
  const none = `[${row.teammate}${zh ? '没有给出结果：' : ' gave no result: '}${NO_RESULT[room.policy.language][why]}]`
  const asker = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), row.turn)
  // The result of a nested ask belongs to the teammate that asked, not to the room's context.
  const nested = asker?.kind === 'ask' || asker?.ask != null
  const conversation = nested ? `${row.conversation}#ask.${asker.ask}` : row.conversation
  const outside = nested || isBusy(room, row.conversation)
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO messages (chat, conversation, thread, kind, author_id, author_name, author_kind, agent, text, at,
         received_at, ctx) VALUES (?, ?, ?, 'result', ?, ?, 'agent', ?, ?, ?, ?, ?)`,
    )
    .run(
      row.chat,
      conversation,
      asker?.thread ?? null,
      row.teammate,
      row.teammate,
      row.teammate,
      answered ? bounded(text, zh) : none,
      at,
      at,
      outside ? null : nextCtx(room, row.conversation),
    )
  room
    .sql('UPDATE asks SET state = ?, settled_at = ?, result = ? WHERE id = ?')
    .run(
      answered ? 'answered' : why === 'timed-out' ? 'timed-out' : 'failed',
      at,
      Number(lastInsertRowid),
      id,
    )
  followUpIfReady(room, row.turn, at)
}

/** A result's beginning, and that there was more: nobody takes a part for the whole. */
function bounded(text: string, zh: boolean): string {
  if (text.length <= RESULT_CHARACTERS) return text
  const note = zh
    ? `\n[结果共 ${text.length} 个字符，其余已省略]`
    : `\n[The rest was left out: the result has ${text.length} characters]`
  // Never half of a character.
  return `${text.slice(0, RESULT_CHARACTERS - note.length).replace(/[\uD800-\uDBFF]$/, '')}${note}`
}

/** What a turn asked for will bring a turn that goes on with it, however the turn itself ends: that one has the last word. */
export function isFollowedUp(room: Room, turn: number): boolean {
  return (
    one(room.sql("SELECT 1 FROM asks WHERE turn = ? AND state <> 'cancelled' LIMIT 1"), turn) !== undefined
  )
}

/**
 * The asker resumes once, when it has ended its turn and all it asked have reported. Also where it failed or was cut off
 * afterwards: its teammates' work is there, and is neither thrown away nor done again.
 */
export function followUpIfReady(room: Room, turnId: number, at: number): void {
  const asks = all<AskRow>(room.sql('SELECT * FROM asks WHERE turn = ?'), turnId)
  if (
    asks.length === 0 ||
    asks.some((row) => row.state === 'open') ||
    asks.every((row) => row.state === 'cancelled')
  )
    return
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), turnId)
  if (!turn || turn.state === 'running' || turn.state === 'queued' || turn.state === 'parked') return
  if (turn.state === 'cancelled') return
  // A teammate that has reported already, or was called off, has nobody to report to.
  if (turn.ask !== null && !isWaitedFor(room, turn.ask)) return
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

/**
 * Calls off what a turn asked for, and what was asked further down.
 *
 * @returns turns of teammates that are at work on it, to be aborted
 */
export function callOff(room: Room, turn: number, at: number): number[] {
  const running: number[] = []
  for (const { id } of all<AskRow>(room.sql("SELECT * FROM asks WHERE turn = ? AND state = 'open'"), turn)) {
    room.sql("UPDATE asks SET state = 'cancelled', settled_at = ? WHERE id = ?").run(at, id)
    dropQueued(room, id, 'called off', at)
    running.push(...atWorkOn(room, id, at))
  }
  return running
}

/** Turns at work on an ask that nobody waits for any more; what they asked for in their turn is called off. */
function atWorkOn(room: Room, ask: number, at: number): number[] {
  return all<TurnRow>(room.sql('SELECT * FROM turns WHERE ask = ?'), ask).flatMap((work) => {
    withdrawQuestions(room, work.id, at)
    return [...(work.state === 'running' ? [work.id] : []), ...callOff(room, work.id, at)]
  })
}

/** Nobody waits any more for what a teammate has not begun. */
function dropQueued(room: Room, ask: number, reason: string, at: number): void {
  for (const row of all<TurnRow>(
    room.sql("SELECT * FROM turns WHERE ask = ? AND state IN ('queued', 'parked')"),
    ask,
  )) {
    withdrawQuestions(room, row.id, at)
    room
      .sql("UPDATE turns SET state = 'cancelled', reason = ?, settled_at = ? WHERE id = ?")
      .run(reason, at, row.id)
    refreshTurnLane(room, row.lane)
  }
}

/** @returns how many, and turns that are at work on them: nobody waits for those any more */
export function timeOutAsks(room: Room, now: number): { expired: number; running: number[] } {
  const late = all<AskRow>(room.sql("SELECT * FROM asks WHERE state = 'open' AND deadline <= ?"), now)
  const running: number[] = []
  for (const row of late) {
    // Called off further down with an earlier one of these.
    if (!isWaitedFor(room, row.id)) continue
    settleAsk(room, row.id, 'timed-out', now)
    dropQueued(room, row.id, 'timed out', now)
    running.push(...atWorkOn(room, row.id, now))
  }
  return { expired: late.length, running }
}

/** Whether somebody still waits for it. */
export function isWaitedFor(room: Room, ask: number): boolean {
  return one(room.sql("SELECT 1 FROM asks WHERE id = ? AND state = 'open'"), ask) !== undefined
}
