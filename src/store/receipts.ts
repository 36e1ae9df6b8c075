/** A message's receipt, put together from the rows: gates, turns, operations. Reads only. */
import type { Decision } from '../messaging/decision.js'
import { referenceOf } from '../messaging/keys.js'
import type { OperationView, QuestionView, ReceiptView, TurnView } from '../messaging/views.js'
import { questionsOf } from './approvals-view.js'
import { all, type Db, one, parse } from './db.js'
import { postsBeside } from './posts.js'
import type { MessageRow, OutboxRow, TurnRow } from './rows.js'
import { findNative } from './state.js'

export type Outcome = ReceiptView['outcome']

/** Longest text of an operation that a receipt repeats. */
const EXCERPT = 280

/** Finds what a reference names: an internal id, `chatKey:nativeId`, `chatKey:#id`, or `last`. */
export function findMessage(db: Db, reference: string): MessageRow | null {
  const byId = (id: number) => one<MessageRow>(db.sql('SELECT * FROM messages WHERE id = ?'), id) ?? null
  if (reference === 'last') {
    return (
      one<MessageRow>(db.sql("SELECT * FROM messages WHERE kind = 'person' ORDER BY id DESC LIMIT 1")) ?? null
    )
  }
  if (/^\d{1,15}$/.test(reference)) return byId(Number(reference))
  const own = /^(.+):#(\d{1,15})$/s.exec(reference)
  if (own) {
    const row = byId(Number(own[2]))
    if (row?.chat === own[1]) return row
  }
  // A native id may hold colons itself: try every split.
  for (let colon = reference.indexOf(':'); colon > 0; colon = reference.indexOf(':', colon + 1)) {
    const found = findNative(db, reference.slice(0, colon), reference.slice(colon + 1))
    if (found?.message) return byId(found.message)
    if (found?.turn) {
      const turn = one<TurnRow>(db.sql('SELECT * FROM turns WHERE id = ?'), found.turn)
      if (turn?.message) return byId(turn.message)
    }
  }
  return null
}

export function receiptOf(db: Db, id: number): ReceiptView | null {
  const row = one<MessageRow>(db.sql('SELECT * FROM messages WHERE id = ?'), id)
  if (!row) return null
  const decision = parse<Decision | null>(row.decision, null)
  const turns = turnsFor(db, row)
  const shown = turns.map((turn) => turnView(db, turn))
  const loose = all<OutboxRow>(
    db.sql('SELECT * FROM outbox WHERE message = ? AND turn IS NULL ORDER BY id'),
    id,
  )
  // What a turn posted beside its answer stands with the turn.
  const told = new Set(shown.flatMap((turn) => turn.operations.map((one) => one.id)))
  const operations = loose.filter((one) => !told.has(one.id)).map(operationView)
  const outcome = outcomeOf(db, row, decision, turns)
  return {
    message: {
      id: row.id,
      reference: referenceOf(row),
      chatKey: row.chat,
      conversation: row.conversation,
      native: row.native,
      author: {
        id: row.author_id,
        name: row.author_name,
        kind: row.author_kind,
        ...(row.outside ? { outside: true } : {}),
      },
      at: row.at,
      receivedAt: row.received_at,
      text: row.text,
      editedAt: row.edited_at,
      deletedAt: row.deleted_at,
    },
    outcome,
    summary: summarise(outcome, decision, shown, operations),
    decision: decision && {
      verdict: decision.verdict,
      addressed: decision.addressed,
      reason: decision.reason,
      route: decision.route,
      responders: [...decision.responders],
      gates: decision.trace.map((gate) => ({
        ...gate,
        saw: Object.fromEntries(
          Object.entries(gate.saw).map(([key, value]) => [
            key,
            Array.isArray(value) ? value.map(String) : (value as string | number | boolean | null),
          ]),
        ),
      })),
    },
    turns: shown,
    operations,
    answers: row.turn === null ? [] : referencesOf(db, row.turn),
  }
}

/** The turns of a message, with the asks and follow-ups they led to; for an agent's line, the turn that said it. */
function turnsFor(db: Db, row: MessageRow): TurnRow[] {
  const direct =
    row.turn === null
      ? all<TurnRow>(
          db.sql(
            `SELECT t.* FROM turn_messages tm JOIN turns t ON t.id = tm.turn
             WHERE tm.message = ? ORDER BY t.id LIMIT 60`,
          ),
          row.id,
        )
      : all<TurnRow>(db.sql('SELECT * FROM turns WHERE id = ?'), row.turn)
  return direct
}

