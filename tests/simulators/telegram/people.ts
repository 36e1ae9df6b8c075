/** What people do in chats: say, edit, react, press, forward. */
import type { Said } from '../kit/stage.js'
import { CAPTION_MOST, TEXT_MOST } from './api-send.js'
import type { BotState } from './bot-state.js'
import type { Entity, Formatted } from './entities.js'
import { format } from './format.js'
import { isReaction } from './reactions.js'
import { messageJson, userJson } from './shapes.js'
import { quote, threadOf } from './targets.js'
import {
  type Account,
  ANONYMOUS,
  AS_CHANNEL,
  type Chat,
  type Media,
  type NewPost,
  type Post,
} from './world.js'

export interface TelegramSaid extends Said {
  /** How the text is written; absent: plain, as people type. */
  parseMode?: 'HTML' | 'MarkdownV2'
  /** Formatting by ranges, e.g. a `text_mention`: `{type, offset, length, user: {id}}`. */
  entities?: readonly unknown[]
  /** The part of the quoted message that is quoted. Needs `replyTo`. */
  quote?: string
  silent?: boolean
}

export interface SaidFile {
  name: string
  mime: string
  bytes: Uint8Array
  /** Seconds, of voice and audio. */
  duration?: number
}

export class People {
  readonly #api: BotState
  #nextQuery = 1

  constructor(api: BotState) {
    this.#api = api
  }

  /** What clients do with a text that is too long: several messages. Returns the first one's id. */
  say(chat: Chat, author: Account, text: string, options: TelegramSaid = {}): Post {
    const common = this.#common(chat, author, options)
    if (options.files && options.files.length > 0) return this.#files(common, text, options)
    const bodies = this.#body(text, options, TEXT_MOST)
    const posts = bodies.map((body) => this.#send({ ...common, body }))
    return posts[0] as Post
  }

  edit(chat: Chat, id: number, text: string, options: TelegramSaid = {}): void {
    const post = this.#api.world.post(chat, id)
    if (post.from === this.#api.world.bot.id)
      throw new Error(`Message ${id} is the bot's own: people cannot edit it`)
    const [body] = this.#body(text, options, post.media ? CAPTION_MOST : TEXT_MOST)
    post.body = body as Formatted
    post.editDate = this.#api.world.now()
    this.#api.teller.message(post, true)
  }

  /** Bots are never told: https://core.telegram.org/bots/api#update has no such kind. */
  delete(chat: Chat, id: number): void {
    this.#api.world.post(chat, id)
    chat.posts.delete(id)
  }

  /** One reaction a person; an empty emoji takes it back. */
  react(chat: Chat, id: number, person: Account, emoji: string): void {
    const post = this.#api.world.post(chat, id)
    if (emoji !== '' && !isReaction(emoji)) throw new Error(`Telegram knows no reaction ${emoji}`)
    const before = post.reactions.get(person.id)
    const after = emoji === '' ? undefined : emoji
    if (after === undefined) post.reactions.delete(person.id)
    else post.reactions.set(person.id, after)
    this.#api.teller.reaction(chat, post, person.id, before, after)
  }

  /** `callback_query`: https://core.telegram.org/bots/api#callbackquery. Returns its id. */
  press(chat: Chat, id: number, person: Account, value: string): string {
    const post = this.#api.world.post(chat, id)
    const button = post.keyboard?.flat().find(({ data }) => data === value)
    if (!button) throw new Error(`Message ${id} has no button with the value ${JSON.stringify(value)}`)
    const query = { id: String(4_382_000_000_000_000n + BigInt(this.#nextQuery++)), person: person.id }
    this.#api.queries.set(query.id, query)
    this.#api.teller.other('callback_query', chat, {
      id: query.id,
      from: userJson(person),
      message: messageJson(this.#api.world, post),
      chat_instance: String(7_000_000_000n + BigInt(Math.abs(chat.id))),
      data: value,
    })
    return query.id
  }

  /** @param hidden its author hides their account in forwards */
  forward(chat: Chat, person: Account, source: Post, hidden = false): Post {
    const { world } = this.#api
    const origin = this.#api.originOf(source)
    return this.#send({
      ...this.#common(chat, person, {}),
      body: source.body,
      ...(source.media && { media: source.media }),
      origin:
        hidden && origin.type === 'user'
          ? { type: 'hidden_user', name: world.account(origin.account).firstName, date: origin.date }
          : origin,
    })
  }

  /** A group's message in a channel's name. */
  sayAsChannel(chat: Chat, channel: Chat, text: string): Post {
    const [body] = this.#body(text, {}, TEXT_MOST)
    return this.#send({
      chat: chat.id,
      from: AS_CHANNEL.id,
      senderChat: channel.id,
      isTopic: false,
      ...(body && { body }),
    })
  }

