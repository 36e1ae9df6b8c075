/**
 * What an app sends, read and checked by its `msg_type`.
 * https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json
 */
import { ApiError } from '../api/errors.js'
import { type Fields, fieldsOf, isFields, parsed, textOf } from '../fields.js'
import type { Hub } from '../hub.js'
import type { App, Chat, Mention, MessageType, Resource } from '../world.js'
import { isLink } from './canvas.js'
import { checkCard } from './card-check.js'
import { POST_TAGS, paragraphsOf } from './post.js'

/** https://open.feishu.cn/document/server-docs/im-v1/message/create, error 230025. Bytes of `content`. */
const MOST_TEXT = 150 * 1024
const MOST_RICH = 30 * 1024

export interface Content {
  type: MessageType
  content: Fields
  mentions: Mention[]
  keys: string[]
}

const TYPES: ReadonlySet<string> = new Set([
  'text',
  'post',
  'image',
  'file',
  'audio',
  'media',
  'sticker',
  'interactive',
  'share_chat',
  'share_user',
])

/** @throws ApiError */
export function readContent(hub: Hub, app: App, chat: Chat, type: string, text: string): Content {
  if (!TYPES.has(type)) throw new ApiError(230001, 'invalid msg_type.')
  const most = type === 'text' ? MOST_TEXT : MOST_RICH
  if (Buffer.byteLength(text) > most) throw new ApiError(230025)
  return new Reader(hub, app, chat).read(type as MessageType, text)
}

class Reader {
  readonly #hub: Hub
  readonly #app: App
  readonly #chat: Chat
  readonly #mentions: Mention[] = []
  readonly #keys: string[] = []

  constructor(hub: Hub, app: App, chat: Chat) {
    this.#hub = hub
    this.#app = app
    this.#chat = chat
  }

  read(type: MessageType, text: string): Content {
    if (type === 'interactive') return this.#done(type, checkCard(text, this.#cardContext()))
    const content = parsed(text)
    if (!isFields(content)) throw new ApiError(230001, 'invalid message content.')
    switch (type) {
      case 'text':
        return this.#done(type, { text: this.#ats(this.#need(content, 'text')) })
      case 'post':
        return this.#done(type, this.#post(content))
      case 'image':
        return this.#done(type, { image_key: this.#resource(content, 'image_key', 'image').key })
      case 'file':
      case 'audio':
      case 'media':
      case 'sticker':
        return this.#file(type, content)
      case 'share_chat':
        return this.#done(type, { chat_id: this.#sharedChat(this.#need(content, 'chat_id')) })
      default:
        return this.#done(type, { user_id: this.#need(content, 'user_id') })
    }
  }

  #done(type: MessageType, content: Fields): Content {
    return { type, content, mentions: this.#mentions, keys: this.#keys }
  }

  #need(content: Fields, name: string): string {
    const value = content[name]
    if (typeof value !== 'string' || value === '') throw new ApiError(230001, 'invalid message content.')
    return value
  }

  /** `<at user_id="…">` becomes a placeholder. An id that nobody has stays as it was written. */
  #ats(text: string): string {
    return text.replace(/<at\s+user_id\s*=\s*(["'])(.*?)\1\s*>([\s\S]*?)<\/at>/g, (whole, _, id: string) => {
      return this.#mention(id) ?? whole
    })
  }

  #mention(id: string): string | null {
    if (id === 'all') {
      if (!this.#mayNameAll()) throw new ApiError(230018)
      if (!this.#mentions.some(({ key }) => key === '@_all'))
        this.#mentions.push({ key: '@_all', who: 'all', name: this.#hub.words.everyone })
      return '@_all'
    }
    const who = this.#hub.world.resolve(this.#app.appId, id)
    if (who === undefined) return null
    const key = `@_user_${this.#mentions.filter(({ who }) => who !== 'all').length + 1}`
    this.#mentions.push({ key, who, name: this.#hub.world.nameOf(who) })
    return key
  }

  #mayNameAll(): boolean {
    return this.#chat.atAll === 'all_members'
  }

  #post(content: Fields): Fields {
    const languages = fieldsOf(content.post ?? content)
    const wanted = this.#hub.options.locale === 'en' ? 'en_us' : 'zh_cn'
    const body = languages[wanted] ?? languages.zh_cn ?? languages.en_us ?? languages.ja_jp
    if (!isFields(body) || !Array.isArray(body.content))
      throw new ApiError(230001, 'invalid message content.')
    const lines = paragraphsOf(body).map((line) => {
      if (line.length > 1 && line.some(({ tag }) => tag === 'md'))
        throw new ApiError(230001, 'md must be the only element of its paragraph.')
      return line.map((element) => this.#postElement(element))
    })
    if (lines.length === 0) throw new ApiError(230001, 'message content is empty.')
    return { title: textOf(body.title), content: lines }
  }

  #postElement(element: Fields): Fields {
    const tag = textOf(element.tag)
    if (!POST_TAGS.has(tag)) throw new ApiError(230001, `unsupported tag ${tag}.`)
    switch (tag) {
      case 'a':
        if (!isLink(textOf(element.href))) throw new ApiError(230001, 'invalid href.')
        return element
      case 'at': {
        const key = this.#mention(textOf(element.user_id))
        if (key === null) throw new ApiError(230001, 'invalid user_id of at.')
        return { ...element, user_id: key, user_name: this.#mentions.find((one) => one.key === key)?.name }
      }
      case 'md':
        return { ...element, text: this.#ats(textOf(element.text)) }
      case 'img':
        this.#resource(element, 'image_key', 'image')
        return element
      case 'media':
        this.#resource(element, 'file_key', 'file')
        return element
      default:
        return element
    }
  }

  #file(type: MessageType, content: Fields): Content {
    const file = this.#resource(content, 'file_key', 'file')
    // https://open.feishu.cn/document/server-docs/im-v1/message/create, error 230055
    const wanted = type === 'audio' ? 'opus' : type === 'media' ? 'mp4' : undefined
    if (wanted !== undefined && file.type !== wanted) throw new ApiError(230055)
    if (type === 'file' && (file.type === 'opus' || file.type === 'mp4')) throw new ApiError(230055)
    const duration = file.durationMs === undefined ? {} : { duration: file.durationMs }
    return this.#done(type, {
      file_key: file.key,
      ...(type !== 'audio' && { file_name: file.name }),
      ...((type === 'audio' || type === 'media') && duration),
    })
  }

  #resource(content: Fields, name: string, kind: Resource['kind']): Resource {
    const key = this.#need(content, name)
    const resource = this.#hub.world.resources.get(key)
    if (resource === undefined || resource.kind !== kind) throw new ApiError(230001, `invalid ${name}.`)
    if (resource.owner !== this.#app.appId) throw new ApiError(230017)
    this.#keys.push(key)
    return resource
  }

  #sharedChat(id: string): string {
    const chat = this.#hub.world.chats.get(id)
    if (chat === undefined) throw new ApiError(230001, 'invalid chat_id.')
    if (chat.mode === 'p2p') throw new ApiError(230015)
    return id
  }

  #cardContext(): Parameters<typeof checkCard>[1] {
    const { world } = this.#hub
    return {
      isPerson: (id) =>
        world.resolve(this.#app.appId, id) !== undefined ||
        [...world.users.values()].some(({ email }) => email === id),
      mayNameAll: this.#mayNameAll(),
      isImage: (key) => world.resources.get(key)?.kind === 'image',
    }
  }
}
