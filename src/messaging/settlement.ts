/** What the end of a turn is for the store: its outcome, what is posted, what is said about it, who is woken. */
import type { Clock, Logger, Millis } from './ambient.js'
import type { Notice } from './decision.js'
import type { Entry } from './directory.js'
import type { MemberLists } from './member-lists.js'
import { outcomeOf } from './outcome.js'
import { renderAnswer, wakesOf } from './render.js'
import { type Policy, type RoomSettings, roomAgents } from './roster.js'
import type { TurnEnd } from './runner.js'
import type { ClaimedTurn, SettleTurn, TurnOutcome } from './store.js'
import { safeLine, safeName } from './text/index.js'

export interface Ended {
  turn: ClaimedTurn
  end: TurnEnd
  firstEventAt: Millis | null
  settings: RoomSettings
}

interface Parts {
  policy: Policy
  members: MemberLists
  clock: Clock
  log: Logger
}

export async function settlementOf(
  { turn, end, firstEventAt, settings }: Ended,
  entry: Entry | undefined,
  { policy, members, clock, log }: Parts,
): Promise<SettleTurn> {
  const agents = roomAgents(policy, settings)
  const outcome = outcomeOf(
    turn,
    end,
    agents.find((agent) => agent.name === turn.agent)?.effects ?? 'unknown',
  )
  const isStopped =
    outcome.state === 'cancelled' && end.result.kind === 'aborted' && end.result.reason === 'stopped'
  const text =
    end.result.kind === 'answer' ? end.result.text : end.result.kind === 'aborted' ? end.result.partial : ''
  let operations: SettleTurn['operations'] = []
  let wakes: string[] = []
  const isSaid = outcome.state === 'settled' || isStopped
  // A teammate's words go to who asked. Its files go to the chat: who asked cannot hand them on.
  const said = turn.ask === null ? text : ''
  if (isSaid && (turn.ask === null || end.files.length > 0) && entry) {
    try {
      operations = renderAnswer(
        { text: said, agent: turn.agent, place: turn.place, replyTo: turn.replyTo, files: end.files },
        entry.platform,
        await members.for(said, turn, entry),
        settings.reply,
      )
      if (outcome.state === 'settled' && turn.ask === null)
        wakes = wakesOf(text, turn.agent, turn.hop, agents, [turn.agent])
    } catch (error) {
      log.error(
        { turn: turn.id, error: String(error) },
        'the answer could not be rendered; posting it as it is',
      )
      const part = { text: said, body: { text: said }, mentions: [] }
      operations = turn.ask === null ? [{ kind: 'post', place: turn.place, part, agent: turn.agent }] : []
    }
  }
  return {
    turn: turn.id,
    at: clock.now(),
    firstEventAt,
    outcome: turn.ask === null ? outcome : withFiles(outcome, end),
    operations,
    ...(settings.answer === 'edit' && entry?.platform.can.operations.includes('edit')
      ? { inPlace: true }
      : {}),
    notices: noticesOf(turn, end, isStopped),
    wakes,
    shown: end.shown,
    ...(end.usage ? { usage: end.usage } : {}),
    tools: end.tools,
    files: [
      ...end.files.map(({ name }) => (isSaid ? { name } : { name, refused: 'the turn did not end well' })),
      ...end.refused.map(({ name, why }) => ({ name, refused: why })),
    ],
  }
}

/** Who asked is told of a teammate's files: they are in the chat already, or why they are not. */
function withFiles(outcome: TurnOutcome, { files, refused }: TurnEnd): TurnOutcome {
  if (outcome.state !== 'settled') return outcome
  const lines = [
    ...files.map(({ name }) => `[The file ${safeName(name, 'file')} is in the chat.]`),
    ...refused.map(({ name, why }) => `[The file ${safeName(name, 'file')} was not sent: ${safeLine(why)}.]`),
  ]
  return lines.length === 0 ? outcome : { ...outcome, text: [outcome.text, ...lines].join('\n').trim() }
}

/** What is said about a turn that has ended, beside its answer. */
export function noticesOf(turn: ClaimedTurn, end: TurnEnd, isStopped: boolean): Notice[] {
  if (turn.ask !== null) return []
  return [
    ...(isStopped && turn.addressed ? [{ kind: 'stopped', agent: turn.agent } as const] : []),
    ...lost(end.refused),
  ]
}

/** Files that are named in one line at most; the receipt has them all. */
const NAMED = 5

/** One line a reason, however many files an agent tried. */
function lost(refused: TurnEnd['refused']): Notice[] {
  return [...new Set(refused.map(({ why }) => why))].map((why) => {
    const names = [...new Set(refused.filter((file) => file.why === why).map(({ name }) => name))]
    const more = names.length > NAMED ? `, +${names.length - NAMED}` : ''
    return { kind: 'file-lost', name: `${names.slice(0, NAMED).join(', ')}${more}`, why }
  })
}
