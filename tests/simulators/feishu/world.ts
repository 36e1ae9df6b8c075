/**
 * What a tenant holds: people, apps, chats, messages, files. Knows nothing of HTTP, sockets or who asks.
 *
 * Whoever can speak or be named is a "principal" here: a person by union_id (`on_…`), a bot by the id of its app (`cli_…`).
 */
import type { Fields } from './fields.js'
import { Ids, openIdOf } from './ids.js'

export interface User {
  unionId: string
  /** The tenant's own id of the person. Empty for people of other tenants. */
  userId: string
  name: string
  email: string
  tenant: string
  /** Left the company. */
  resigned?: boolean
}

export interface App {
  appId: string
  secret: string
  /** Name of its bot. */
  name: string
  scopes: Set<string>
  /** Events it subscribed to; null: all there are. */
  events: ReadonlySet<string> | null
  encryptKey: string | null
  verificationToken: string
}

export interface Chat {
  id: string
  /** `topic`: every message at the top level begins a topic. https://open.feishu.cn/document/server-docs/group/chat/chat-info/intro */
  mode: 'group' | 'topic' | 'p2p'
  name: string
  description: string
  owner?: string
  /** People, by union_id. */
  members: Set<string>
  /** Bots, by the id of their app. */
  apps: Set<string>
  /** People of other tenants are in it. */
  external: boolean
  disbanded: boolean
  /** Who may write `@all`, and who may speak. */
  atAll: 'all_members' | 'only_owner'
  speakers: 'all_members' | 'only_owner'
  created: number
  /** Every message, oldest first, those of topics among them. */
  messages: Message[]
}

export interface Mention {
  /** `@_user_1` … or `@_all`. */
  key: string
  /** A principal, or `all`. */
  who: string
  name: string
}

export type MessageType =
  | 'text'
  | 'post'
  | 'image'
  | 'file'
  | 'audio'
  | 'media'
  | 'sticker'
  | 'interactive'
  | 'merge_forward'
  | 'share_chat'
  | 'share_user'
  | 'system'

export interface Message {
  id: string
  chat: string
  /** The principal. */
  sender: string
  type: MessageType
  /** As events and the history tell it: people are placeholders. A card stays as its app sent it. */
  content: Fields | string
  /** As the app sent it. */
  sent?: string
  mentions: Mention[]
  created: number
  updated: number
  /** How often its app edited it. */
  edits: number
  isEdited: boolean
  isDeleted: boolean
  rootId?: string
  parentId?: string
  threadId?: string
  /** Principals it paged when it was sent. An edit pages nobody. */
  pinged: string[]
  reactions: Reaction[]
  /** Only this person sees it. */
  onlyFor?: string
  /** Keys of images and files in it. */
  keys: string[]
  /** The messages a merged forward holds. */
  forwarded?: Message[]
  /** The merged forward it is part of. */
  upper?: string
}

export interface Reaction {
  id: string
  emoji: string
  by: string
  at: number
}

export interface Resource {
  key: string
  kind: 'image' | 'file'
  /** `opus`, `mp4`, `pdf`, `doc`, `xls`, `ppt`, `stream`; `message` of images. */
  type: string
  name: string
  mime: string
  bytes: Buffer
  owner: string
  durationMs?: number
}

export class World {
  readonly ids: Ids
  readonly tenant: string
  readonly users = new Map<string, User>()
  readonly apps = new Map<string, App>()
  readonly chats = new Map<string, Chat>()
  readonly messages = new Map<string, Message>()
  readonly resources = new Map<string, Resource>()
  /** Topics: the root message of each. */
  readonly threads = new Map<string, Message>()
  readonly #openIds = new Map<string, { app: string; who: string }>()

  constructor(session = 0) {
    this.ids = new Ids(session)
    this.tenant = this.ids.next('tenant', 16).slice(6)
  }

  addUser(user: Pick<User, 'name'> & Partial<User>): User {
    const unionId = this.ids.next('on_')
    const isOurs = user.tenant === undefined || user.tenant === this.tenant
    const made: User = {
      unionId,
      userId: isOurs ? this.ids.next('user', 8).slice(4) : '',
      email: `${unionId.slice(3, 11)}@acme.example`,
      tenant: this.tenant,
      ...user,
    }
    this.users.set(unionId, made)
    for (const app of this.apps.keys()) this.#know(app, unionId)
    return made
  }

  addApp(app: App): App {
    this.apps.set(app.appId, app)
    for (const who of [...this.users.keys(), ...this.apps.keys()]) this.#know(app.appId, who)
    for (const other of this.apps.keys()) this.#know(other, app.appId)
    return app
  }

  addChat(chat: Pick<Chat, 'mode' | 'name' | 'created'> & Partial<Chat>): Chat {
    const made: Chat = {
      id: this.ids.next('oc_'),
      description: '',
      members: new Set(),
      apps: new Set(),
      external: false,
      disbanded: false,
      atAll: 'all_members',
      speakers: 'all_members',
      messages: [],
      ...chat,
    }
    this.chats.set(made.id, made)
    return made
  }

  /** The chat of one person with one app, made when first needed. */
  p2p(user: string, app: string, now: number): Chat {
    for (const chat of this.chats.values()) {
      if (chat.mode === 'p2p' && chat.members.has(user) && chat.apps.has(app)) return chat
    }
    const chat = {
      mode: 'p2p' as const,
      name: '',
      created: now,
      members: new Set([user]),
      apps: new Set([app]),
    }
    return this.addChat(chat)
  }

  add(message: Message): void {
    this.messages.set(message.id, message)
    this.chat(message.chat).messages.push(message)
  }

  /** The topic a message begins or belongs to, made when it has none. */
  thread(root: Message): string {
    root.threadId ??= this.ids.next('omt_', 16)
    this.threads.set(root.threadId, root)
    return root.threadId
  }

  openId(app: string, who: string): string {
    return openIdOf(app, who)
  }

  /** Who is meant by an open_id, and in whose eyes. */
  byOpenId(openId: string): { app: string; who: string } | undefined {
    return this.#openIds.get(openId)
  }

  /** Who is meant by an open_id, union_id or user_id that an app uses. Undefined: nobody it knows by that. */
  resolve(app: string, id: string): string | undefined {
    const known = this.#openIds.get(id)
    if (known !== undefined) return known.app === app ? known.who : undefined
    if (this.users.has(id)) return id
    if (id === '') return undefined
    for (const user of this.users.values()) if (user.userId === id) return user.unionId
    return undefined
  }

  nameOf(who: string): string {
    return this.users.get(who)?.name ?? this.apps.get(who)?.name ?? who
  }

  /** @throws Error that says there is none: the test asks for what it did not make */
  chat(id: string): Chat {
    const chat = this.chats.get(id)
    if (chat === undefined) throw new Error(`The simulated tenant has no chat ${id}`)
    return chat
  }

  /** @throws Error that says there is none */
  user(unionId: string): User {
    const user = this.users.get(unionId)
    if (user === undefined) throw new Error(`The simulated tenant has nobody with the id ${unionId}`)
    return user
  }

  /** @throws Error that says there is none */
  message(chat: string, id: string): Message {
    const message = this.messages.get(id)
    if (message === undefined || message.chat !== chat)
      throw new Error(`There is no message ${id} in ${chat} of the simulated tenant`)
    return message
  }

  #know(app: string, who: string): void {
    this.#openIds.set(openIdOf(app, who), { app, who })
  }
}