function turnView(db: Db, turn: TurnRow): TurnView {
  return {
    id: turn.id,
    kind: turn.kind,
    agent: turn.agent,
    state: turn.state,
    reason: turn.reason,
    attempts: turn.attempt,
    createdAt: turn.created_at,
    startedAt: turn.started_at,
    firstEventAt: turn.first_event_at,
    settledAt: turn.settled_at,
    messages: referencesOf(db, turn.id),
    gates: parse<TurnView['gates']>(turn.trace, []),
    shown: parse<TurnView['shown']>(turn.shown, null),
    tools: parse<TurnView['tools']>(turn.tools, []),
    usage: parse<TurnView['usage']>(turn.usage, null),
    files: parse<TurnView['files']>(turn.files, []),
    ...(turn.previews === null ? {} : { previews: parse<TurnView['previews']>(turn.previews, undefined) }),
    ...asked(questionsOf(db, turn.id)),
    operations: [
      ...postsBeside(db, turn.id),
      ...all<OutboxRow>(db.sql('SELECT * FROM outbox WHERE turn = ? ORDER BY id'), turn.id),
    ]
      .sort((a, b) => a.id - b.id)
      .filter((row) => !(row.role === 'status' && row.state === 'cancelled' && row.attempt === 0))
      .map((row) => ({ ...operationView(row), ...(row.chat === turn.chat ? {} : { to: row.chat }) })),
  }
}

function asked(questions: readonly QuestionView[]): Pick<TurnView, 'questions'> {
  return questions.length === 0 ? {} : { questions: [...questions] }
}

function referencesOf(db: Db, turn: number): string[] {
  return all<{ chat: string; native: string | null; id: number; former: string | null }>(
    db.sql(
      `SELECT m.chat, m.native, m.id, m.former FROM turn_messages tm JOIN messages m ON m.id = tm.message
       WHERE tm.turn = ? ORDER BY m.id`,
    ),
    turn,
  ).map(referenceOf)
}

function operationView(row: OutboxRow): OperationView {
  return {
    id: row.id,
    kind: kindOf(row),
    role: row.role,
    state: row.ambiguous && row.state === 'pending' ? 'ambiguous' : row.state,
    attempts: row.attempt,
    createdAt: row.created_at,
    sendingAt: row.sending_at,
    settledAt: row.settled_at,
    native: row.native,
    text: row.text === null ? null : shortened(row.text),
    failure: row.failure,
    log: parse<OperationView['log']>(row.log, []),
  }
}

