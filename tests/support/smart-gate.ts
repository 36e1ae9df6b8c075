/**
 * The labelled fixture of the smart gate, and its split: a message belongs to the half that its id's FNV-1a hash says.
 * Rules are made on the `tune` half alone; what is measured is the `test` half.
 */
import { readFileSync } from 'node:fs'
import type { Gate } from '../../src/messaging/decision.js'
import { mentionsOf, parseDoc, withMentions } from '../../src/messaging/doc/index.js'
import type { Agent } from '../../src/messaging/roster.js'
import type { RecentLine } from '../../src/messaging/state.js'
import { decideOn } from './decision.js'
import { agent, policy, T0 } from './policy.js'

export interface Labelled {
  id: string
  language: 'en' | 'zh'
  kind: string
  by: string
  text: string
  /** The quoted message's author. */
  reply?: string
  /** People who are natively mentioned. */
  mentions?: string[]
  /** What was said before, oldest first: who, and what. */
  before?: [string, string][]
  label: 'run' | 'skip'
  agents: readonly Agent[]
  people: readonly string[]
}

interface RoomLine {
  room: string
  language: 'en' | 'zh'
  agents: { name: string; role: string; orchestrator?: boolean }[]
}
type MessageLine = Omit<Labelled, 'language' | 'agents' | 'people'> & { in: string }

export function labelled(): Labelled[] {
  const text = readFileSync(new URL('../fixtures/smart-gate.jsonl', import.meta.url), 'utf8')
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RoomLine | MessageLine)
  const rooms = new Map(lines.flatMap((line) => ('room' in line ? [[line.room, line] as const] : [])))
  const messages = lines.flatMap((line) => ('room' in line ? [] : [line]))
  return messages.map((line) => {
    const room = rooms.get(line.in)
    if (room === undefined) throw new Error(`${line.id}: there is no room ${line.in}`)
    const people = new Set(messages.filter((other) => other.in === line.in).map(({ by }) => by))
    const agents = room.agents.map(({ name, ...more }) => agent(name, more))
    return { ...line, language: room.language, agents, people: [...people] }
  })
}

export const halfOf = (id: string): 'tune' | 'test' => (fnv1a(id) % 2 === 0 ? 'tune' : 'test')

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}

/** What the gate says of a message in its room; its verdict is the first word of its sentence. */
export function gateOn(given: Labelled): { gate: Gate; verdict: 'run' | 'skip' | 'unsure' } {
  const lines = (given.before ?? []).map(
    ([name, text], index, all): RecentLine => ({
      kind: given.agents.some((one) => one.name === name) ? 'agent' : 'person',
      name,
      text,
      at: T0 - (all.length - index) * 60_000,
    }),
  )
  const { decision } = decideOn('', {
    policy: policy({ groupPolicy: 'smart', smartGate: 'local' }, given.agents),
    message: {
      author: { id: given.by, name: given.by, kind: 'person' },
      doc: mentioning(given.text, given.mentions ?? []),
      ...(given.reply === undefined ? {} : { replyTo: { id: 'quoted' } }),
    },
    state: {
      repliedTo: given.reply === undefined ? null : { ours: false, agent: null },
      talk: { lines, people: given.people },
    },
  })
  const gate = decision.trace.find((one) => one.gate === 'smart-gate')
  if (gate === undefined) throw new Error(`${given.id}: the gate was not asked: ${decision.reason}`)
  return { gate, verdict: gate.why.slice(0, gate.why.indexOf(':')) as 'run' | 'skip' | 'unsure' }
}

function mentioning(text: string, people: readonly string[]) {
  const doc = withMentions(parseDoc(text), (plain) =>
    people.flatMap((name) => {
      const start = plain.indexOf(`@${name}`)
      if (start < 0) return []
      return [{ start, end: start + name.length + 1, mention: { target: 'user' as const, id: name, name } }]
    }),
  )
  if (mentionsOf(doc).length !== people.length) throw new Error(`${text}: not everybody is mentioned`)
  return doc
}

export interface Score {
  n: number
  precision: number
  recall: number
  f1: number
}

/** @param runs what is woken for: `unsure` counts as it does in a room, as a run */
export function scoreOf(messages: readonly Labelled[], runs: (message: Labelled) => boolean): Score {
  let [hits, false_, missed] = [0, 0, 0]
  for (const message of messages) {
    const isRun = runs(message)
    if (isRun && message.label === 'run') hits++
    else if (isRun) false_++
    else if (message.label === 'run') missed++
  }
  const share = (part: number, of: number) => (of === 0 ? 0 : Number((part / of).toFixed(3)))
  return {
    n: messages.length,
    precision: share(hits, hits + false_),
    recall: share(hits, hits + missed),
    f1: share(2 * hits, 2 * hits + false_ + missed),
  }
}
