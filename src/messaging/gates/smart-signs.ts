/** What can be seen of a message without a model. Pure; nobody's words leave it. */
import type { Millis } from '../contract.js'
import type { Agent } from '../roster.js'
import type { RecentLine, Talk } from '../state.js'
import { fit as fitOf } from '../text/score.js'
import { correct } from './smart-typos.js'
import {
  CLOSING,
  NOTICE,
  QUESTION,
  REQUEST,
  RHETORICAL,
  SETTLED,
  SOCIAL,
  some,
  TROUBLE,
} from './smart-words.js'

/** Above this share of fitting words a message is in an agent's field. */
const IN_FIELD = 0.3
/** Characters read of each end of a text. */
const READ = 1_000
/** A talk goes on for so long after its last line. */
const GOES_ON: Millis = 10 * 60_000

export interface Signs {
  /** Nothing but code, links, quotes, numbers and marks. */
  bare: boolean
  question: boolean
  rhetorical: boolean
  request: boolean
  trouble: boolean
  closing: boolean
  /** Trouble is over, or somebody takes care of it. */
  settled: boolean
  social: boolean
  notice: boolean
  /** It begins or ends with a person's name, as one calls somebody. */
  calls: boolean
  /** The agent in whose field it is. */
  field: string | null
  /** An agent spoke last, just now, and to this person or to nobody. */
  afterAgent: boolean
  /** Another person asked last: this may be the answer. */
  afterQuestion: boolean
}

export function signsOf(
  text: string,
  author: string,
  at: Millis,
  agents: readonly Agent[],
  talk: Talk = { lines: [], people: [] },
): Signs {
  const words = correct(wordsOf(bounded(text)))
  const last = lastLine(talk, at)
  const field = agents
    .filter((agent) => !agent.orchestrator)
    .map((agent) => ({ agent: agent.name, score: fitOf(words, [agent.name, agent.role, ...agent.skills]) }))
    .reduce((best, next) => (next.score > best.score ? next : best), { agent: '', score: 0 })
  return {
    bare: !/\p{L}{2}|\p{Script=Han}/u.test(words),
    // Code and links may be what is asked about.
    question: sentences(words).some((one) => some(QUESTION, one)),
    rhetorical: some(RHETORICAL, words),
    request: some(REQUEST, words),
    trouble: some(TROUBLE, words),
    closing: some(CLOSING, words),
    settled: some(SETTLED, words),
    social: some(SOCIAL, words),
    notice: some(NOTICE, words),
    calls: calls(words, author, agents, talk.people),
    field: field.score >= IN_FIELD ? field.agent : null,
    afterAgent: last?.kind === 'agent' && [undefined, author].includes(before(talk)),
    afterQuestion:
      last?.kind === 'person' && last.name !== author && some(QUESTION, wordsOf(bounded(last.text))),
  }
}

function lastLine({ lines }: Talk, at: Millis): RecentLine | undefined {
  const last = lines.at(-1)
  return last !== undefined && at - last.at <= GOES_ON ? last : undefined
}

/** The person who spoke before the last line. */
function before({ lines }: Talk): string | undefined {
  const line = lines.at(-2)
  return line?.kind === 'person' ? line.name : undefined
}

/** What is meant stands at a long text's beginning or its end. */
function bounded(text: string): string {
  return text.length <= 2 * READ ? text : `${text.slice(0, READ)}\n${text.slice(-READ)}`
}

/** Without code, quotes, links, and what stands in brackets for a picture. */
function wordsOf(text: string): string {
  return text
    .replace(/```[\s\S]*?(?:```|$)|`[^`\n]*`/gu, ' ')
    .replace(/^>.*$/gmu, ' ')
    .replace(/https?:\/\/\S+/giu, ' ')
    .replace(/^\s*[[［][^\]］]*[\]］]\s*$/gmu, ' ')
    .trim()
}

function sentences(words: string): string[] {
  return words
    .split(/(?<=[.!?。！？…])\s+|(?<=[。！？])|\n+|，(?=[^，]*$)/u)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** `Bob, did you …`, `Eve are you …`, `…, Bob?`, `小安，…`. The names of agents address them and are read elsewhere. */
function calls(words: string, author: string, agents: readonly Agent[], people: readonly string[]): boolean {
  const text = words.normalize('NFC').toLowerCase()
  const borne = new Set(agents.flatMap((agent) => [agent.name, ...agent.aliases]).map(fold))
  if (/\byou (?:two|both|guys)\b|你们[俩两]/u.test(text)) return true
  return people.some((person) => {
    const name = fold(person)
    if (name.length < 2 || borne.has(name) || name === fold(author)) return false
    const rest = text.startsWith(name) ? text.slice(name.length) : null
    if (
      rest !== null &&
      /^\s*[,，:：、]|^\s+(?:are|can|could|did|do|will|would|have|is|please|you)\b|^[你您]/u.test(rest)
    )
      return true
    return new RegExp(`[,，]\\s*${name.replace(/[^\p{L}\p{N}]/gu, '\\$&')}\\s*[?？!！.。]*$`, 'u').test(text)
  })
}

const fold = (name: string): string => name.trim().normalize('NFC').toLowerCase()
