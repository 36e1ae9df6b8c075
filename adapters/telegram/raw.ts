/**
 * Updates as the Bot API sends them, and what the connection adds before they are read. Everything from outside is
 * `unknown` until one of the readers below has looked at it: a payload that lies about its shape reads as one that lacks
 * the field.
 */
import type { Millis } from '../../src/messaging/contract.js'

/** A JSON object of unknown content. */
export type Dict = Readonly<Record<string, unknown>>

/** What Telegram does not say in the update itself. */
export interface Added {
  /** When it arrived. A button press carries no time of its own. */
  at?: Millis
  /** The one change of a reaction update that this event is about. */
  reaction?: { emoji: string; added: boolean }
  /** People who are mentioned by user name and were met before, by their user name in lower case. */
  people?: Readonly<Record<string, { id: string; name: string }>>
}

/** One event: an `Update` (core.telegram.org/bots/api#update) with `golem` added. */
export type TelegramRaw = Dict & { readonly golem?: Added }

export function dict(value: unknown): Dict | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Dict) : undefined
}

export function dicts(value: unknown): Dict[] {
  return Array.isArray(value)
    ? value
        .slice(0, 1_000)
        .map(dict)
        .filter((item) => item !== undefined)
    : []
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Text that is one word: it may stand in the name of an event. */
export function word(value: unknown): string | undefined {
  const found = text(value)
  return found !== undefined && /^\S+$/u.test(found) ? found : undefined
}

export function int(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

/** A native id as the core keeps it. */
export function id(value: unknown): string | undefined {
  const number = int(value)
  return number === undefined || number === 0 ? undefined : String(number)
}

/** Unix seconds as milliseconds. */
export function millis(value: unknown): Millis | undefined {
  const seconds = int(value)
  return seconds === undefined || seconds < 0 || seconds > 1e11 ? undefined : seconds * 1_000
}

/** The events in an update: one, but for a reaction update, which tells what stood before and what stands now. */
export function eventsOf(update: Dict): TelegramRaw[] {
  const changes = reactionsOf(dict(update.message_reaction) ?? {})
  return changes.length === 0 ? [update] : changes.map((reaction) => ({ ...update, golem: { reaction } }))
}

/** What was set by a reaction update, and what was taken back. */
export function reactionsOf(change: Dict): { emoji: string; added: boolean }[] {
  const before = emojis(change.old_reaction)
  const after = emojis(change.new_reaction)
  return [
    ...before.filter((emoji) => !after.includes(emoji)).map((emoji) => ({ emoji, added: false })),
    ...after.filter((emoji) => !before.includes(emoji)).map((emoji) => ({ emoji, added: true })),
  ]
}

function emojis(value: unknown): string[] {
  return dicts(value).flatMap((reaction) => {
    if (reaction.type === 'custom_emoji') return word(reaction.custom_emoji_id) ?? []
    if (reaction.type === 'paid') return '⭐'
    return word(reaction.emoji) ?? []
  })
}
