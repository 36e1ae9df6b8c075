/** A question in the chat: asked, asked again with its work, and ended. Each is a row of the outbox. */
import type { DecidedNotice, QuestionNotice } from '../messaging/approval.js'
import type { NoteButton } from '../messaging/store.js'
import { decidersOf, optionsOf, yesNo } from './approval-rows.js'
import { one, type Room } from './db.js'
import { cancel, enqueue } from './outbox.js'
import type { ApprovalRow, OutboxRow, TurnRow } from './rows.js'
import { canOf, placeOfTurn } from './turns.js'

/** Asks. Goes out as early as an answer: somebody waits for it. */
export function post(room: Room, turn: TurnRow, row: ApprovalRow, at: number): void {
  const buttons = canOf(turn).buttons
  const operation = enqueue(room, {
    connection: row.connection,
    chatKey: row.chat,
    conversation: row.conversation,
    turn: row.turn,
    message: row.message,
    at,
    role: 'notice',
    first: true,
    op: {
      kind: 'note',
      place: placeOfTurn(room, turn),
      notice: noticeOf(room, row, at),
      ...(turn.reply_to === null ? {} : { replyTo: turn.reply_to }),
      ...(buttons ? { buttons: buttonsOf(row) } : {}),
    },
  })
  room.sql('UPDATE approvals SET operation = ? WHERE id = ?').run(operation, row.id)
}

function noticeOf(room: Room, row: ApprovalRow, at: number): QuestionNotice {
  const options = optionsOf(row)
  const chat = one<{ kind: string; sees: string }>(
    room.sql('SELECT kind, sees FROM chats WHERE key = ?'),
    row.chat,
  )
  return {
    kind: 'question',
    ask: row.kind,
    agent: row.agent,
    text: row.text,
    options: options.map(({ label }) => label),
    code: row.code,
    yesNo: yesNo(options) !== null,
    mention: chat?.kind === 'group' && chat.sees === 'addressed' ? room.policy.name : null,
    who: decidersOf(room, row),
    within: row.expires_at - at,
    again: row.again,
  }
}

function buttonsOf(row: ApprovalRow): NoteButton[] {
  return optionsOf(row).map(({ label, deny }, option) => ({
    label: 'option',
    text: label,
    ...(row.kind === 'permission' ? { style: deny ? ('danger' as const) : ('primary' as const) } : {}),
    action: { do: 'decide', approval: row.id, option },
  }))
}

/** The post says that the work begins again, and keeps its buttons. */
export function showAgain(room: Room, turn: TurnRow, row: ApprovalRow, at: number): void {
  const can = canOf(turn)
  const edits = can.operations.includes('edit') && row.operation !== null
  enqueue(room, {
    ...about(row, at),
    ...(edits && row.operation !== null ? { target: row.operation } : {}),
    op: {
      kind: 'note',
      place: placeOfTurn(room, turn),
      notice: noticeOf(room, row, at),
      ...(edits ? { edits: '' } : turn.reply_to === null ? {} : { replyTo: turn.reply_to }),
      ...(can.buttons ? { buttons: buttonsOf(row) } : {}),
    },
  })
}

/**
 * The post says who decided what, and loses its buttons. @param pressed native id of the post that was pressed: where
 * one may stand twice, both say it
 */
export function showEnd(
  room: Room,
  row: ApprovalRow,
  end: DecidedNotice['end'],
  at: number,
  pressed = '',
): void {
  const turn = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), row.turn)
  const asked = one<OutboxRow>(room.sql('SELECT * FROM outbox WHERE id = ?'), row.operation)
  if (!turn || !asked) return
  // Nobody has seen it, and nobody will.
  if (asked.state === 'pending' && cancel(room, asked.id, at, 'the question needs no answer any more')) return
  const notice: DecidedNotice = { kind: 'decided', agent: row.agent, text: row.text, end, at }
  const place = placeOfTurn(room, turn)
  if (!canOf(turn).operations.includes('edit') || asked.state === 'failed') {
    // A withdrawal alone is not worth a line.
    if (end.how !== 'withdrawn') enqueue(room, { ...about(row, at), op: { kind: 'note', place, notice } })
    return
  }
  enqueue(room, { ...about(row, at), target: asked.id, op: { kind: 'note', place, notice, edits: '' } })
  if (pressed !== '' && pressed !== asked.native)
    enqueue(room, { ...about(row, at), op: { kind: 'note', place, notice, edits: pressed } })
}

function about(row: ApprovalRow, at: number) {
  return {
    connection: row.connection,
    chatKey: row.chat,
    conversation: row.conversation,
    turn: row.turn,
    message: row.message,
    at,
    role: 'notice' as const,
  }
}
