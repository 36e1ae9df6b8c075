/** https://docs.slack.dev/reference/methods?family=reactions */
import { react } from '../posting.js'
import { emojiName, isEmojiName } from '../text/emoji.js'
import { messageOf } from '../wire.js'
import type { Message } from '../world.js'
import { ApiError, type Asked, channelArg, type Method } from './method.js'

/** The most different reactions on one message. */
const MOST_REACTIONS = 50

function messageArg(asked: Asked): Message {
  const channel = channelArg(asked)
  const message = channel.byTs.get(asked.args.need('timestamp'))
  if (message === undefined || message.onlyFor !== undefined || message.tombstone === true) {
    throw new ApiError('message_not_found')
  }
  return message
}

function nameArg({ args }: Asked): string {
  const name = args.need('name')
  // The name alone: neither colons nor the character.
  if (!/^[a-z0-9_+'-]+(?:::skin-tone-[2-6])?$/.test(name) || !isEmojiName(name))
    throw new ApiError('invalid_name')
  return emojiName(name)
}

function changer(isAdded: boolean, tier: 2 | 3, refused: string): Method {
  return {
    tier,
    scopes: ['reactions:write'],
    token: 'bot',
    effect: true,
    run(asked) {
      const { hub } = asked
      const name = nameArg(asked)
      const message = messageArg(asked)
      const channel = hub.world.channel(message.channel)
      if (channel.archived) throw new ApiError('is_archived')
      // Told in threads, on no page: a public channel takes a reaction only from who is in it.
      if (!channel.members.has(hub.world.bot.id)) throw new ApiError('not_in_channel')
      const isNew = !message.reactions.some((reaction) => reaction.name === name)
      if (isAdded && isNew && message.reactions.length >= MOST_REACTIONS) throw new ApiError('too_many_emoji')
      if (!react(hub, message, hub.world.bot.id, name, isAdded)) throw new ApiError(refused)
      return {}
    },
  }
}

const get: Method = {
  tier: 3,
  scopes: ['reactions:read'],
  token: 'bot',
  run(asked) {
    const message = messageArg(asked)
    return { type: 'message', channel: message.channel, message: messageOf(asked.hub, message) }
  },
}

export const reactionMethods: Readonly<Record<string, Method>> = {
  'reactions.add': changer(true, 3, 'already_reacted'),
  'reactions.remove': changer(false, 2, 'no_reaction'),
  'reactions.get': get,
}
