/** Methods about the app itself: who it is, its sockets, its status line, its windows. */
import type { Fields } from '../text/rich.js'
import { ApiError, channelArg, type Method } from './method.js'

/** https://docs.slack.dev/reference/methods/auth.test */
const authTest: Method = {
  tier: 'none',
  scopes: [],
  token: 'any',
  run({ hub, token }) {
    const { team, bot } = hub.world
    if (token === 'app') return { app_name: bot.realName, app_id: bot.appId }
    return {
      url: `https://${team.domain}.slack.com/`,
      team: team.name,
      user: bot.handle,
      team_id: team.id,
      user_id: bot.id,
      bot_id: bot.botId,
      is_enterprise_install: false,
    }
  },
}

/** https://docs.slack.dev/reference/methods/api.test */
const apiTest: Method = {
  tier: 4,
  scopes: [],
  token: 'any',
  run({ args }) {
    const error = args.text('error')
    if (error !== undefined && error !== '') throw new ApiError(error)
    return {}
  },
}

/**
 * "… is thinking", shown until the app posts in the thread, or for two minutes.
 * https://docs.slack.dev/reference/methods/assistant.threads.setStatus
 */
const setStatus: Method = {
  tier: 3,
  scopes: ['assistant:write', 'chat:write'],
  token: 'bot',
  run(asked) {
    const { hub, args } = asked
    const channel = channelArg(asked, 'channel_id')
    const ts = args.need('thread_ts')
    const status = args.text('status')
    if (status === undefined) throw new ApiError('invalid_arguments')
    if (channel.byTs.get(ts) === undefined) throw new ApiError('invalid_thread_ts')
    hub.statuses.set(`${channel.id}:${ts}`, { text: status, until: hub.clock.now() + 120_000 })
    hub.changes.changed()
    return {}
  },
}

/** https://docs.slack.dev/reference/methods/views.open: within 3 s of the press that gave the `trigger_id`, once. */
const viewsOpen: Method = {
  tier: 4,
  scopes: [],
  token: 'bot',
  effect: true,
  run({ hub, args }) {
    const view = args.json('view', 'invalid_arguments') as Fields | undefined
    const trigger = hub.triggers.get(args.need('trigger_id'))
    if (trigger === undefined) throw new ApiError('invalid_trigger_id')
    if (trigger.isUsed) throw new ApiError('exchanged_trigger_id')
    if (trigger.until < hub.clock.now()) throw new ApiError('expired_trigger_id')
    if (typeof view !== 'object' || typeof view.type !== 'string' || !Array.isArray(view.blocks)) {
      throw new ApiError('invalid_arguments')
    }
    trigger.isUsed = true
    const opened = {
      id: hub.world.ids.next('V'),
      team_id: hub.world.team.id,
      app_id: hub.world.bot.appId,
      bot_id: hub.world.bot.botId,
      ...view,
    }
    hub.views.push({ user: trigger.user, view: opened })
    return { view: opened }
  },
}

export const appMethods: Readonly<Record<string, Method>> = {
  'auth.test': authTest,
  'api.test': apiTest,
  'assistant.threads.setStatus': setStatus,
  'views.open': viewsOpen,
}
