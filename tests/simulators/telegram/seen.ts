/** What a person sees in a chat. */
import type { Seen } from '../kit/stage.js'
import { covered } from './entities.js'
import { messageJson } from './shapes.js'
import type { Chat, Post, World } from './world.js'

/** Oldest first; nothing for somebody who is not in the chat. */
export function seen(world: World, chat: Chat, viewer?: number): Seen[] {
  if (viewer !== undefined && !world.isMember(chat, viewer)) return []
  return [...chat.posts.values()].map((post) => seenPost(world, chat, post))
}

function seenPost(world: World, chat: Chat, post: Post): Seen {
  const { body, media } = post
  const hasLink = body.entities.some(({ type }) => type === 'url' || type === 'text_link')
  return {
    id: String(post.id),
    author: author(world, chat, post),
    text: post.service ? serviceText(post.service) : body.text,
    raw: { ...messageJson(world, post), preview: hasLink && post.preview?.is_disabled !== true },
    // The first message of a topic is not something one quotes.
    ...(post.replyTo !== undefined &&
      !(post.isTopic && post.replyTo === post.thread) && { replyTo: String(post.replyTo) }),
    ...(post.isTopic && post.thread !== undefined && { thread: String(post.thread) }),
    pings: post.pings.map(String),
    links: body.entities.flatMap((entity) => {
      const text = covered(body.text, entity)
      if (entity.type === 'text_link') return [{ text, url: entity.url ?? '' }]
      if (entity.type === 'email') return [{ text, url: `mailto:${text}` }]
      return entity.type === 'url'
        ? [{ text, url: /^[a-z]+:\/\//i.test(text) ? text : `http://${text}` }]
        : []
    }),
    buttons: (post.keyboard ?? [])
      .flat()
      .map(({ text, data, url }) => ({ label: text, value: data ?? url ?? '' })),
    reactions: [...post.reactions].map(([by, emoji]) => ({ emoji, by: String(by) })),
    files: media ? [{ name: media.file.name, bytes: media.file.bytes.length }] : [],
    silent: post.silent,
    edited: post.editDate !== undefined,
  }
}

function author(world: World, chat: Chat, post: Post): Seen['author'] {
  if (post.senderChat !== undefined || post.from === undefined) {
    const sender = world.chat(post.senderChat ?? chat.id)
    return { id: String(sender.id), name: sender.title, bot: false }
  }
  const { id, firstName, isBot } = world.account(post.from)
  return { id: String(id), name: firstName, bot: isBot }
}

const name = (user: unknown): string =>
  String((user as { first_name?: unknown } | undefined)?.first_name ?? '')

/** The grey line that a service message is. */
function serviceText(service: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(service.new_chat_members))
    return `${service.new_chat_members.map(name).join(', ')} joined the group`
  if (service.left_chat_member) return `${name(service.left_chat_member)} left the group`
  if (service.new_chat_title) return `The group is now called ${String(service.new_chat_title)}`
  if (service.forum_topic_created) {
    return `Topic ${String((service.forum_topic_created as { name?: unknown }).name)} was created`
  }
  if (service.forum_topic_closed) return 'The topic was closed'
  if (service.forum_topic_reopened) return 'The topic was reopened'
  if (service.migrate_to_chat_id) return 'The group was upgraded to a supergroup'
  if (service.migrate_from_chat_id) return 'The group was upgraded to a supergroup'
  return service.pinned_message ? 'A message was pinned' : 'A service message'
}
