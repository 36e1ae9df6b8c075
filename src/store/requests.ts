/** The turns that follow from a message: new ones, or those of the same sender that wait already. */
import type { InboundMessage } from '../messaging/contract.js'
import type { Decision } from '../messaging/decision.js'
import type { AcceptItem } from '../messaging/store.js'
import type { Room } from './db.js'
import { refreshTurnLane } from './lanes.js'
import type { ChatRow, TurnRow } from './rows.js'
import { tailTurn, unfinishedTurn } from './state.js'
import { addTurn, attach, notifyWaiting } from './turns.js'
import { adopt, type Parts, quotesPart, withdraw } from './utterance.js'

export interface Request {
  item: AcceptItem
  message: InboundMessage
  /** Internal id of the message. */
  id: number
  chat: ChatRow
  decision: Decision
  /** As an agent is shown it. */
  text: string
  /** A turn of the conversation is running or waiting. */
  busy: boolean
  parts: Parts | null
  /** By which the message can be quoted. */
  native: string | null
  thread: string | null
}

export function makeTurns(room: Room, request: Request): void {
  const { decision, item, parts } = request
  const first = waitingFor(room, request)
  if (decision.join === 'utterance' && first !== null && !isSame(first, decision)) {
    const messages = withdraw(room, first, item.receivedAt)
    const turns = addTurns(room, request)
    adopt(room, turns, { ids: messages, waiting: null, state: { waiting: null, begun: 'no' } }, decision)
    return
  }
  if (first !== null) {
    join(room, request, first)
    return
  }
  const turns = addTurns(room, request)
  if (parts?.waiting === null) adopt(room, turns, parts, decision)
  const [one] = turns
  if (one !== undefined && decision.addressed) notifyWaiting(room, one, item.receivedAt)
}

/** The first turn of the request that the message joins. */
function waitingFor(room: Room, { decision, message, parts }: Request): TurnRow | null {
  switch (decision.join) {
    case 'none':
      return null
    case 'utterance':
      return parts?.waiting ?? null
    case 'debounce':
      return unfinishedTurn(room, decision.conversation, message.author.id)
    case 'merge':
      return tailTurn(room, decision.conversation)
  }
}

function isSame(first: TurnRow, decision: Decision): boolean {
  return first.responders === JSON.stringify(decision.responders)
}

function addTurns(room: Room, request: Request): number[] {
  const { item, message, id, chat, decision, text, native, thread } = request
  const { receivedAt: now } = item
  const lane = decision.conversation
  let first: number | null = null
  return decision.responders.map((agent) => {
    const turn = addTurn(room, {
      chat: chat.key,
      conversation: lane,
      lane,
      connection: item.connection,
      agent,
      kind: 'message',
      addressed: decision.addressed,
      sender: message.author.id,
      requester:
        message.author.kind === 'person' ? { id: message.author.id, name: message.author.name } : null,
      replyTo: native,
      message: id,
      thread,
      can: item.can,
      responders: decision.responders,
      request: first,
      at: now,
      notBefore: decision.notBefore,
      debounced: decision.notBefore > now,
      characters: text.length,
      hop: 0,
    })
    first ??= turn
    return turn
  })
}

/** Joins the request that waits: texts in order, addressed by any, quoting its last addressed message. */
function join(room: Room, { item, id, decision, text, native }: Request, first: TurnRow): void {
  const { receivedAt: now } = item
  const quotes =
    decision.join === 'utterance'
      ? quotesPart(room, first, decision, native)
      : decision.addressed && decision.reason !== 'continues'
  const turns = room
    .sql("SELECT id FROM turns WHERE lane = ? AND state = 'queued' AND request = ?")
    .all(first.lane, first.id) as { id: number }[]
  for (const turn of turns) {
    attach(room, turn.id, id)
    room
      .sql(
        `UPDATE turns SET items = items + 1, characters = characters + ?, last_at = ?, not_before = ?, debounced = ?,
           addressed = max(addressed, ?), reply_to = CASE WHEN ? THEN ? ELSE reply_to END,
           message = CASE WHEN ? THEN ? ELSE message END WHERE id = ?`,
      )
      .run(
        text.length,
        now,
        decision.notBefore,
        decision.notBefore > now ? 1 : 0,
        decision.addressed ? 1 : 0,
        quotes ? 1 : 0,
        native,
        quotes ? 1 : 0,
        id,
        turn.id,
      )
  }
  refreshTurnLane(room, first.lane)
}
