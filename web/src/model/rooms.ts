/** The rooms of all platforms in one list. */
import type { CoreRoom, LocalRoom } from '../api/wire.js'
import { count } from './time.js'

export interface RoomItem {
  key: string
  /** `local`, `slack`, … */
  platform: string
  title: string
  kind: 'group' | 'dm'
  /** Null: the core has not heard of the room, because nobody has spoken in it. */
  policy: CoreRoom['policy'] | null
  policyNote: string | null
  members: readonly string[]
  running: number
  waiting: number
  quiet: boolean
  archived: boolean
  lastAt: number | null
  preview: string
}

/** A line of Markdown without its marks: for a preview, where a mark that is left over does no harm. */
export const plain = (text: string): string =>
  text
    .replace(/```\w*|[*~`|]+|^[#>\s-]+/gmu, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replace(/\s+/gu, ' ')
    .trim()

export const platformOf = (key: string): string => key.slice(0, Math.max(0, key.search(/[.:]/)))

export function joinRooms(local: readonly LocalRoom[], core: readonly CoreRoom[]): RoomItem[] {
  const byKey = new Map(core.map((room) => [room.key, room]))
  const own = local.map((room): RoomItem => {
    const key = `local:${room.id}`
    const known = byKey.get(key)
    return {
      key,
      platform: 'local',
      title: room.title,
      kind: room.kind,
      policy: known?.policy ?? null,
      policyNote: known?.policyNote ?? null,
      members: known?.members ?? [],
      running: known?.running ?? 0,
      waiting: known?.waiting ?? 0,
      quiet: known?.quiet ?? false,
      archived: room.archived,
      lastAt: room.last?.at ?? null,
      preview: room.last ? `${room.last.author}: ${plain(room.last.excerpt)}` : '',
    }
  })
  const here = new Set(own.map((room) => room.key))
  const others = core
    .filter((room) => !here.has(room.key))
    .map(
      (room): RoomItem => ({
        key: room.key,
        platform: platformOf(room.key),
        title: room.title ?? room.key.slice(room.key.indexOf(':') + 1),
        kind: room.kind,
        policy: room.policy,
        policyNote: room.policyNote,
        members: room.members,
        running: room.running,
        waiting: room.waiting,
        quiet: room.quiet,
        archived: false,
        lastAt: room.lastAt,
        preview: room.messages === 0 ? '' : count(room.messages, 'message'),
      }),
    )
  return [...own.filter((room) => !room.archived), ...others, ...own.filter((room) => room.archived)]
}

const PLATFORMS: Readonly<Record<string, string>> = {
  local: 'Rooms here',
  slack: 'Slack',
  discord: 'Discord',
  telegram: 'Telegram',
  feishu: 'Feishu',
}

export interface RoomGroup {
  title: string
  rooms: readonly RoomItem[]
}

/** The list in sections: local rooms first, then a platform at a time, archived ones last. */
export function groupRooms(rooms: readonly RoomItem[]): RoomGroup[] {
  const groups = new Map<string, RoomItem[]>()
  for (const room of rooms) {
    const title = room.archived ? 'Archived' : (PLATFORMS[room.platform] ?? room.platform)
    groups.set(title, [...(groups.get(title) ?? []), room])
  }
  return [...groups].map(([title, found]) => ({ title, rooms: found }))
}

const POLICIES: Readonly<Record<CoreRoom['policy'], { short: string; long: string }>> = {
  'mention-only': { short: 'mention', long: 'Answers only when it is addressed' },
  smart: { short: 'smart', long: 'Reads every message and answers when it has something to say' },
  always: { short: 'always', long: 'Answers every message' },
}
export const policyLabel = (policy: CoreRoom['policy']): { short: string; long: string } => POLICIES[policy]

/** Rooms whose title or key holds every word of the query; those that begin with it first. */
export function findRooms(rooms: readonly RoomItem[], query: string): RoomItem[] {
  const words = query.toLocaleLowerCase().split(/\s+/u).filter(Boolean)
  const first = words[0] ?? ''
  return rooms
    .filter((room) => {
      const text = `${room.title} ${room.key}`.toLocaleLowerCase()
      return words.every((word) => text.includes(word))
    })
    .sort(
      (a, b) =>
        Number(b.title.toLocaleLowerCase().startsWith(first)) -
          Number(a.title.toLocaleLowerCase().startsWith(first)) || (b.lastAt ?? 0) - (a.lastAt ?? 0),
    )
}