/** Says that something is left out, and cuts no character in half. */
function shortened(text: string): string {
  return text.length <= EXCERPT ? text : `${text.slice(0, EXCERPT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** A note's own kind says more than "note", a mark's what it is. */
function kindOf(row: OutboxRow): string {
  const op = JSON.parse(row.op) as { kind: string; mark?: string; notice?: { kind: string } }
  if (op.kind === 'note') return `note ${op.notice?.kind ?? ''}`.trim()
  return op.kind === 'react' ? `react ${op.mark ?? ''}`.trim() : op.kind
}

export function outcomeOf(
  db: Db,
  row: MessageRow,
  decision: Decision | null,
  turns: readonly TurnRow[] = turnsFor(db, row),
): Outcome {
  if (row.kind === 'skipped') return 'skipped'
  if (row.author_kind === 'agent') return 'said'
  if (row.read_back === 1 && turns.length === 0) return 'read'
  if (decision?.verdict === 'refuse') return 'refused'
  if (isOwnCommand(decision)) return 'answered'
  if (turns.length === 0) return 'kept'
  if (turns.some((turn) => turn.state === 'running' || turn.state === 'parked')) return 'running'
  if (turns.some((turn) => turn.state === 'queued' && turn.kind !== 'ask')) return 'waiting'
  const open = one(
    db.sql(
      `SELECT 1 FROM asks a JOIN turn_messages tm ON tm.turn = a.turn
       WHERE tm.message = ? AND a.state = 'open' LIMIT 1`,
    ),
    row.id,
  )
  if (open !== undefined) return 'running'
  const ends = endsOf(turns)
  if (ends.some((turn) => turn.state === 'settled')) {
    const posts = postsOf(db, turns)
    if (posts.has('pending') || posts.has('sending')) return 'sending'
    if (posts.has('sent')) return 'answered'
    // Said, and never seen.
    if (posts.has('failed')) return 'failed'
    return isCalledOff(db, turns) ? 'stopped' : 'answered'
  }
  const last = ends.at(-1) ?? turns.at(-1)
  switch (last?.state) {
    case 'passed':
      return 'passed'
    case 'failed':
      return 'failed'
    case 'interrupted':
      return 'interrupted'
    case 'cancelled':
      // What goes on with a work that was taken up, and may not, leaves nothing as context.
      return last.reason === 'stopped' ||
        last.reason === 'the message was deleted' ||
        last.kind === 'follow-up'
        ? 'stopped'
        : 'kept'
    default:
      return 'answered'
  }
}

/** Turns that have the last word: of those that go on with each other the last. A teammate's has none. */
function endsOf(turns: readonly TurnRow[]): TurnRow[] {
  const followed = new Set(turns.map(({ follows }) => follows))
  return turns.filter((turn) => turn.kind !== 'ask' && turn.ask === null && !followed.has(turn.id))
}

/** Carried out by Golem itself; any other command of the platform is a question to an agent. */
function isOwnCommand(decision: Decision | null): boolean {
  return decision?.reason === 'command' && decision.verdict === 'keep'
}

/** States that the posts of these turns' answers are in. */
function postsOf(db: Db, turns: readonly TurnRow[]): Set<string> {
  return new Set(
    all<{ state: string }>(
      db.sql(
        `SELECT DISTINCT state FROM outbox WHERE turn IN (SELECT value FROM json_each(?)) AND role = 'answer'`,
      ),
      JSON.stringify(turns.map((turn) => turn.id)),
    ).map(({ state }) => state),
  )
}

/** An agent only asked teammates, and was stopped while it waited for them. */
function isCalledOff(db: Db, turns: readonly TurnRow[]): boolean {
  return (
    one(
      db.sql(
        `SELECT 1 FROM asks WHERE turn IN (SELECT value FROM json_each(?)) AND state = 'cancelled' LIMIT 1`,
      ),
      JSON.stringify(turns.map((turn) => turn.id)),
    ) !== undefined
  )
}

/** One or two sentences that answer "why was this (not) answered?". */
function summarise(
  outcome: Outcome,
  decision: Decision | null,
  turns: readonly TurnView[],
  operations: readonly OperationView[],
): string {
  const stop = decision?.trace.find((gate) => gate.verdict === 'stop')
  const who = [...new Set(turns.filter((turn) => turn.kind !== 'ask').map((turn) => turn.agent))].join(', ')
  const last = turns.at(-1)
  switch (outcome) {
    case 'kept':
      return `Not answered, kept as context. ${stop?.why ?? last?.gates.findLast((gate) => gate.verdict === 'stop')?.why ?? ''}`.trim()
    case 'refused':
      return `Not taken. ${stop?.why ?? ''}`.trim()
    case 'waiting':
      return `Waiting for ${who}. ${whyRun(decision)}`.trim()
    case 'running':
      return `${workOf(who, turns)} ${whyRun(decision)}`.trim()
    case 'sending':
      return `${who} has answered; the answer is being posted.`
    case 'answered':
      return isOwnCommand(decision)
        ? `A command, carried out by Golem itself${operations.some((op) => op.state === 'sent') ? '.' : '; its answer is being posted.'}`
        : `Answered by ${who}${unseen(turns)}. ${whyRun(decision)}`.trim()
    case 'passed':
      return `Read by ${who}, which chose to stay silent${last?.reason ? `: ${last.reason.replace(/\.$/, '')}` : ''}.`
    case 'failed': {
      const failed = turns.find((turn) => turn.state === 'failed' && turn.kind !== 'ask')
      if (failed) return `${who} failed: ${failed.reason ?? 'no reason is known'}`
      const post = turns.flatMap((turn) => turn.operations).find((op) => op.state === 'failed')
      return `${who} has answered, but the answer could not be posted: ${post?.log.at(-1)?.what ?? 'no reason is known'}`
    }
    case 'stopped': {
      const ended = turns.findLast((turn) => turn.state === 'cancelled' && turn.kind !== 'ask')
      const gate = ended?.gates.findLast(({ verdict }) => verdict === 'stop')?.why.replace(/\.$/, '')
      const reason = gate ?? ended?.reason ?? 'stopped'
      return `${who} was stopped${reason === 'stopped' ? ' by the person who asked' : `: ${reason}`}.`
    }
    case 'interrupted':
      return `${who} was interrupted and is not run again by itself${last?.reason ? `: ${last.reason}` : ''}.`
    case 'skipped':
      return stop?.why ?? 'It was not read.'
    case 'said':
      return `Said by ${who || 'an agent'}.`
    case 'read':
      return 'Not heard when it was said, but read back from the chat as context.'
  }
}

/** Some of the answer's posts stand, and some do not. */
function unseen(turns: readonly TurnView[]): string {
  const failed = turns
    .flatMap(({ operations }) => operations)
    .filter(({ role, state }) => role === 'answer' && state === 'failed')
  if (failed.length === 0) return ''
  const what = failed.length === 1 ? 'one post of it' : `${failed.length} posts of it`
  return `, but ${what} could not be posted (${failed[0]?.log.at(-1)?.what ?? 'no reason is known'})`
}

/** Who works: the agent that was asked, or the teammates it waits for. */
function workOf(who: string, turns: readonly TurnView[]): string {
  const waits = turns.find((turn) => turn.questions?.some(({ state }) => state === 'open'))
  if (waits) return `${waits.agent} waits for a person's decision.`
  if (turns.some((turn) => turn.kind !== 'ask' && turn.state === 'running')) return `${who} is working on it.`
  const open = turns.filter(
    ({ kind, state }) => kind === 'ask' && (state === 'queued' || state === 'running'),
  )
  const teammates = [...new Set(open.map((turn) => turn.agent))].join(', ')
  return teammates === '' ? `${who} is working on it.` : `${who} waits for ${teammates}.`
}

function whyRun(decision: Decision | null): string {
  if (!decision) return ''
  const wanted = decision.reason === 'schedule' ? 'schedule' : decision.addressed ? 'addressed' : 'policy'
  return decision.trace.find((gate) => gate.gate === wanted)?.why ?? ''
}
