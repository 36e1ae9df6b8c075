/** A turn ends: its answer, its operations, its wakes and what waited behind it, in one transaction. */
import type { Notice } from '../messaging/decision.js'
import { STATUS_AFTER } from '../messaging/limits.js'
import type { AcceptResult, SettleTurn } from '../messaging/store.js'
import { countBotTurn, wakesHere } from './accounts.js'
import { openOf, park, withdrawQuestions } from './approvals.js'
import {
  callOff,
  followUpIfReady,
  isFollowedUp,
  isWaitedFor,
  type NoResult,
  openAsks,
  settleAsk,
} from './asks.js'
import { nextCtx } from './chats.js'
import { all, one, parse, type Room } from './db.js'
import { refreshTurnLane } from './lanes.js'
import { cancel, enqueue } from './outbox.js'
import { noteOwner } from './owners.js'
import { beginningOf, EDITED, isLastOfRequest, offerRedo } from './redo.js'
import { receiptName } from './reference.js'
import type { MessageRow, OutboxRow, TurnRow } from './rows.js'
import { isScheduled } from './schedule-runs.js'
import { filling, statusToFill } from './status.js'
import { addTurn, canOf, clearStatus, enterWaiting, notify, placeOfTurn } from './turns.js'
import { noteUsage } from './usage.js'

/** @returns messages that bear their last mark now: nobody need mark them as received any more */
export function settleTurn(room: Room, given: SettleTurn): { marked: number[] } {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), given.turn)
  // Settled by somebody else (a stop, a later boot): what this run brings is late.
  if (turn?.state !== 'running' || turn.boot !== room.boot) return { marked: [] }
  // What a teammate made for somebody who no longer waits is late too.
  const settle = turn.ask === null || isWaitedFor(room, turn.ask) ? given : withoutPosts(given)
  const { at } = settle
  if (settle.usage) noteUsage(room, turn, settle.usage, at)
  const outcome = waitsNot(room, turn, settle.outcome)
  room
    .sql(
      `UPDATE turns SET state = ?, reason = ?, settled_at = ?, first_event_at = coalesce(first_event_at, ?), shown = ?, tools = ?, usage = ?, files = ?,
         previews = ?, not_before = ? WHERE id = ?`,
    )
    .run(
      outcome.state,
      reasonOfOutcome(outcome),
      outcome.state === 'queued' || outcome.state === 'parked' ? null : at,
      settle.firstEventAt,
      JSON.stringify(settle.shown),
      JSON.stringify(settle.tools),
      settle.usage ? JSON.stringify(settle.usage) : null,
      JSON.stringify(settle.files),
      settle.previews ? JSON.stringify(settle.previews) : null,
      at,
      turn.id,
    )
  if (outcome.state === 'parked') {
    clearStatus(room, turn, at)
    park(room, turn, 'paused', at)
    // Its conversation goes on meanwhile.
    if (turn.ask === null) enterWaiting(room, turn.conversation)
    return { marked: [] }
  }
  if (outcome.state === 'queued') {
    withdrawQuestions(room, turn.id, at)
    clearStatus(room, turn, at)
    refreshTurnLane(room, turn.lane)
    return { marked: [] }
  }
  const text = outcome.state === 'settled' ? outcome.text : ''
  const line = text.trim() === '' || turn.ask !== null ? null : say(room, turn, text, settle)
  if (line === null && settle.operations.length > 0) countReply(room, turn, at)
  post(room, turn, settle, line)
  for (const notice of settle.notices) notify(room, turn, notice, at)
  if (outcome.state === 'failed' && turn.addressed && turn.ask === null && !isFollowedUp(room, turn.id))
    notify(room, turn, failedNotice(room, turn), at)
  if (outcome.state === 'interrupted') interrupted(room, turn, at)
  const marked = finish(room, turn, settle, line)
  // The words it answered are not the ones that stand there now. Where teammates are at work, what follows answers.
  const asker = beginningOf(room, turn)
  if (asker.reason === EDITED && (outcome.state === 'settled' || outcome.state === 'passed'))
    if (asker.addressed && !isFollowedUp(room, turn.id) && isLastOfRequest(room, asker))
      offerRedo(room, asker, at)
  return { marked }
}