  #send(post: NewPost): Post {
    const { world, teller } = this.#api
    const chat = world.chat(post.chat)
    const pings = post.body ? world.pinged(chat, post.body, post.from) : []
    const added = world.add({ ...post, pings })
    teller.message(added)
    return added
  }

  /** Who speaks, where, as an answer to what. */
  #common(chat: Chat, author: Account, options: TelegramSaid): NewPost {
    const { world } = this.#api
    if (chat.movedTo !== undefined) throw new Error(`Chat ${chat.id} moved to ${chat.movedTo}`)
    if (!world.isMember(chat, author.id)) throw new Error(`${author.firstName} is not in chat ${chat.id}`)
    delete chat.shut
    const sender = chat.members.get(author.id)?.anonymous
      ? { from: ANONYMOUS.id, senderChat: chat.id }
      : { from: author.id }
    return {
      chat: chat.id,
      ...sender,
      silent: options.silent ?? false,
      ...this.#place(chat, options),
    }
  }

  #place(chat: Chat, { thread, replyTo, quote: quoted }: TelegramSaid): Partial<NewPost> {
    const topic = thread === undefined ? undefined : Number(thread)
    if (topic !== undefined && !chat.topics.has(topic))
      throw new Error(`Chat ${chat.id} has no topic ${thread}`)
    if (replyTo === undefined) {
      return topic === undefined ? {} : { thread: topic, isTopic: true, replyTo: topic }
    }
    const target = this.#api.world.post(chat, Number(replyTo))
    const part = quoted === undefined ? undefined : quote(target, { text: quoted, entities: [] })
    return { ...threadOf(chat, target, topic), replyTo: target.id, ...(part && { quote: part }) }
  }

  /** The text as one or more messages. */
  #body(text: string, options: TelegramSaid, most: number): Formatted[] {
    const { world } = this.#api
    const isPlain = options.parseMode === undefined && options.entities === undefined
    const read = (piece: string): Formatted =>
      format(
        {
          text: piece,
          ...(options.parseMode && { parseMode: options.parseMode }),
          entities: options.entities ?? [],
        },
        TEXT_MOST,
        'message is too long',
        (user) => world.accounts.has(user),
      )
    const name = `@${world.bot.username ?? ''}`
    if (isPlain) {
      const whole = options.mention === true ? `${name} ${text}` : text
      return pieces(whole, most).map(read)
    }
    const body = read(text)
    if (options.mention !== true) return [body]
    const mention: Entity = { type: 'mention', offset: 0, length: name.length }
    const moved = body.entities.map((entity) => ({ ...entity, offset: entity.offset + name.length + 1 }))
    return [{ text: `${name} ${body.text}`, entities: [mention, ...moved] }]
  }

  /** Files of one message; several are an album, whose caption stands on the first. */
  #files(common: NewPost, text: string, options: TelegramSaid): Post {
    const { world } = this.#api
    const files: readonly SaidFile[] = options.files ?? []
    const album = files.length > 1 ? { album: world.newAlbum() } : {}
    const hasText = text !== '' || options.mention === true
    const posts = files.map((file, index) => {
      const media: Media = {
        kind: kindOf(file),
        file: world.addFile(kindOf(file), file.name, file.mime, file.bytes),
        ...(file.duration !== undefined && { duration: file.duration }),
      }
      const body = index === 0 && hasText ? this.#body(text, options, CAPTION_MOST)[0] : undefined
      return this.#send({ ...common, ...album, media, ...(body && { body }) })
    })
    return posts[0] as Post
  }
}

/** As clients send them: pictures as photos, Ogg/Opus as voice notes, the rest as documents. */
function kindOf({ mime }: SaidFile): Media['kind'] {
  if (/^image\/(jpeg|png|webp)$/.test(mime)) return 'photo'
  if (/^audio\/ogg/.test(mime)) return 'voice'
  if (mime.startsWith('audio/')) return 'audio'
  return mime.startsWith('video/') ? 'video' : 'document'
}

/** Cuts as clients do, never through a character. */
function pieces(text: string, most: number): string[] {
  const cut: string[] = []
  let rest = text
  while (rest.length > most) {
    const isInPair = /[\ud800-\udbff]/.test(rest[most - 1] as string)
    const at = isInPair ? most - 1 : most
    cut.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  return [...cut, rest]
}
