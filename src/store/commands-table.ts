/** The store's commands by name, as plain functions over the open database. The worker runs them; tests may as well. */

import { chatKeyOf } from '../messaging/keys.js'
import { roomAgents } from '../messaging/roster.js'
import type { Store } from '../messaging/store.js'
import { accept } from './accept.js'
import { noteAccount } from './accounts.js'
import { openQuestion, takeRuling } from './approvals.js'
import { expireQuestions, notAsked } from './approvals-expiry.js'
import { approvals } from './approvals-view.js'
import { ask, isCalled } from './asks.js'
import { backfill } from './backfill.js'
import { notePerson, people } from './chats.js'
import { claimTurns } from './claim.js'
import { one, type Room } from './db.js'
import { errands, settleErrand } from './errands.js'
import { factsOf, forgetFact, noteListed, rememberFact } from './facts.js'
import { lineChanges } from './line-changes.js'
import { caughtUp, missed, newest, noteMissed } from './missed.js'
import {
  conversationNow,
  memoryMoved,
  moves,
  redirected,
  settingsOf,
  settleFormer,
  whereabouts,
} from './moves.js'
import * as outbox from './outbox.js'
import { giveTo } from './owners.js'
import { placesOf, postFromTurn } from './posts.js'
import * as queries from './queries.js'
import { findMessage, receiptOf } from './receipts.js'
import type { Recovered } from './recover.js'
import { recover } from './recover.js'
import { changeRoomText } from './room-texts.js'
import type { TurnRow } from './rows.js'
import { dueSchedules, stepSchedule } from './schedule-runs.js'
import { cancelSchedule, createSchedule, reconcileSchedules, schedulesOf } from './schedules.js'
import * as search from './search.js'
import { noteReceived, settleTurn } from './settle.js'
import { tend } from './tend.js'
import { noteTranscript } from './transcripts.js'
import { noteWorking, placeOfTurn } from './turns.js'

type Sync<Name extends Exclude<keyof Store, 'close'>> = (
  room: Room,
  ...args: Parameters<Store[Name]>
) => Awaited<ReturnType<Store[Name]>>

export type Commands = { [Name in Exclude<keyof Store, 'close'>]: Sync<Name> } & {
  recover(room: Room, now: number): Recovered
}

export const COMMANDS: Commands = {
  accept,
  claimTurns,
  backfill,
  newest,
  noteAccount,
  missed,
  noteMissed,
  caughtUp,
  moves,
  memoryMoved,
  markFirstEvent(room, turn, at) {
    room
      .sql("UPDATE turns SET first_event_at = coalesce(first_event_at, ?) WHERE id = ? AND state = 'running'")
      .run(at, turn)
  },
  noteReceived,
  noteWorking,
  settleTurn,
  ask,
  handOff(room, turn, teammate, at) {
    const row = one<TurnRow>(room.sql('SELECT * FROM turns WHERE id = ?'), turn)
    if (row?.state !== 'running') return { ok: false, why: 'This turn has ended.' }
    if (row.ask !== null)
      return { ok: false, why: 'A teammate that was asked cannot hand the conversation on.' }
    const agent = roomAgents(room.policy, settingsOf(room, row.chat)).find(
      (one) => isCalled(one, teammate) && !one.archived && !one.hidden,
    )
    if (!agent) return { ok: false, why: `There is no active teammate "${teammate}" in this room.` }
    if (agent.name === row.agent) return { ok: false, why: 'You cannot hand a conversation to yourself.' }
    // Said again by a turn that runs again: it is theirs already, and was told.
    if (!giveTo(room, row.conversation, agent.name, at)) return { ok: true }
    outbox.enqueue(room, {
      connection: row.connection,
      chatKey: row.chat,
      conversation: row.conversation,
      turn: row.id,
      message: row.message,
      at,
      role: 'notice',
      op: {
        kind: 'note',
        place: placeOfTurn(room, row),
        notice: { kind: 'handed-off', from: row.agent, to: agent.name },
      },
    })
    return { ok: true }
  },
  claimOperations(room, request) {
    const claimed = outbox.claim(room, request)
    return {
      ...claimed,
      operations: claimed.operations.flatMap((operation) => {
        const now = redirected(room, operation)
        if (now === null)
          outbox.record(room, operation.id, {
            state: 'failed',
            at: request.now,
            failure: { kind: 'gone', what: 'target' },
            message: 'the chat goes on under another id, where this message does not stand',
          })
        return now ?? []
      }),
    }
  },
  recordReceipt(room, id, result) {
    const recorded = outbox.record(room, id, result)
    if (result.state === 'failed') notAsked(room, id, result.at)
    settleFormer(room, id, result.state === 'sent')
    return recorded
  },
  enqueue(room, item) {
    return { operation: outbox.enqueue(room, item) }
  },
  noteMembers(room, connection, chat, members, at) {
    const { key } = whereabouts(room, chatKeyOf(connection, chat))
    for (const member of members) notePerson(room, key, member, at)
  },
  members: (room, chatKey) => people(room, whereabouts(room, chatKey).key),
  tend,
  openQuestion,
  takeRuling,
  expireQuestions,
  approvals,
  rememberFact,
  forgetFact,
  noteListed,
  factsOf,
  errands,
  settleErrand,
  indexKnowledge: search.indexKnowledge,
  searchKnowledge: search.searchKnowledge,
  searchTranscript: (room, conversation, query, limit) =>
    search.searchTranscript(room, conversationNow(room, conversation), query, limit),
  readTranscript: (room, conversation, before, limit) =>
    search.readTranscript(room, conversationNow(room, conversation), before, limit),
  lineChanges,
  receipt(room, reference) {
    const row = findMessage(room, reference)
    return row === null ? null : receiptOf(room, row.id)
  },
  rooms: (room) => queries.rooms(room, room.policy),
  roomMessages: queries.roomMessages,
  queue: queries.queue,
  status: queries.status,
  reconcileSchedules,
  createSchedule,
  schedulesOf,
  cancelSchedule,
  dueSchedules,
  stepSchedule,
  postFromTurn,
  placesOf,
  changeRoomText,
  noteTranscript,
  recover,
}