function withoutPosts(settle: SettleTurn): SettleTurn {
  const refused = 'nobody waits for it any more'
  return { ...settle, operations: [], files: settle.files.map((file) => ({ refused, ...file })) }
}

/** What was decided just when its run was parked needs no waiting for. */
function waitsNot(room: Room, turn: TurnRow, outcome: SettleTurn['outcome']): SettleTurn['outcome'] {
  if (outcome.state !== 'parked' || openOf(room, turn.id).length > 0) return outcome
  return { state: 'queued', reason: 'a decision was made' }
}

/** What every ending has in common, also the endings that the store itself decides. */
export function finish(
  room: Room,
  turn: TurnRow,
  settle: Pick<SettleTurn, 'at' | 'outcome' | 'wakes'>,
  line: number | null,
): number[] {
  const { at, outcome } = settle
  withdrawQuestions(room, turn.id, at)
  clearStatus(room, turn, at)
  if (turn.follows !== null) {
    const before = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), turn.follows)
    if (before) clearStatus(room, before, at)
  }
  if (outcome.state === 'cancelled') callOff(room, turn.id, at)
  // A teammate that failed reports at once; who was asked by people goes on with what it asked for all the same.
  const isWhole = outcome.state === 'settled' || outcome.state === 'passed'
  const goesOn = isWhole || (turn.ask === null && outcome.state !== 'cancelled')
  const asked = goesOn ? openAsks(room, turn.id) : []
  if (turn.ask !== null) {
    // A teammate that asked others reports with its follow-up.
    if (asked.length === 0)
      settleAsk(
        room,
        turn.ask,
        outcome.state === 'settled' ? { text: outcome.text } : NO_RESULT[outcome.state],
        at,
      )
  } else {
    if (outcome.state === 'settled' && line !== null) wake(room, turn, settle.wakes, line, at)
    if (asked.length > 0) waitForTeammates(room, turn, asked, at)
  }
  followUpIfReady(room, turn.id, at)
  const marked = mark(room, turn, outcome.state, at)
  // A teammate works beside its conversation: only the conversation's own turn lets waiting lines in.
  if (turn.ask === null) enterWaiting(room, turn.conversation)
  refreshTurnLane(room, turn.lane)
  return marked
}

const NO_RESULT: Record<Exclude<SettleTurn['outcome']['state'], 'settled'>, NoResult> = {
  passed: 'silent',
  failed: 'failed',
  cancelled: 'stopped',
  queued: 'stopped',
  parked: 'stopped',
  interrupted: 'interrupted',
}

/** Ends the wait of a turn for its teammates: nothing more comes of it. @returns turns of teammates to abort */
export function stopWaiting(room: Room, turn: TurnRow, at: number): AcceptResult['abort'] {
  const abort = callOff(room, turn.id, at).map((id) => ({ turn: id, why: 'stopped' as const }))
  clearStatus(room, turn, at)
  mark(room, turn, 'cancelled', at)
  return abort
}

