/** A button was pressed: by the person it is for, once, before it expires. Everything else is told in private. */
import type { InboundPress } from '../messaging/contract.js'
import type { Notice } from '../messaging/decision.js'
import { chatKeyOf } from '../messaging/keys.js'
import type { AcceptItem, AcceptResult, ButtonAction } from '../messaging/store.js'
import { safeName } from '../messaging/text/index.js'
import { withdrawQuestions } from './approvals.js'
import { callOff, openAsks } from './asks.js'
import { all, one, parse, type Room } from './db.js'
import { decideByPress } from './decisions.js'
import { whereabouts } from './moves.js'
import { enqueue } from './outbox.js'
import type { OutboxRow, TurnRow } from './rows.js'
import { finish, stopWaiting } from './settle.js'
import { hashOf } from './tokens.js'
import { addTurn, attach, canOf } from './turns.js'

interface ButtonRow {
  hash: string
  operation: number
  action: string
  requester: string | null
  expires_at: number
  used_at: number | null
}

export function press(room: Room, item: AcceptItem, event: InboundPress): Partial<AcceptResult> {
  const now = item.receivedAt
  const button = one<ButtonRow>(
    room.sql('SELECT * FROM buttons WHERE hash = ? AND connection = ?'),
    hashOf(event.value),
    item.connection,
  )
  const tell = (text: string): Partial<AcceptResult> => ({
    whisper: { place: event.place, to: event.author.id, text },
  })
  const zh = room.policy.language === 'zh'
  if (!button) return tell(zh ? '这个按钮已失效。' : 'This button is no longer valid.')
  const post = one<OutboxRow>(room.sql('SELECT * FROM outbox WHERE id = ?'), button.operation)
  if (!post || post.chat !== whereabouts(room, chatKeyOf(item.connection, event.place.chat)).key)
    return tell(zh ? '这个按钮已失效。' : 'This button is no longer valid.')
  const action = JSON.parse(button.action) as ButtonAction
  if (action.do === 'decide') return decideByPress(room, item, event, { ...action, hash: button.hash, post })
  if (button.requester !== event.author.id)
    return tell(zh ? '只有提问的人可以按这个按钮。' : 'Only the person who asked may press this.')
  if (button.used_at !== null) return tell(zh ? '这个按钮已经按过了。' : 'This was already pressed.')
  if (button.expires_at <= now)
    return tell(zh ? '这个按钮已过期。' : 'This button has expired. Please ask again.')
  if (action.do !== 'stop' && !isAskedStill(room, action))
    return tell(zh ? '这条消息已被删除。' : 'The message was deleted, so it is not answered again.')
  room
    .sql('UPDATE buttons SET used_at = ?, used_by = ? WHERE hash = ?')
    .run(now, event.author.id, button.hash)
  const abort = act(room, action, now)
  showPressed(room, item, event, post, { kind: 'pressed', what: action.do, by: safeName(event.author.name) })
  return { abort, ...(post.message === null ? {} : { message: post.message }) }
}

type Again = Extract<ButtonAction, { do: 'retry' | 'redo' }>

/** Turns that the button stands for: one, or those of all agents that answered together. */
function turnsOf(room: Room, action: Again): TurnRow[] {
  if (action.do === 'retry') return all<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), action.turn)
  const turns = all<TurnRow>(
    room.sql(
      `SELECT t.* FROM turn_messages tm JOIN turns t ON t.id = tm.turn
       WHERE tm.message = ? AND t.kind = 'message' ORDER BY t.id`,
    ),
    action.message,
  )
  return turns.filter((turn) => turn.request === turns.at(-1)?.request)
}

function isAskedStill(room: Room, action: Again): boolean {
  return turnsOf(room, action).some(
    (turn) =>
      one(
        room.sql(
          `SELECT 1 FROM turn_messages tm JOIN messages m ON m.id = tm.message
           WHERE tm.turn = ? AND m.deleted_at IS NULL LIMIT 1`,
        ),
        turn.id,
      ) !== undefined,
  )
}

function act(room: Room, action: Again | { do: 'stop'; turn: number }, now: number): AcceptResult['abort'] {
  if (action.do === 'stop') return stopTurn(room, action.turn, now)
  let request: number | null = null
  for (const turn of turnsOf(room, action)) {
    const id = again(room, turn, request, now)
    request ??= id
  }
  return []
}

/** Stops a turn, and what it asked for: what waits is cancelled here, what runs is aborted by the caller. */
export function stopTurn(room: Room, id: number, now: number): AcceptResult['abort'] {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), id)
  if (!turn) return []
  withdrawQuestions(room, id, now)
  if (turn.state !== 'running' && turn.state !== 'queued' && turn.state !== 'parked')
    return openAsks(room, id).length > 0 ? stopWaiting(room, turn, now) : []
  const abort = callOff(room, id, now).map((other) => ({ turn: other, why: 'stopped' as const }))
  if (turn.state === 'running') return [{ turn: id, why: 'stopped' }, ...abort]
  room
    .sql("UPDATE turns SET state = 'cancelled', reason = 'stopped', settled_at = ? WHERE id = ?")
    .run(now, id)
  finish(room, turn, { at: now, outcome: { state: 'cancelled', reason: 'stopped' }, wakes: [] }, null)
  return abort
}

/** The same question once more, as a turn of its own. */
function again(room: Room, turn: TurnRow, request: number | null, now: number): number {
  const id = addTurn(room, {
    chat: turn.chat,
    conversation: turn.conversation,
    lane: turn.conversation,
    connection: turn.connection,
    agent: turn.agent,
    kind: 'message',
    addressed: true,
    sender: turn.sender,
    requester: turn.requester_id === null ? null : { id: turn.requester_id, name: turn.requester_name ?? '' },
    replyTo: turn.reply_to,
    message: turn.message,
    thread: turn.thread,
    can: canOf(turn),
    responders: parse<string[]>(turn.responders, [turn.agent]),
    request,
    at: now,
    notBefore: now,
    debounced: false,
    characters: turn.characters,
    hop: 0,
  })
  for (const { message } of all<{ message: number }>(
    room.sql('SELECT message FROM turn_messages WHERE turn = ?'),
    turn.id,
  ))
    attach(room, id, message)
  return id
}

/** The post says who pressed what, and loses its buttons. */
function showPressed(
  room: Room,
  item: AcceptItem,
  event: InboundPress,
  post: OutboxRow,
  notice: Notice,
): void {
  // Where a post may stand twice, it is the one that was pressed.
  const edits = event.id === '' ? post.native : event.id
  if (!item.can.operations.includes('edit') || edits === null || post.role === 'status') return
  enqueue(room, {
    connection: post.connection,
    chatKey: post.chat,
    conversation: post.conversation,
    turn: post.turn,
    message: post.message,
    at: item.receivedAt,
    role: 'notice',
    op: { kind: 'note', place: event.place, notice, edits },
  })
}
