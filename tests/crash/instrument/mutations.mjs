/**
 * Faults put into the daemon on purpose, one at a time: a matrix that stays green with one of them shows nothing.
 *
 * GOLEM_CRASH_MUTATION  which one
 */
import { appendFileSync } from 'node:fs'

const chosen = process.env.GOLEM_CRASH_MUTATION
const log = process.env.GOLEM_CRASH_MUTATED

/** @type {Record<string, readonly (readonly [RegExp, string])[]>} */
const SQL = {
  /** Commits that no disk has when they return. */
  'synchronous=OFF': [[/^synchronous = FULL$/, 'synchronous = OFF']],
  /** A process that died while it sent remembers nothing of it. */
  'no sending mark': [[/ambiguous = ambiguous \+ 1,/, 'ambiguous = ambiguous,']],
  /** What is delivered again is new again: neither the event nor its message is known. */
  'no dedupe key': [
    [/FROM events WHERE key = \?/, 'FROM events WHERE key = ? AND 0'],
    [/INSERT INTO events/, 'INSERT OR REPLACE INTO events'],
    [/UNIQUE INDEX messages_native/, 'INDEX messages_native'],
    [
      /FROM messages WHERE chat = \? AND native = \?/,
      "FROM messages WHERE chat = ? AND native = ? AND kind <> 'person'",
    ],
  ],
}

/** The statement as the chosen fault has it. */
export function mutated(sql) {
  let text = sql
  for (const [index, [pattern, replacement]] of (SQL[chosen] ?? []).entries()) {
    const next = text.replace(pattern, replacement)
    if (next !== text) applied(index)
    text = next
  }
  return text
}

/** How long the hasty daemon takes to store what it has acknowledged, in milliseconds. */
const LATE = 400

/** Says that an event is durable before it is. */
export function hastyAccept(accept) {
  if (chosen !== 'acknowledge before commit') return accept
  return async (event) => {
    applied(0)
    setTimeout(() => void accept(event), LATE)
    return 'new'
  }
}

/** A mutation that no longer finds its place in the daemon must not pass for one that was noticed. */
function applied(index) {
  if (log) appendFileSync(log, `${index}\n`)
}
