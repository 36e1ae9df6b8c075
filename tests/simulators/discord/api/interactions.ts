/** Answers to commands and buttons. https://docs.discord.com/developers/interactions/receiving-and-responding */

import type { Hub } from '../hub.js'
import { messageOf } from '../wire.js'
import type { Fields, Message } from '../world.js'
import { readContent } from './content.js'
import { apiError } from './errors.js'
import type { Context, Route, Routes } from './route.js'

const shown = (hub: Hub, message: Message): Fields => ({
  ...messageOf(hub, message),
  webhook_id: hub.world.bot.id,
  application_id: hub.world.bot.id,
})

const callback: Route = {
  name: 'createInteractionResponse',
  auth: 'none',
  run: ({ hub, interactions, path, query, body, files }) => {
    const data = (body.data ?? {}) as Fields
    const { id = '', token = '' } = path
    const message = interactions.answer(id, token, body.type, () => readContent(hub, data, files), data)
    if (query.get('with_response') !== 'true') return { status: 204, effect: true }
    return {
      body: {
        interaction: {
          id,
          type: body.type,
          ...(message !== null && {
            response_message_id: message.id,
            response_message_loading: message.loading === true,
            response_message_ephemeral: message.onlyFor !== undefined,
          }),
        },
        resource: { type: body.type, ...(message !== null && { message: shown(hub, message) }) },
      },
      effect: true,
    }
  },
}

/** The webhook of an interaction is that of the app itself. @throws ApiError */
function tokenOf({ hub, path }: Context): string {
  if (path.app !== hub.world.bot.id) throw apiError(10015)
  return path.token ?? ''
}

const followUp: Route = {
  name: 'createFollowup',
  auth: 'none',
  run: (context) => {
    const { hub, interactions, body, files } = context
    const token = tokenOf(context)
    const message = interactions.followUp(token, readContent(hub, body, files))
    return { body: shown(hub, message), effect: true }
  },
}

const read = (name: string, id: (path: Context['path']) => string): Route => ({
  name,
  auth: 'none',
  run: (context) => ({
    body: shown(context.hub, context.interactions.find(tokenOf(context), id(context.path))),
  }),
})

const change = (name: string, id: (path: Context['path']) => string): Route => ({
  name,
  auth: 'none',
  run: (context) => {
    const { hub, interactions, body, files, path } = context
    const message = interactions.change(tokenOf(context), id(path), (old) =>
      readContent(hub, body, files, old),
    )
    return { body: shown(hub, message), effect: true }
  },
})

const erase = (name: string, id: (path: Context['path']) => string): Route => ({
  name,
  auth: 'none',
  run: (context) => {
    context.interactions.erase(tokenOf(context), id(context.path))
    return { status: 204, effect: true }
  },
})

const original = () => '@original'
const named = (path: Context['path']) => path.message ?? ''
const HOOK = '/webhooks/:app/:token'

export const interactionRoutes: Routes = {
  'POST /interactions/:id/:token/callback': callback,
  [`POST ${HOOK}`]: followUp,
  [`GET ${HOOK}/messages/@original`]: read('getOriginalResponse', original),
  [`PATCH ${HOOK}/messages/@original`]: change('editOriginalResponse', original),
  [`DELETE ${HOOK}/messages/@original`]: erase('deleteOriginalResponse', original),
  [`GET ${HOOK}/messages/:message`]: read('getFollowup', named),
  [`PATCH ${HOOK}/messages/:message`]: change('editFollowup', named),
  [`DELETE ${HOOK}/messages/:message`]: erase('deleteFollowup', named),
}
