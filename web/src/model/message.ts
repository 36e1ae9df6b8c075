/** A message as the page shows it: the same shape for local rooms and for the rooms of other platforms. */
import type { LocalMessage, LocalPerson, Outcome, TranscriptRow } from '../api/wire.js'

export interface Speaker {
  id: string
  name: string
  kind: LocalPerson['kind'] | 'agent'
}

export interface Quote {
  id: string
  author: string
  excerpt: string
  deleted: boolean
}

export interface ChatMessage {
  /** Native id, unique in its room. */
  id: string
  /** Grows with every message of the room. */
  number: number
  /** How the core names it: `chatKey:nativeId`. */
  reference: string
  author: Speaker
  /** The agent that spoke, when the bot did. */
  agent: string | null
  text: string
  at: number
  editedAt: number | null
  deleted: boolean
  /** Root message of the thread it stands in. */
  thread: string | null
  replyTo: Quote | null
  reactions: readonly { emoji: string; people: readonly { id: string; name: string }[] }[]
  buttons: readonly { label: string; value: string; style: 'default' | 'primary' | 'danger' }[]
  files: readonly { id: string; name: string; mime: string; bytes: number }[]
  /** A status post or a notice: said without a notification, shown quieter. */
  silent: boolean
  /** Known where the core told it; local messages learn theirs from their receipt. */
  outcome: Outcome | null
}

/** A message of the local platform. */
export function fromLocal(view: LocalMessage): ChatMessage {
  return {
    id: view.id,
    number: Number(view.id),
    reference: `local:${view.room}:${view.id}`,
    author: view.author,
    agent: view.agent ?? null,
    text: view.text,
    at: view.at,
    editedAt: view.edited ?? null,
    deleted: view.deleted,
    thread: view.thread ?? null,
    replyTo: view.replyTo
      ? {
          id: view.replyTo.id,
          author: view.replyTo.author.name,
          excerpt: view.replyTo.excerpt,
          deleted: view.replyTo.deleted,
        }
      : null,
    reactions: view.reactions,
    buttons: view.buttons.map((button) => ({ ...button, style: button.style ?? 'default' })),
    files: view.files,
    silent: view.silent,
    outcome: null,
  }
}

/**
 * Messages of the core's transcript. They name the message they reply to by id only: its excerpt is found among the
 * others, where it is there.
 */
export function fromTranscript(rows: readonly TranscriptRow[]): ChatMessage[] {
  const byNative = new Map(rows.map((row) => [row.native, row]))
  return rows.map((row) => {
    const quoted = row.replyTo === null ? undefined : byNative.get(row.replyTo)
    return {
      id: row.native ?? `g${row.id}`,
      number: row.id,
      reference: row.native === null ? String(row.id) : row.reference,
      author: row.author,
      agent: row.author.kind === 'agent' ? row.author.name : null,
      text: row.text ?? '',
      at: row.at,
      editedAt: row.editedAt,
      deleted: row.deletedAt !== null || row.text === null,
      thread: row.thread,
      replyTo:
        row.replyTo === null
          ? null
          : {
              id: row.replyTo,
              author: quoted?.author.name ?? '',
              excerpt: quoted?.text ?? '',
              deleted: quoted !== undefined && quoted.deletedAt !== null,
            },
      reactions: [],
      buttons: [],
      files: [],
      silent: row.kind === 'notice',
      outcome: row.outcome,
    }
  })
}

/** The name above a message: the agent's own, where one spoke through the bot. */
export function shownName(message: ChatMessage): string {
  return message.agent ?? message.author.name
}

/** Did Golem say it? */
export function isGolem(message: ChatMessage): boolean {
  return message.author.kind === 'self' || message.author.kind === 'agent'
}

/** Lines of one speaker within this time stand under one name. */
const GROUP = 5 * 60_000

/** Does `message` stand under the same name as the one before it? */
export function continues(before: ChatMessage | undefined, message: ChatMessage): boolean {
  return (
    before !== undefined &&
    before.author.id === message.author.id &&
    shownName(before) === shownName(message) &&
    message.replyTo === null &&
    !before.deleted &&
    message.at - before.at < GROUP
  )
}
