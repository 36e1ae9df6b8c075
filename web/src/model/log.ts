/**
 * What the page knows of one room's messages: an unbroken run up to now. Pages and live events may come in any order
 * and more than once; the result is the same.
 */
import { type ChatMessage, isGolem } from './message.js'

export interface RoomLog {
  /** Oldest first. */
  messages: readonly ChatMessage[]
  /** There are older ones that were not asked for yet. */
  more: boolean
}

export const EMPTY: RoomLog = { messages: [], more: false }

const before = (a: ChatMessage, b: ChatMessage): boolean => a.number < b.number

/** Puts a message in its place, or replaces what was known of it. */
export function put(log: RoomLog, message: ChatMessage): RoomLog {
  const known = log.messages.findIndex((one) => one.id === message.id)
  if (known >= 0) return { ...log, messages: log.messages.with(known, message) }
  let at = log.messages.length
  while (at > 0) {
    const one = log.messages[at - 1]
    if (one === undefined || before(one, message)) break
    at--
  }
  return { ...log, messages: log.messages.toSpliced(at, 0, message) }
}

/** Takes a live change. One that is older than the run and unknown is left for the page that will bring it. */
export function take(log: RoomLog, message: ChatMessage): RoomLog {
  const first = log.messages[0]
  const known = log.messages.some((one) => one.id === message.id)
  if (!known && log.more && first !== undefined && before(message, first)) return log
  return put(log, message)
}

/** Adds an older page in front. */
export function prepend(log: RoomLog, page: readonly ChatMessage[], more: boolean): RoomLog {
  const known = new Set(log.messages.map((one) => one.id))
  return { messages: [...page.filter((one) => !known.has(one.id)), ...log.messages], more }
}

/** A status post that has done its work leaves no trace; what somebody said and took back does. */
const isGone = (message: ChatMessage): boolean => message.deleted && message.silent && isGolem(message)

/** Messages said in the chat itself, not in a thread. */
export function mainLine(log: RoomLog): readonly ChatMessage[] {
  const known = new Set(log.messages.map((one) => one.id))
  // A thread whose root is not here would be unreachable: its messages then stand in the main line.
  return log.messages.filter((one) => !isGone(one) && (one.thread === null || !known.has(one.thread)))
}

/** The root of a thread and what was said in it. */
export function threadLine(log: RoomLog, root: string): readonly ChatMessage[] {
  return log.messages.filter((one) => !isGone(one) && (one.id === root || one.thread === root))
}

export interface ThreadSummary {
  replies: number
  lastAt: number
  names: readonly string[]
}

/** Threads of a run, by root message. */
export function threads(log: RoomLog): ReadonlyMap<string, ThreadSummary> {
  const found = new Map<string, ThreadSummary>()
  for (const message of log.messages) {
    if (message.thread === null || message.deleted) continue
    const name = message.agent ?? message.author.name
    const summary = found.get(message.thread)
    found.set(message.thread, {
      replies: (summary?.replies ?? 0) + 1,
      lastAt: message.at,
      names: [...new Set([...(summary?.names ?? []), name])],
    })
  }
  return found
}
