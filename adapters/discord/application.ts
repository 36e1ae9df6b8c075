/** What the bot is and may hear: asked before the gateway is, so that a missing intent degrades instead of fails. */
import { type BotIdentity, ConnectFailure } from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import { CallFailed } from './failures.js'
import { type fields, hasFlag, snowflake, text } from './shape.js'

/** https://docs.discord.com/developers/events/gateway#list-of-intents */
export const INTENT = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildMessages: 1 << 9,
  guildMessageReactions: 1 << 10,
  directMessages: 1 << 12,
  directMessageReactions: 1 << 13,
  messageContent: 1 << 15,
} as const

const ALWAYS =
  INTENT.guilds |
  INTENT.guildMessages |
  INTENT.guildMessageReactions |
  INTENT.directMessages |
  INTENT.directMessageReactions

/**
 * Switches of the developer portal, for apps of any size.
 * https://docs.discord.com/developers/resources/application#application-object-application-flags
 */
const MEMBERS_FLAGS = (1 << 14) | (1 << 15)
const CONTENT_FLAGS = (1 << 18) | (1 << 19)

export interface Me {
  self: BotIdentity
  application: string
  /** What may be asked for. */
  intents: number
}

/** @throws ConnectFailure, CallFailed */
export async function identify(api: Api): Promise<Me> {
  const user = await api.get(['users', '@me'])
  const id = snowflake(user.id)
  if (id === undefined) throw new CallFailed('unanswered', 'GET users/@me', 'the answer names nobody')
  if (user.bot !== true)
    throw new ConnectFailure(
      'Discord refused: the token is a person’s, not a bot’s.',
      'Open the app at discord.com/developers/applications, choose "Bot", press "Reset Token", and set that token as botToken.',
    )
  const username = text(user.username) ?? id
  const name = text(user.global_name) ?? username
  const { application, intents } = await granted(api)
  return { self: { id, name, aliases: [username] }, application: application ?? id, intents }
}

/** Intents that are switched on. What cannot be asked for is hoped for. */
export async function granted(api: Api): Promise<{ application?: string; intents: number }> {
  const all = ALWAYS | INTENT.guildMembers | INTENT.messageContent
  let about: ReturnType<typeof fields>
  try {
    about = await api.get(['applications', '@me'])
  } catch (error) {
    if (error instanceof CallFailed && error.kind === 'refused' && error.details.status !== 401)
      return { intents: all }
    throw error
  }
  const id = snowflake(about.id)
  const intents =
    typeof about.flags === 'number'
      ? ALWAYS |
        (hasFlag(about.flags, MEMBERS_FLAGS) ? INTENT.guildMembers : 0) |
        (hasFlag(about.flags, CONTENT_FLAGS) ? INTENT.messageContent : 0)
      : all
  return { ...(id !== undefined && { application: id }), intents }
}

const PORTAL =
  'open the app at discord.com/developers/applications, choose "Bot", switch it on under "Privileged Gateway Intents", and restart Golem'

/** What is missing, in words for people; undefined where nothing is. */
export function noteOn(intents: number): string | undefined {
  const notes = [
    ...(hasFlag(intents, INTENT.messageContent)
      ? []
      : [
          `Without the "Message Content Intent" the bot reads only what mentions it, replies to it or is written to it directly: ${PORTAL}.`,
        ]),
    ...(hasFlag(intents, INTENT.guildMembers)
      ? []
      : [
          `Without the "Server Members Intent" only people who have spoken can be mentioned by name, all other names stay text: ${PORTAL}.`,
        ]),
  ]
  return notes.length === 0 ? undefined : notes.join(' ')
}
