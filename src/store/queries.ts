/** Read-only questions: rooms, their messages, the queue, the counts. Used by the worker and by the command line. */

import type { Decision } from '../messaging/decision.js'
import { possiblePolicy, REFUSED } from '../messaging/gates/policy.js'
import { referenceOf } from '../messaging/keys.js'
import { type Policy, settingsFor } from '../messaging/roster.js'
import type { QueueView, RoomMessage, RoomView, StatusView } from '../messaging/views.js'
import { waitingForDecision } from './approvals-view.js'
import { all, type Db, one, parse } from './db.js'
import { formerKeys, moves } from './moves.js'
import { outcomeOf } from './receipts.js'
import type { ChatRow, MessageRow, OutboxRow, TurnRow } from './rows.js'
import { usageOfMonth } from './usage.js'

export function rooms(db: Db, policy: Policy | null): RoomView[] {
  const work = new Map(
    all<{ chat: string; running: number; waiting: number }>(
      db.sql(
        `SELECT chat, sum(state = 'running') AS running, sum(state = 'queued') AS waiting FROM turns
         WHERE state IN ('running', 'queued') GROUP BY chat`,
      ),
    ).map((row) => [row.chat, row]),
  )
  return all<ChatRow>(db.sql('SELECT * FROM chats ORDER BY last_at DESC')).map((chat) => {
    const settings = policy ? settingsFor(policy, chat.key, formerKeys(db, chat.key)) : null
    const given = settings?.groupPolicy ?? 'mention-only'
    const followed = chat.kind === 'dm' ? given : possiblePolicy(given, chat.sees)
    return {
      key: chat.key,
      connection: chat.connection,
      kind: chat.kind,
      title: chat.title,
      policy: followed,
      policyNote: followed === given ? null : REFUSED,
      members: [...(settings?.members ?? [])],
      messages: chat.messages,
      lastAt: chat.last_at,
      running: work.get(chat.key)?.running ?? 0,
      waiting: work.get(chat.key)?.waiting ?? 0,
      quiet: settings !== null && chat.bot_turns >= settings.maxTurns,
    }
  })
}

export function roomMessages(
  db: Db,
  chat: string,
  page: { before?: number; after?: number; limit: number },
): RoomMessage[] | null {
  if (one(db.sql('SELECT 1 FROM chats WHERE key = ?'), chat) === undefined) return null
  const rows =
    page.after === undefined
      ? all<MessageRow>(
          db.sql(
            "SELECT * FROM messages WHERE chat = ? AND id < ? AND kind <> 'skipped' ORDER BY id DESC LIMIT ? + 0",
          ),
          chat,
          page.before ?? Number.MAX_SAFE_INTEGER,
          page.limit,
        ).reverse()
      : all<MessageRow>(
          db.sql(
            "SELECT * FROM messages WHERE chat = ? AND id > ? AND id < ? AND kind <> 'skipped' ORDER BY id LIMIT ? + 0",
          ),
          chat,
          page.after,
          page.before ?? Number.MAX_SAFE_INTEGER,
          page.limit,
        )
  return rows.map((row) => ({
    id: row.id,
    reference: referenceOf(row),
    native: row.native,
    conversation: row.conversation,
    thread: row.thread,
    author: { id: row.author_id, name: row.author_name, kind: row.author_kind },
    kind: row.kind === 'skipped' ? 'bot' : row.kind,
    text: row.text,
    at: row.at,
    replyTo: row.reply_to,
    editedAt: row.edited_at,
    deletedAt: row.deleted_at,
    outcome: outcomeOf(db, row, parse<Decision | null>(row.decision, null)),
  }))
}

/** Nothing of it runs: it begins again with the decision. */
function waitingView(turn: TurnRow, waitsFor: string[]): QueueView['turns'][number] {
  return {
    turn: turn.id,
    conversation: turn.conversation,
    agent: turn.agent,
    kind: turn.kind,
    state: 'waiting-for-decision',
    position: 0,
    since: turn.started_at ?? turn.created_at,
    requester: turn.requester_name,
    waitsFor,
  }
}