/** The answer's line in the transcript. It enters the context before anything that waited behind the turn. */
function say(room: Room, turn: TurnRow, text: string, { at, operations }: SettleTurn): number {
  const question =
    turn.message === null
      ? undefined
      : one<MessageRow>(room.sql('SELECT * FROM messages WHERE id = ?'), turn.message)
  // An answer may open a thread under its question.
  const place = operations.find((op) => op.kind === 'post')?.place
  const { lastInsertRowid } = room
    .sql(
      `INSERT INTO messages (chat, conversation, thread, chain, kind, author_id, author_name, author_kind, agent, text,
         at, received_at, reply_to, ctx, turn) VALUES (?, ?, ?, ?, 'agent', ?, ?, 'agent', ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      turn.chat,
      turn.conversation,
      place?.thread ?? turn.thread,
      question?.chain ?? question?.native ?? null,
      turn.agent,
      turn.agent,
      turn.agent,
      text,
      at,
      at,
      turn.reply_to,
      nextCtx(room, turn.conversation),
      turn.id,
    )
  countReply(room, turn, at)
  noteOwner(room, turn.conversation, turn.agent, at)
  return Number(lastInsertRowid)
}

/** What a schedule has said goes on no chain of bots: a person wanted it at its time, and only once. */
function countReply(room: Room, turn: TurnRow, at: number): void {
  const reply = isScheduled(room, turn) ? 0 : 1
  room.sql('UPDATE chats SET messages = messages + 1, last_at = ? WHERE key = ?').run(at, turn.chat)
  countBotTurn(room, turn.chat, reply)
}

function post(room: Room, turn: TurnRow, settle: SettleTurn, line: number | null): void {
  const status = settle.inPlace ? statusToFill(room, turn, settle.operations[0]) : null
  settle.operations.forEach((op, index) => {
    enqueue(room, {
      connection: turn.connection,
      chatKey: turn.chat,
      conversation: turn.conversation,
      turn: turn.id,
      message: turn.message,
      line,
      at: settle.at,
      role: 'answer',
      ...(status !== null && index === 0 && op.kind === 'post' ? filling(op, status) : { op }),
    })
  })
}

/** Agents that the answer names are woken once; not those that speak to the same message anyway. */
function wake(room: Room, turn: TurnRow, names: readonly string[], line: number, at: number): void {
  const speaking = parse<string[]>(turn.responders, [])
  const isHere = wakesHere(room, turn.chat)
  for (const agent of names.filter((name) => !speaking.includes(name) && isHere(name)))
    addTurn(room, {
      chat: turn.chat,
      conversation: turn.conversation,
      lane: turn.lane,
      connection: turn.connection,
      agent,
      kind: 'wake',
      addressed: true,
      sender: null,
      requester:
        turn.requester_id === null ? null : { id: turn.requester_id, name: turn.requester_name ?? '' },
      replyTo: turn.reply_to,
      message: line,
      thread: turn.thread,
      can: canOf(turn),
      responders: [agent],
      request: null,
      at,
      notBefore: at,
      debounced: false,
      characters: 0,
      hop: turn.hop + 1,
    })
}

/** Shown only if the teammates take their time; deleted when the follow-up has answered. */
function waitForTeammates(room: Room, turn: TurnRow, asked: readonly string[], at: number): void {
  if (turn.addressed && canOf(turn).operations.includes('delete'))
    notify(room, turn, { kind: 'asked', agents: asked }, at, {
      role: 'status',
      readyAt: at + STATUS_AFTER,
      buttons: [{ label: 'stop', action: { do: 'stop', turn: turn.id } }],
    })
}

function failedNotice(room: Room, turn: TurnRow): Notice {
  return { kind: 'failed', agent: turn.agent, receipt: receiptName(room, turn) }
}

/** One line and a Retry button: it counts as the answer of what may not be run again by itself. */
export function interrupted(room: Room, turn: TurnRow, at: number): void {
  if (!turn.addressed || turn.ask !== null || isFollowedUp(room, turn.id)) return
  notify(room, turn, { kind: 'interrupted', agent: turn.agent }, at, {
    // Only who asked may press: nobody may where another bot did.
    ...(turn.requester_id === null
      ? {}
      : { buttons: [{ label: 'retry', action: { do: 'retry', turn: turn.id } }] }),
  })
}

/** 👀 on a message that takes its time: one that is answered at once shows its answer instead. Says whether it did. */
export function noteReceived(room: Room, message: number, at: number): boolean {
  const row = one<MessageRow>(room.sql('SELECT * FROM messages WHERE id = ?'), message)
  if (!row?.native || row.deleted_at !== null || !isAddressed(row)) return false
  const turn = one<TurnRow>(
    room.sql(
      'SELECT t.* FROM turn_messages tm JOIN turns t ON t.id = tm.turn WHERE tm.message = ? ORDER BY t.id LIMIT 1',
    ),
    message,
  )
  if (!turn || !canOf(turn).operations.includes('react')) return false
  if (!isOpen(room, message) || lastMark(room, message)) return false
  enqueue(room, {
    connection: turn.connection,
    chatKey: turn.chat,
    conversation: turn.conversation,
    turn: null,
    message,
    at,
    role: 'notice',
    op: { kind: 'react', place: placeOfTurn(room, turn), id: row.native, mark: 'received' },
  })
  return true
}

function lastMark(room: Room, message: number): OutboxRow | undefined {
  return one<OutboxRow>(
    room.sql("SELECT * FROM outbox WHERE message = ? AND kind = 'react' ORDER BY id DESC LIMIT 1"),
    message,
  )
}

/** Unaddressed messages are never marked. */
function isAddressed(row: MessageRow): boolean {
  return parse<{ addressed: boolean }>(row.decision, { addressed: false }).addressed
}

/** The mark on the question: set once nothing more is to come for it. */
function mark(room: Room, turn: TurnRow, state: SettleTurn['outcome']['state'], at: number): number[] {
  const marked: number[] = []
  if (!canOf(turn).operations.includes('react')) return marked
  // A teammate's work marks nothing, unless it was called off and is the last that was at work for the question.
  if (turn.ask !== null && !isCalledOff(room, turn.ask)) return marked
  const root = turn.ask !== null || turn.kind === 'message' ? turn.id : (turn.follows ?? turn.id)
  for (const { message } of all<{ message: number }>(
    room.sql('SELECT message FROM turn_messages WHERE turn = ?'),
    root,
  )) {
    const row = one<MessageRow>(room.sql('SELECT * FROM messages WHERE id = ?'), message)
    if (!row?.native || row.kind !== 'person' || row.deleted_at !== null) continue
    const before = lastMark(room, message)
    if (!isAddressed(row) || isOpen(room, message)) continue
    if (turn.ask !== null && before && (JSON.parse(before.op) as { mark?: string }).mark !== 'received')
      continue
    if (state === 'passed' && (!before || cancel(room, before.id, at, 'the agent passed'))) continue
    if (before) cancel(room, before.id, at, 'a later mark replaces it')
    marked.push(message)
    enqueue(room, {
      connection: turn.connection,
      chatKey: turn.chat,
      conversation: turn.conversation,
      turn: turn.id,
      message,
      at,
      role: 'notice',
      op: {
        kind: 'react',
        place: placeOfTurn(room, turn),
        id: row.native,
        mark:
          state === 'settled' || state === 'passed' ? 'done' : state === 'cancelled' ? 'stopped' : 'failed',
      },
    })
  }
  return marked
}

function isCalledOff(room: Room, ask: number): boolean {
  return one(room.sql("SELECT 1 FROM asks WHERE id = ? AND state = 'cancelled'"), ask) !== undefined
}

/** Something is still to come for this message: a turn, or a teammate's answer. */
function isOpen(room: Room, message: number): boolean {
  return (
    one(
      room.sql(
        `SELECT 1 FROM turn_messages tm JOIN turns t ON t.id = tm.turn
         WHERE tm.message = ? AND t.state IN ('queued', 'running', 'parked') LIMIT 1`,
      ),
      message,
    ) !== undefined ||
    one(
      room.sql(
        `SELECT 1 FROM asks a JOIN turn_messages tm ON tm.turn = a.turn
         WHERE tm.message = ? AND a.state = 'open' LIMIT 1`,
      ),
      message,
    ) !== undefined
  )
}

function reasonOfOutcome(outcome: SettleTurn['outcome']): string | null {
  switch (outcome.state) {
    case 'settled':
      return null
    case 'failed':
      return `${outcome.code}: ${outcome.message}`.slice(0, 2_000)
    default:
      return outcome.reason
  }
}
