/**
 * What a session is told that was told before: only what is new. A session that goes on holds what it was shown; saying
 * it again costs tokens and buries the question. Left out is only what is proven to be known: lines and parts of the
 * prompt whose very text this session was given.
 */
import type { TurnInput, TurnMessage } from '../../../messaging/engine.js'
import { LASTING_BLOCKS, RECENT_BLOCK } from '../../prompt/prompt.js'
import { hashOf, type SessionRecord } from './book.js'

interface Part {
  /** Null: what stands before the first heading. */
  title: string | null
  lines: string[]
}

const KNOWN =
  '[System: You know this conversation: what you were shown before is not repeated. Parts that are missing here are as you last saw them; a part that is shown replaces the one before.]'
const WAY =
  '[System: You work through a chat. Only your last message, the one after your last tool call, is posted there, in Markdown; what you say before is seen only while you work.]'

/** The prompt in the parts that its headings make. No line of anybody else's can be a heading. */
function partsOf(prompt: string): Part[] {
  const parts: Part[] = [{ title: null, lines: [] }]
  for (const line of prompt.split('\n')) {
    const title = /^--- (.+) ---$/.exec(line)?.[1]
    if (title === undefined) parts.at(-1)?.lines.push(line)
    else parts.push({ title, lines: [] })
  }
  return parts
}

function written(parts: readonly Part[]): string {
  return parts
    .flatMap(({ title, lines }) => (title === null ? lines : [`--- ${title} ---`, ...lines]))
    .join('\n')
}

/** With the rules of this way of working behind the frame's own. */
function ruled(parts: readonly Part[], rules: readonly string[]): Part[] {
  return parts.map((part) => {
    if (part.title !== null) return part
    const at = part.lines.findIndex((line) => !line.startsWith('[System: '))
    const end = at === -1 ? part.lines.length : at
    return { ...part, lines: [...part.lines.slice(0, end), ...rules, ...part.lines.slice(end)] }
  })
}

/** @param own standing instructions of the agent itself, each line marked as set */
export function wholePrompt({ prompt }: TurnInput, own: readonly string[]): string {
  return written(ruled(partsOf(prompt), [WAY, ...own]))
}

/** The prompt for a session that has this record, and was left in order. */
export function deltaPrompt(input: TurnInput, known: SessionRecord, own: readonly string[]): string {
  const parts = partsOf(input.prompt)
  const recent = parts.find(({ title }) => title === RECENT_BLOCK)
  const kept = recent === undefined ? [] : unseen(recent.lines, input, known)
  if (kept === null) return wholePrompt(input, own)
  const shorter = parts.flatMap((part): Part[] => {
    if (part === recent) return kept.length === 0 ? [] : [{ ...part, lines: kept }]
    const isKnown = part.title !== null && known.blocks[part.title] === hashOf(known, part.lines.join('\n'))
    return LASTING_BLOCKS.has(part.title ?? '') && isKnown ? [] : [part]
  })
  const titles = new Set(parts.map(({ title }) => title))
  const gone = Object.keys(known.blocks).filter((title) => !titles.has(title))
  const ended = gone.length === 0 ? [] : [`[System: These parts hold no more: ${gone.join('; ')}.]`]
  return written(ruled(shorter, [WAY, KNOWN, ...ended, ...own]))
}

/**
 * The lines of the earlier conversation that the session has not seen.
 *
 * @returns null when the block's messages and the turn's do not match, which would make a guess of it
 */
function unseen(lines: readonly string[], input: TurnInput, known: SessionRecord): string[] | null {
  const groups: string[][] = []
  for (const line of lines) {
    if (line.startsWith('> [')) groups.push([line])
    else if (line.startsWith('>   ')) groups.at(-1)?.push(line)
    // Golem's own remark on what was left out: the session knows what it was shown.
    else if (!line.startsWith('[')) return null
  }
  const earlier = input.messages.filter((message) => !message.new)
  if (groups.length !== earlier.length) return null
  const seen = new Map(known.lines.map(([id, hash]) => [id, hash]))
  return groups.flatMap((group, index) => {
    const message = earlier[index]
    return message !== undefined && isSeen(message, input, known, seen) ? [] : group
  })
}

function isSeen(
  message: TurnMessage,
  { agent }: TurnInput,
  known: SessionRecord,
  seen: ReadonlyMap<string, string>,
): boolean {
  const hash = hashOf(known, message.text)
  if (seen.get(message.id) === hash) return true
  return message.kind === 'agent' && message.author.name === agent.name && known.answers.includes(hash)
}

/** The record of a session that is shown this. */
export function shown(known: SessionRecord, input: TurnInput, at: number): SessionRecord {
  const lines = new Map(known.lines.map((line) => [line[0], line]))
  for (const { id, text } of input.messages) lines.set(id, [id, hashOf(known, text), at])
  const blocks = partsOf(input.prompt).flatMap(({ title, lines: block }): [string, string][] =>
    title !== null && LASTING_BLOCKS.has(title) ? [[title, hashOf(known, block.join('\n'))]] : [],
  )
  return { ...known, at, proven: false, lines: [...lines.values()], blocks: Object.fromEntries(blocks) }
}
