/** Methods that say how updates reach the bot: https://core.telegram.org/bots/api#getting-updates */
import type { Method } from './bot-state.js'
import { conflict } from './errors.js'
import type { Params } from './params.js'

function allow(api: Parameters<Method>[0], params: Params): void {
  const kinds = params.list('allowed_updates')
  // Not given: as it was.
  if (kinds) api.feed.allow(kinds.map(String))
}

const getUpdates: Method = async (api, params, gone) => {
  if (api.webhook.active) {
    throw conflict(
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    )
  }
  allow(api, params)
  const limit = params.int('limit') ?? 100
  const result = await api.feed.poll({
    offset: params.int('offset') ?? 0,
    limit: limit < 1 || limit > 100 ? 100 : limit,
    timeout: params.int('timeout') ?? 0,
    gone,
  })
  return { result }
}

const setWebhook: Method = (api, params) => {
  const url = params.text('url')
  if (url === '') return deleteWebhook(api, params, new AbortController().signal)
  api.webhook.set({
    url,
    secret: params.text('secret_token'),
    maxConnections: Math.min(100, Math.max(1, params.int('max_connections') ?? 40)),
  })
  allow(api, params)
  api.feed.stopPoll(conflict('terminated by setWebhook request'))
  if (params.flag('drop_pending_updates')) api.feed.deliveries.clear()
  return { result: true, description: 'Webhook was set' }
}

const deleteWebhook: Method = (api, params) => {
  const was = api.webhook.active
  api.webhook.stop()
  if (params.flag('drop_pending_updates')) api.feed.deliveries.clear()
  return { result: true, description: was ? 'Webhook was deleted' : 'Webhook is already deleted' }
}

const getWebhookInfo: Method = (api) => ({ result: api.webhook.info() })

export const UPDATE_METHODS: Readonly<Record<string, Method>> = {
  getUpdates,
  setWebhook,
  deleteWebhook,
  getWebhookInfo,
}
