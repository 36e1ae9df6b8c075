/** https://docs.slack.dev/reference/methods?family=chat */
import { hubSeconds } from '../hub.js'
import { edit, post, remove } from '../posting.js'
import type { Fields } from '../text/rich.js'
import { messageOf } from '../wire.js'
import type { Channel, Message } from '../world.js'
import { readContent, readMetadata } from './content.js'
import { ApiError, type Asked, channelArg, type Method } from './method.js'

const WRITE = ['chat:write']

/** Where a message goes: a chat, or a person's direct chat. */
function target(asked: Asked): Channel {
  const { hub, args } = asked
  const id = args.need('channel')
  const user = /^[UW]/.test(id) ? hub.world.users.get(id) : undefined
  if (user !== undefined) {
    // An app cannot write to another app, nor to itself.
    if (user.botId !== undefined) throw new ApiError('cannot_dm_bot')
    return hub.world.im(user.id, hub.clock.now())
  }
  return channelArg(asked)
}

/** @throws ApiError `is_archived`, `not_in_channel` */
function writable({ hub }: Asked, channel: Channel): void {
  if (channel.archived) throw new ApiError('is_archived')
  if (channel.members.has(hub.world.bot.id)) return
  if (channel.kind !== 'channel' || !hub.scopes.has('chat:write.public')) throw new ApiError('not_in_channel')
}

/**
 * The root of the thread; a reply's own timestamp leads to the thread it stands in. Where the message is gone the post
 * stands in the channel, and no error says so (told by slack-go#1571 and langchain-ai/open-swe#2753); a message that
 * had replies left a tombstone, and its thread goes on.
 */
function threadArg({ args }: Asked, channel: Channel): string | undefined {
  const ts = args.text('thread_ts')
  if (ts === undefined || ts === '') return undefined
  if (!/^\d+\.\d{6}$/.test(ts)) throw new ApiError('invalid_thread_ts')
  const message = channel.byTs.get(ts)
  return message === undefined ? undefined : (message.threadTs ?? ts)
}

/** A name and a face of the moment. https://docs.slack.dev/reference/scopes/chat.write.customize */
function persona({ hub, args }: Asked): { username?: string; icons?: Fields } {
  if (!hub.scopes.has('chat:write.customize')) return {}
  const [username, emoji, url] = [args.text('username'), args.text('icon_emoji'), args.text('icon_url')]
  return {
    ...(username !== undefined && username !== '' && { username }),
    ...(emoji !== undefined && emoji !== ''
      ? { icons: { emoji } }
      : url !== undefined && url !== ''
        ? { icons: { image_48: url } }
        : {}),
  }
}

const botFields = ({ hub }: Asked): { user: string; botId: string; appId: string } => ({
  user: hub.world.bot.id,
  botId: hub.world.bot.botId ?? '',
  appId: hub.world.bot.appId ?? '',
})

const postMessage: Method = {
  tier: 'post',
  scopes: WRITE,
  token: 'bot',
  effect: true,
  run(asked) {
    const { hub, args } = asked
    const channel = target(asked)
    writable(asked, channel)
    const content = readContent(hub, args)
    const metadata = readMetadata(args)
    const threadTs = threadArg(asked, channel)
    const message = post(hub, {
      channel: channel.id,
      ...botFields(asked),
      ...content,
      ...persona(asked),
      ...(threadTs !== undefined && { threadTs, broadcast: args.flag('reply_broadcast') }),
      ...(metadata !== undefined && { metadata }),
      sent: {
        ...content.sent,
        unfurl_links: args.text('unfurl_links'),
        unfurl_media: args.text('unfurl_media'),
      },
    })
    return { channel: channel.id, ts: message.ts, message: messageOf(hub, message, { metadata: true }) }
  },
}

/** The bot's own message. @throws ApiError `message_not_found`, or `code` when somebody else wrote it */
function own(asked: Asked, code: string): Message {
  const message = channelArg(asked).byTs.get(asked.args.need('ts'))
  if (message === undefined || message.tombstone === true || message.onlyFor !== undefined)
    throw new ApiError('message_not_found')
  if (message.user !== asked.hub.world.bot.id) throw new ApiError(code)
  return message
}

const update: Method = {
  tier: 3,
  scopes: WRITE,
  token: 'bot',
  effect: true,
  run(asked) {
    const { hub, args } = asked
    const message = own(asked, 'cant_update_message')
    const content = readContent(hub, args, { hasFiles: message.files.length > 0 })
    // A text that was posted may be too long to stay when it is edited: told in many threads, no page says the number.
    const isLong =
      args.text('text') !== undefined &&
      !args.has('blocks') &&
      content.text.length > (hub.options.updateMax ?? 4_000)
    if (isLong) throw new ApiError('msg_too_long')
    const metadata = readMetadata(args)
    edit(hub, message, { ...content, ...(metadata !== undefined && { metadata }) }, hub.world.bot.botId ?? '')
    return { channel: message.channel, ts: message.ts, text: message.text, message: messageOf(hub, message) }
  },
}

const remover: Method = {
  tier: 3,
  scopes: WRITE,
  token: 'bot',
  effect: true,
  run(asked) {
    const message = own(asked, 'cant_delete_message')
    remove(asked.hub, message)
    return { channel: message.channel, ts: message.ts }
  },
}

const postEphemeral: Method = {
  tier: 4,
  scopes: WRITE,
  token: 'bot',
  effect: true,
  run(asked) {
    const { hub, args } = asked
    const channel = channelArg(asked)
    writable(asked, channel)
    const user = args.need('user')
    if (!channel.members.has(user)) throw new ApiError('user_not_in_channel')
    const content = readContent(hub, args)
    const threadTs = threadArg(asked, channel)
    const message = post(hub, {
      channel: channel.id,
      ...botFields(asked),
      ...content,
      ...persona(asked),
      onlyFor: user,
      ...(threadTs !== undefined && { threadTs }),
    })
    return { message_ts: message.ts }
  },
}

const getPermalink: Method = {
  tier: 'none',
  scopes: [],
  token: 'bot',
  run(asked) {
    const channel = channelArg(asked)
    const ts = asked.args.need('message_ts')
    const message = channel.byTs.get(ts)
    if (message === undefined) throw new ApiError('message_not_found')
    const thread = message.threadTs === undefined ? '' : `?thread_ts=${message.threadTs}&cid=${channel.id}`
    const { domain } = asked.hub.world.team
    return {
      channel: channel.id,
      permalink: `https://${domain}.slack.com/archives/${channel.id}/p${ts.replace('.', '')}${thread}`,
    }
  },
}

const meMessage: Method = {
  tier: 3,
  scopes: WRITE,
  token: 'bot',
  effect: true,
  run(asked) {
    const channel = channelArg(asked)
    writable(asked, channel)
    const text = asked.args.need('text')
    const message = post(asked.hub, {
      channel: channel.id,
      ...botFields(asked),
      text,
      blocks: [],
      subtype: 'me_message',
    })
    return { channel: channel.id, ts: message.ts, at: hubSeconds(asked.hub) }
  },
}

export const chatMethods: Readonly<Record<string, Method>> = {
  'chat.postMessage': postMessage,
  'chat.update': update,
  'chat.delete': remover,
  'chat.postEphemeral': postEphemeral,
  'chat.getPermalink': getPermalink,
  'chat.meMessage': meMessage,
}
