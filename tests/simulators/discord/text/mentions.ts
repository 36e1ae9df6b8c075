/**
 * Whom a message mentions and pages. https://docs.discord.com/developers/resources/message#allowed-mentions-object
 *
 * What stands in code mentions nobody. Nothing else hides a mention: whoever trusts an escape or a zero-width blank to
 * keep a text from paging is to rely on `allowed_mentions`.
 */
import { may, readersOf } from '../permissions.js'
import type { Channel, World } from '../world.js'

export interface Allowed {
  /** Kinds of which all are allowed. */
  parse: ReadonlySet<string>
  users: ReadonlySet<string>
  roles: ReadonlySet<string>
  repliedUser: boolean
}

/** Nothing was said: everything in the text pages, and so does the reply. */
export const ALL_ALLOWED: Allowed = {
  parse: new Set(['users', 'roles', 'everyone']),
  users: new Set(),
  roles: new Set(),
  repliedUser: true,
}

export interface Mentioned {
  mentions: { users: string[]; roles: string[]; everyone: boolean }
  pinged: string[]
}

export function mentionsIn(
  world: World,
  channel: Channel,
  author: string,
  content: string,
  options: { allowed?: Allowed; repliedTo?: string } = {},
): Mentioned {
  const { allowed = ALL_ALLOWED, repliedTo } = options
  const open = withoutCode(content)
  const users = found(open, /<@!?(\d+)>/g).filter(
    (id) => world.users.has(id) && (allowed.parse.has('users') || allowed.users.has(id)),
  )
  const guild = channel.guildId === undefined ? undefined : world.guild(channel.guildId)
  const mayPageAll = guild === undefined || may(world, channel, author, 'MentionEveryone')
  const roles = found(open, /<@&(\d+)>/g).filter(
    (id) => guild?.roles.has(id) === true && (allowed.parse.has('roles') || allowed.roles.has(id)),
  )
  const everyone =
    guild !== undefined && mayPageAll && allowed.parse.has('everyone') && /@(?:everyone|here)/.test(open)
  if (
    repliedTo !== undefined &&
    allowed.repliedUser &&
    world.users.has(repliedTo) &&
    !users.includes(repliedTo)
  )
    users.push(repliedTo)
  const readers = new Set(readersOf(world, channel))
  const pinged = new Set(users)
  for (const id of roles) {
    const role = guild?.roles.get(id)
    if (role === undefined || !(role.mentionable || mayPageAll)) continue
    for (const { user, roles: own } of guild?.members.values() ?? []) if (own.has(id)) pinged.add(user)
  }
  if (everyone) for (const id of readers) pinged.add(id)
  return {
    mentions: { users, roles, everyone },
    pinged: [...pinged].filter((id) => id !== author && readers.has(id)),
  }
}

const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, id = '']) => id)),
]

/** Code blocks and code in a line, blanked. */
const withoutCode = (text: string): string =>
  text.includes('`')
    ? text.replace(/```[\s\S]*?```/g, ' ').replace(/(?<!`)(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, ' ')
    : text
