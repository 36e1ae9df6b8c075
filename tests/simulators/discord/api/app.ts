/** The app itself: who it is, where its gateway is, which commands it has. https://docs.discord.com/developers/resources/application */
import type { Gateway } from '../gateway/gateway.js'
import type { Hub } from '../hub.js'
import type { Command } from '../interactions.js'
import { applicationFlags } from '../options.js'
import { userOf } from '../wire.js'
import type { Fields } from '../world.js'
import { apiError, invalid, missing, tooLong } from './errors.js'
import type { Context, Route, Routes } from './route.js'

const MOST_COMMANDS = 100

function application({ hub, interactions }: Context): Fields {
  const { bot } = hub.world
  return {
    id: bot.id,
    name: bot.username,
    icon: null,
    description: '',
    summary: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: applicationFlags(hub.granted),
    hook: true,
    bot: userOf(bot),
    owner: null,
    team: null,
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    event_webhooks_status: 1,
    integration_types_config: { 0: {} },
    approximate_guild_count: hub.world.guilds.size,
    approximate_user_install_count: 0,
    has_commands: interactions.commands.length > 0,
  }
}

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object */
function readCommand(hub: Hub, json: Fields, path: string, guildId: string | undefined): Command {
  const { name, type = 1, description } = json
  if (typeof name !== 'string' || name === '') throw missing(`${path}name`)
  if (name.length > 32) throw tooLong(`${path}name`, 32)
  if (type === 1 && !/^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u.test(name))
    throw invalid(`${path}name`, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid')
  if (type === 1 && name !== name.toLowerCase())
    throw invalid(`${path}name`, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid')
  if (type === 1 && (typeof description !== 'string' || description === ''))
    throw missing(`${path}description`)
  if (typeof description === 'string' && description.length > 100) throw tooLong(`${path}description`, 100)
  return { id: hub.world.nextId(), type: Number(type), name, json, ...(guildId !== undefined && { guildId }) }
}

const commandOf = (hub: Hub, { id, type, name, guildId, json }: Command): Fields => ({
  ...json,
  id,
  application_id: hub.world.bot.id,
  version: id,
  default_member_permissions: json.default_member_permissions ?? null,
  type,
  name,
  description: json.description ?? '',
  dm_permission: guildId === undefined,
  contexts: json.contexts ?? null,
  integration_types: json.integration_types ?? [0],
  nsfw: false,
  ...(guildId !== undefined && { guild_id: guildId }),
})

function checkApp({ hub, path }: Context): string | undefined {
  if (path.app !== hub.world.bot.id) throw apiError(50001)
  if (path.guild !== undefined && !hub.world.guilds.has(path.guild)) throw apiError(50001)
  return path.guild
}

const put = (name: string): Route => ({
  name,
  run: (context) => {
    const { hub, interactions, body } = context
    const guildId = checkApp(context)
    const list = Array.isArray(body.list) ? (body.list as Fields[]) : []
    if (list.length > MOST_COMMANDS) throw tooLong('', MOST_COMMANDS)
    const made = list.map((json, at) => readCommand(hub, json, `${at}.`, guildId))
    const others = interactions.commands.filter((one) => one.guildId !== guildId)
    interactions.commands.splice(0, interactions.commands.length, ...others, ...made)
    return { body: made.map((one) => commandOf(hub, one)), effect: true }
  },
})

const get = (name: string): Route => ({
  name,
  run: (context) => {
    const guildId = checkApp(context)
    const own = context.interactions.commands.filter((one) => one.guildId === guildId)
    return { body: own.map((one) => commandOf(context.hub, one)) }
  },
})

/** One of the same name and type is replaced. */
const post = (name: string): Route => ({
  name,
  run: (context) => {
    const { hub, interactions, body } = context
    const guildId = checkApp(context)
    const made = readCommand(hub, body, '', guildId)
    const { commands } = interactions
    const at = commands.findIndex(
      (one) => one.name === made.name && one.type === made.type && one.guildId === guildId,
    )
    if (at >= 0) commands.splice(at, 1)
    commands.push(made)
    return { status: at >= 0 ? 200 : 201, body: commandOf(hub, made), effect: true }
  },
})

const remove = (name: string): Route => ({
  name,
  run: (context) => {
    checkApp(context)
    const { commands } = context.interactions
    const at = commands.findIndex(({ id }) => id === context.path.command)
    if (at < 0) throw apiError(10063)
    commands.splice(at, 1)
    return { status: 204, effect: true }
  },
})

const C = '/applications/:app/commands'
const G = '/applications/:app/guilds/:guild/commands'

/** @param gateway knows how often the app may still identify */
export function appRoutes(gateway: Gateway): Routes {
  const gatewayUrl = (hub: Hub) => `${hub.url.replace('http:', 'ws:')}/gateway`
  const self: Route = { name: 'getCurrentApplication', run: (context) => ({ body: application(context) }) }
  return {
    'GET /gateway': {
      name: 'getGateway',
      auth: 'none',
      run: ({ hub }) => ({ body: { url: gatewayUrl(hub) } }),
    },
    'GET /gateway/bot': {
      name: 'getGatewayBot',
      run: ({ hub }) => ({
        body: {
          url: gatewayUrl(hub),
          shards: hub.options.shards ?? 1,
          session_start_limit: gateway.startLimit(),
        },
      }),
    },
    'GET /applications/@me': self,
    'GET /oauth2/applications/@me': self,
    [`GET ${C}`]: get('getCommands'),
    [`PUT ${C}`]: put('putCommands'),
    [`POST ${C}`]: post('createCommand'),
    [`DELETE ${C}/:command`]: remove('deleteCommand'),
    [`GET ${G}`]: get('getGuildCommands'),
    [`PUT ${G}`]: put('putGuildCommands'),
    [`POST ${G}`]: post('createGuildCommand'),
    [`DELETE ${G}/:command`]: remove('deleteGuildCommand'),
  }
}
