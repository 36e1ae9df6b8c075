/**
 * Messages on their way: shown at once, taken away when the daemon has them, kept with Try again when it has not.
 * Each carries a key of its own, so that trying again never says anything twice.
 */
import { sentence } from '../api/http.js'
import { say } from '../api/local.js'
import type { Quote } from '../model/message.js'
import type { Person } from './speaker.js'
import { store } from './store.js'
import { complain } from './toasts.js'
import type { Uploaded } from './uploads.js'

export interface Outgoing {
  key: string
  room: string
  author: Person
  text: string
  mentions: readonly { id: string; name: string }[]
  thread: string | null
  replyTo: Quote | null
  /** Perhaps still being uploaded. */
  files: readonly { name: string; uploaded: Uploaded }[]
  at: number
  /** Null while it is being sent. */
  failed: string | null
}

/** Makes the page show a message that the daemon has. */
export type Arrived = (room: string, id: string) => Promise<void>

export const outgoing = store<readonly Outgoing[]>([])

let counter = 0
/** Unique over pages and reloads; `crypto.randomUUID` is missing on plain-HTTP hosts. */
function newKey(): string {
  const random = [...crypto.getRandomValues(new Uint32Array(3))].map((n) => n.toString(36)).join('')
  counter++
  return `web-${Date.now().toString(36)}-${counter.toString(36)}-${random}`
}

function change(key: string, to: Partial<Outgoing> | null): void {
  outgoing.set((old) =>
    to === null
      ? old.filter((one) => one.key !== key)
      : old.map((one) => (one.key === key ? { ...one, ...to } : one)),
  )
}

async function attempt(one: Outgoing, arrived: Arrived): Promise<void> {
  change(one.key, { failed: null })
  try {
    const files = await Promise.all(one.files.map(({ uploaded }) => uploaded()))
    const { id, late } = await say(one.room, {
      key: one.key,
      author: one.author,
      text: one.text,
      mentions: one.mentions,
      thread: one.thread,
      replyTo: one.replyTo?.id ?? null,
      files: files.map(({ id }) => id),
    })
    if (late !== null) complain('Your message is stored and waits', new Error(late))
    await arrived(one.room, id)
    change(one.key, null)
  } catch (error) {
    change(one.key, { failed: sentence(error) })
  }
}

// One line at a time: two quick messages must arrive in the order in which they were typed.
let line: Promise<void> = Promise.resolve()

export function send(draft: Omit<Outgoing, 'key' | 'at' | 'failed'>, arrived: Arrived): void {
  const one: Outgoing = { ...draft, key: newKey(), at: Date.now(), failed: null }
  outgoing.set((old) => [...old, one])
  line = line.then(() => attempt(one, arrived))
}

export function tryAgain(key: string, arrived: Arrived): void {
  const one = outgoing.get().find((each) => each.key === key)
  if (one) line = line.then(() => attempt(one, arrived))
}

export function discard(key: string): void {
  change(key, null)
}