export function queue(db: Db): QueueView {
  const asked = waitingForDecision(db)
  const turns = all<TurnRow>(
    db.sql("SELECT * FROM turns WHERE state IN ('running', 'queued', 'parked') ORDER BY lane, id LIMIT 1000"),
  )
  const view: QueueView['turns'] = []
  let lane = ''
  let ahead: string[] = []
  let waiting = 0
  for (const turn of turns) {
    if (turn.lane !== lane) {
      lane = turn.lane
      ahead = []
      waiting = 0
    }
    const running = turn.state === 'running'
    const deciders = asked.get(turn.id)
    if (turn.state === 'parked') {
      view.push(waitingView(turn, deciders ?? []))
      continue
    }
    view.push({
      turn: turn.id,
      conversation: turn.conversation,
      agent: turn.agent,
      kind: turn.kind,
      state: !running ? 'queued' : deciders ? 'waiting-for-decision' : 'running',
      position: running ? 0 : ++waiting,
      since: turn.started_at ?? turn.created_at,
      requester: turn.requester_name,
      waitsFor: running ? (deciders ?? []) : [...ahead],
    })
    ahead.push(turn.agent)
  }
  for (const row of all<{
    turn: number
    conversation: string
    asker: string
    requester: string | null
    since: number
    names: string
  }>(
    db.sql(
      `SELECT a.turn, a.conversation, a.asker, t.requester_name AS requester, min(a.created_at) AS since, json_group_array(a.teammate) AS names
       FROM asks a JOIN turns t ON t.id = a.turn
       WHERE a.state = 'open' AND t.state NOT IN ('running', 'queued', 'parked') GROUP BY a.turn`,
    ),
  ))
    view.push({
      turn: row.turn,
      conversation: row.conversation,
      agent: row.asker,
      kind: 'follow-up',
      state: 'waiting-for-teammates',
      position: 0,
      since: row.since,
      requester: row.requester,
      waitsFor: parse<string[]>(row.names, []),
    })
  const operations = all<OutboxRow>(
    db.sql(
      "SELECT * FROM outbox WHERE state IN ('pending', 'sending') AND role <> 'status' ORDER BY id LIMIT 1000",
    ),
  ).map((row) => ({
    operation: row.id,
    chatKey: row.chat,
    kind: row.kind,
    state: row.ambiguous && row.state === 'pending' ? 'ambiguous' : row.state,
    attempts: row.attempt,
    since: row.created_at,
    failure: row.failure,
  }))
  return { turns: view, operations }
}

export function status(db: Db): StatusView {
  const counts = (table: 'turns' | 'outbox'): Record<string, number> =>
    Object.fromEntries(
      all<{ state: string; n: number }>(
        db.sql(`SELECT state, count(*) AS n FROM ${table} GROUP BY state`),
      ).map((row) => [row.state, row.n]),
    )
  const count = (sql: string): number => one<{ n: number }>(db.sql(sql))?.n ?? 0
  const pages = db.raw.pragma('page_count', { simple: true }) as number
  return {
    rooms: count('SELECT count(*) AS n FROM chats'),
    messages: count('SELECT count(*) AS n FROM messages'),
    turns: counts('turns'),
    operations: counts('outbox'),
    moved: moves(db).map(({ from, to, at }) => ({ from, to, at })),
    asks: count("SELECT count(*) AS n FROM asks WHERE state = 'open'"),
    schedules: count('SELECT count(*) AS n FROM schedules WHERE next_at IS NOT NULL'),
    nextSchedule: one<{ at: number | null }>(db.sql('SELECT min(next_at) AS at FROM schedules'))?.at ?? null,
    usage: usageOfMonth(db),
    schema: db.raw.pragma('user_version', { simple: true }) as number,
    bytes: pages * (db.raw.pragma('page_size', { simple: true }) as number),
  }
}
