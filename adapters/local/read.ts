/** A raw event of the local chat server -> what the core reads. Pure; what it does not know is `Skipped`. */
import {
  type Author,
  type BotIdentity,
  type Doc,
  type Inbound,
  type InboundMessage,
  parseDoc,
  plainText,
  type Skipped,
} from '../../src/messaging/contract.js'
import { nameMentions } from './mentions.js'
import { type LocalRaw, localRaw, type RawPerson } from './raw.js'

/** `/word` or `/word@bot` at the very start. A path such as `/etc/hosts` is no command. */
const COMMAND = /^\/([\p{L}\p{N}][\p{L}\p{N}_-]{0,31})(?:@([^\s@]{1,64}))?(?=\s|$)/u

export function read(raw: LocalRaw, self: BotIdentity): Inbound | Skipped {
  try {
    const parsed = localRaw.safeParse(raw)
    if (!parsed.success) return unknownShape(raw)
    return readKnown(parsed.data, self)
  } catch (error) {
    const detail = error instanceof Error ? error.message.slice(0, 200) : 'unreadable'
    return { kind: 'skipped', reason: 'malformed', detail, at: 0 }
  }
}

function readKnown(raw: LocalRaw, self: BotIdentity): Inbound | Skipped {
  const common = {
    event: raw.event,
    at: raw.at,
    place: { chat: raw.room.id, ...(raw.thread !== undefined && { thread: raw.thread }) },
    author: authorOf(raw.author, self),
  }
  switch (raw.type) {
    case 'message': {
      const files = raw.files ?? []
      if (raw.text.trim() === '' && files.length === 0) {
        const { event, at, place } = common
        return { kind: 'skipped', reason: 'no-content', event, at, place }
      }
      const message: InboundMessage = {
        ...common,
        kind: 'message',
        id: raw.id,
        chat: { kind: raw.room.kind, title: raw.room.title },
        doc: docOf(raw.text, raw.mentions),
      }
      if (files.length > 0) {
        message.files = files.map(({ id, name, mime, bytes }) => ({
          id,
          name,
          ...(mime !== undefined && { mime }),
          ...(bytes !== undefined && { bytes }),
        }))
      }
      if (raw.replyTo !== undefined) {
        const { id, author, text } = raw.replyTo
        message.replyTo = {
          id,
          ...(author !== undefined && { author: authorOf(author, self) }),
          ...(text !== undefined && { text: plainText(parseDoc(text)) }),
        }
      }
      const command = COMMAND.exec(raw.text.trimStart())
      if (command?.[1] !== undefined) {
        message.command = {
          name: command[1].toLowerCase(),
          ...(command[2] !== undefined && { target: command[2] }),
        }
      }
      return message
    }
    case 'edit':
      return { ...common, kind: 'edit', id: raw.id, doc: docOf(raw.text, raw.mentions) }
    case 'delete':
      return { ...common, kind: 'delete', id: raw.id }
    case 'reaction':
      return { ...common, kind: 'reaction', id: raw.id, emoji: raw.emoji, added: raw.added }
    case 'press':
      return { ...common, kind: 'press', id: raw.id, value: raw.value }
    case 'room':
      return { ...common, kind: 'change', title: raw.room.title }
  }
}

function docOf(text: string, mentions: Parameters<typeof nameMentions>[1] = []): Doc {
  return nameMentions(parseDoc(text), mentions)
}

function authorOf({ id, name, kind }: RawPerson, self: BotIdentity): Author {
  return { id, name, kind: id === self.id ? 'self' : (kind ?? 'person') }
}

/** What can be told of an event nobody knows: enough for a receipt. */
function unknownShape(raw: unknown): Skipped {
  const fields = typeof raw === 'object' && raw !== null ? Object.entries(raw).slice(0, 50) : []
  const known = new Map<string, unknown>(fields)
  const type = known.get('type')
  const event = known.get('event')
  const at = known.get('at')
  const isKind = typeof type === 'string' && /^[a-z-]{1,40}$/.test(type)
  return {
    kind: 'skipped',
    reason: isKind && !KNOWN_TYPES.has(type) ? 'unsupported-kind' : 'malformed',
    ...(isKind && { detail: `type ${type}` }),
    ...(typeof event === 'string' && event !== '' && event.length <= 200 && { event }),
    at: typeof at === 'number' && Number.isFinite(at) ? at : 0,
  }
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(['message', 'edit', 'delete', 'reaction', 'press', 'room'])
