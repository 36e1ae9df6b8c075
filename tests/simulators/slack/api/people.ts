/** https://docs.slack.dev/reference/methods?family=users and its neighbours: bots, usergroups, team. */
import type { Fields } from '../text/rich.js'
import { userOf } from '../wire.js'
import { ApiError, type Method, page, userArg } from './method.js'

const usersInfo: Method = {
  tier: 4,
  scopes: ['users:read'],
  token: 'bot',
  run: (asked) => ({ user: userOf(asked.hub, userArg(asked)) }),
}

/** People of other workspaces are not among them. */
const usersList: Method = {
  tier: 2,
  scopes: ['users:read'],
  token: 'bot',
  run({ hub, args }) {
    const own = [...hub.world.users.values()].filter(({ team }) => team === hub.world.team.id)
    // Without a limit Slack gives all of them, or `limit_required`.
    const { items, metadata } = page(args, own, 1_000, 1_000)
    return {
      members: items.map((user) => userOf(hub, user)),
      cache_ts: Math.floor(hub.clock.now() / 1000),
      response_metadata: metadata,
    }
  },
}

const usersConversations: Method = {
  tier: 3,
  scopes: ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  token: 'bot',
  run({ hub, args }) {
    const user = args.text('user') ?? hub.world.bot.id
    const types = new Set((args.text('types') ?? 'public_channel').split(','))
    const found = [...hub.world.channels.values()].filter(
      ({ kind, members }) =>
        members.has(user) &&
        types.has(kind === 'channel' ? 'public_channel' : kind === 'group' ? 'private_channel' : kind),
    )
    const { items, metadata } = page(args, found, 100, 999)
    return { channels: items.map(({ id, name }) => ({ id, name })), response_metadata: metadata }
  },
}

const botsInfo: Method = {
  tier: 3,
  scopes: ['users:read'],
  token: 'bot',
  run({ hub, args }) {
    const id = args.need('bot')
    const user = [...hub.world.users.values()].find(({ botId }) => botId === id)
    if (user === undefined) throw new ApiError('bot_not_found')
    return {
      bot: {
        id,
        deleted: false,
        name: user.realName,
        updated: user.updated,
        app_id: user.appId ?? '',
        user_id: user.id,
        icons: {},
      },
    }
  },
}

const usergroupsList: Method = {
  tier: 2,
  scopes: ['usergroups:read'],
  token: 'bot',
  run: ({ hub, args }) => ({
    usergroups: [...hub.world.usergroups.values()].map(
      ({ id, handle, name, users }): Fields => ({
        id,
        team_id: hub.world.team.id,
        is_usergroup: true,
        name,
        handle,
        description: '',
        is_external: false,
        date_delete: 0,
        user_count: users.length,
        ...(args.flag('include_users') && { users }),
      }),
    ),
  }),
}

const teamInfo: Method = {
  tier: 3,
  scopes: ['team:read'],
  token: 'bot',
  run: ({ hub }) => ({ team: { ...hub.world.team, email_domain: '', icon: { image_default: true } } }),
}

export const peopleMethods: Readonly<Record<string, Method>> = {
  'users.info': usersInfo,
  'users.list': usersList,
  'users.conversations': usersConversations,
  'bots.info': botsInfo,
  'usergroups.list': usergroupsList,
  'team.info': teamInfo,
}
