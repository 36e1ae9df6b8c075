/** The ledger of tokens: sums by conversation, agent and day (UTC), kept with each turn's end. */
import type { Usage } from '../messaging/store.js'
import { all, type Db, one, type Room } from './db.js'
import type { TurnRow } from './rows.js'

const DAY = 86_400_000

export interface UsageSum {
  turns: number
  inputTokens: number
  outputTokens: number
  cachedTokens: number
  costUsd: number
}

const NONE: UsageSum = { turns: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0 }

const SUM = `coalesce(sum(turns), 0) AS turns, coalesce(sum(input), 0) AS inputTokens,
  coalesce(sum(output), 0) AS outputTokens, coalesce(sum(cached), 0) AS cachedTokens, coalesce(sum(cost), 0) AS costUsd`

/** What a run has used counts, whatever became of it. */
export function noteUsage(
  db: Db,
  turn: Pick<TurnRow, 'conversation' | 'chat' | 'agent'>,
  usage: Usage,
  at: number,
): void {
  db.sql(
    `INSERT INTO usage_days (day, conversation, chat, agent, turns, input, output, cached, cost)
     VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?)
     ON CONFLICT (day, conversation, agent) DO UPDATE SET turns = turns + 1, input = input + excluded.input,
       output = output + excluded.output, cached = cached + excluded.cached, cost = cost + excluded.cost`,
  ).run(
    dayOf(at),
    turn.conversation,
    turn.chat,
    turn.agent,
    whole(usage.inputTokens),
    whole(usage.outputTokens),
    whole(usage.cachedTokens ?? 0),
    Number.isFinite(usage.costUsd) ? Math.max(0, usage.costUsd ?? 0) : 0,
  )
}

/** A program may say anything. */
function whole(tokens: number): number {
  return Number.isFinite(tokens) ? Math.min(Math.max(0, Math.round(tokens)), 1e12) : 0
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** A conversation's since a day. */
function usageSince(db: Db, conversation: string, day: string): UsageSum {
  const row = one<UsageSum>(
    db.sql(`SELECT ${SUM} FROM usage_days WHERE conversation = ? AND day >= ?`),
    conversation,
    day,
  )
  return row ?? NONE
}

/** The last 30 days by the machine's own clock, of all conversations. */
export function usageOfMonth(db: Db): UsageSum {
  const row = one<UsageSum>(db.sql(`SELECT ${SUM} FROM usage_days WHERE day >= date('now', '-29 days')`))
  return row ?? NONE
}

/** `/usage`: what this conversation has cost, by agent, and today. */
export function usageCommand(room: Room, conversation: string, now: number): string {
  const zh = room.policy.language === 'zh'
  const agents = all<UsageSum & { agent: string }>(
    room.sql(
      `SELECT agent, ${SUM} FROM usage_days WHERE conversation = ? AND day >= ? GROUP BY agent ORDER BY agent`,
    ),
    conversation,
    dayOf(now - 29 * DAY),
  )
  if (agents.length === 0)
    return zh
      ? '最近 30 天，这里没有成员报告过 token 用量。'
      : 'No agent has reported tokens here in the last 30 days.'
  const today = usageSince(room, conversation, dayOf(now))
  return [
    zh ? '最近 30 天，此处：' : 'Here, in the last 30 days:',
    ...agents.map((sum) => `- **${sum.agent}**: ${showUsage(sum, zh)}`),
    `${zh ? '今天：' : 'Today: '}${showUsage(today, zh)}`,
  ].join('\n')
}

function showUsage(
  { turns, inputTokens, outputTokens, cachedTokens, costUsd }: UsageSum,
  zh: boolean,
): string {
  const n = (count: number): string => count.toLocaleString('en-US')
  const cached = cachedTokens === 0 ? '' : zh ? `（缓存 ${n(cachedTokens)}）` : ` (${n(cachedTokens)} cached)`
  const cost = costUsd === 0 ? '' : `, $${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`
  return zh
    ? `${n(turns)} 次，输入 ${n(inputTokens)}${cached}，输出 ${n(outputTokens)}${cost}`
    : `${n(turns)} ${turns === 1 ? 'turn' : 'turns'}, ${n(inputTokens)} tokens in${cached}, ${n(outputTokens)} out${cost}`
}
