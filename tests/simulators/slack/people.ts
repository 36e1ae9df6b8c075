/** What people of a workspace do, in the words that only Slack has. */
import { asHadBy } from '../kit/colleague.js'
import type { Person, Said } from '../kit/stage.js'
import { attach } from './api/files.js'
import { blockId, type Hub, hubSeconds, namesIn } from './hub.js'
import type { Interactions } from './interactions.js'
import {
  archiveChannel,
  createChannel,
  describeChannel,
  joinChannel,
  leaveChannel,
  renameChannel,
} from './membership.js'
import { edit, post, react } from './posting.js'
import { compose } from './text/compose.js'
import { render } from './text/render.js'
import type { Fields } from './text/rich.js'
import { userOf } from './wire.js'
import { handleOf, type User, type UserGroup, type World } from './world.js'

export interface PersonOptions {
  name: string
  displayName?: string
  handle?: string
  /** Guests see some channels (`multi`) or one only (`single`). */
  guest?: 'multi' | 'single'
  /** Of another workspace, by Slack Connect: its id. */
  team?: string
  stranger?: boolean
}

export interface ChannelOptions {
  people?: readonly Person[]
  /** Default false: public. */
  private?: boolean
  /** The bot is in it. Default true. */
  joined?: boolean
  /** Shared with another workspace. */
  shared?: boolean
  topic?: string
}

export interface SlackSaid extends Said {
  /** A reply in a thread that is also sent to the channel. */
  broadcast?: boolean
  /** `/me` message. */
  me?: boolean
}

export class People {
  readonly #hub: Hub
  readonly #interactions: Interactions

  constructor(hub: Hub, interactions: Interactions) {
    this.#hub = hub
    this.#interactions = interactions
  }

  /** Somebody new, also when the name is taken: two people may have one name, never one handle. */
  person(options: PersonOptions): Person {
    const { world } = this.#hub
    const wanted = options.handle ?? (handleOf(options.name) || 'user')
    const taken = new Set([...world.users.values()].map(({ handle }) => handle))
    let handle = wanted
    for (let count = 2; taken.has(handle); count++) handle = `${wanted}${count}`
    const user = world.addUser({
      handle,
      realName: options.name,
      displayName: options.displayName ?? '',
      updated: hubSeconds(this.#hub),
      ...(options.guest !== undefined && { guest: options.guest }),
      ...(options.team !== undefined && { team: options.team }),
      ...(options.stranger !== undefined && { stranger: options.stranger }),
    })
    this.#hub.changes.changed()
    return this.personOf(user.id)
  }

  /** Somebody of another workspace. `users.list` does not name them, `users.info` does. */
  connectPerson(name: string, options: Partial<PersonOptions> = {}): Person {
    return this.person({ name, stranger: true, team: 'T0EXTERNAL', ...options })
  }

  /** Another app's bot; `legacy`: an incoming webhook of old, whose messages are of the subtype `bot_message`. */
  otherBot(name: string, options: { legacy?: boolean } = {}): Person {
    const { ids } = this.#hub.world
    const user = this.#hub.world.addUser({
      handle: handleOf(name),
      realName: name,
      botId: ids.next('B'),
      appId: ids.next('A'),
      ...options,
    })
    return this.personOf(user.id)
  }

  /** The workspace as another app has it, whose bot this is. */
  anotherApp(name: string): World {
    const { world } = this.#hub
    const { ids } = world
    const known = { handle: handleOf(name), realName: name, botId: ids.next('B'), appId: ids.next('A') }
    return asHadBy(world, world.addUser(known))
  }

  /** A direct chat of several people and the bot. */
  groupDm(people: readonly Person[]): string {
    const { world } = this.#hub
    const members = [...people.map(({ id }) => id), world.bot.id]
    const handles = members.map((id) => world.user(id).handle)
    const channel = world.addChannel({
      kind: 'mpim',
      name: `mpdm-${handles.join('--')}-1`,
      creator: members[0] ?? world.bot.id,
      created: hubSeconds(this.#hub),
      members: new Set(members),
    })
    return channel.id
  }

  personOf(id: string): Person {
    const user = this.#hub.world.user(id)
    return { id, name: this.#hub.world.nameOf(user), username: user.handle }
  }

  /** Changes of a profile are told by `user_change`. */
  renamePerson(person: Person, name: string): void {
    const user = this.#user(person)
    user.realName = name
    user.displayName = ''
    user.updated = hubSeconds(this.#hub)
    this.#tell('user_change', { type: 'user_change', user: userOf(this.#hub, user), cache_ts: user.updated })
  }

  /** A channel, without the events of its making. Its id. */
  channel(name: string, options: ChannelOptions = {}): string {
    const { world } = this.#hub
    const people = options.people ?? []
    const foreign = people.some(({ id }) => world.user(id).team !== world.team.id)
    const channel = world.addChannel({
      kind: options.private === true ? 'group' : 'channel',
      name: name.toLowerCase().replace(/[\s.]+/g, '-'),
      creator: people[0]?.id ?? 'USLACKBOT',
      created: hubSeconds(this.#hub),
      members: new Set([...people.map(({ id }) => id), ...(options.joined === false ? [] : [world.bot.id])]),
      shared: options.shared ?? foreign,
      topic: options.topic ?? '',
    })
    this.#hub.changes.changed()
    return channel.id
  }

  /** Somebody makes a channel; public ones are told by `channel_created`. The bot is not in it. */
  createChannel(name: string, by: Person, options: { private?: boolean } = {}): string {
    return createChannel(this.#hub, name, by.id, options.private === true ? 'group' : 'channel', [by.id]).id
  }

  /** Somebody, or the bot, is invited into a channel. */
  invite(chat: string, who: Person, by?: Person): void {
    joinChannel(this.#hub, this.#hub.world.channel(chat), who.id, by?.id)
  }

  /** Somebody, or the bot, is removed or leaves. */
  kick(chat: string, who: Person): void {
    leaveChannel(this.#hub, this.#hub.world.channel(chat), who.id)
  }

  rename(chat: string, name: string, by: Person): void {
    renameChannel(this.#hub, this.#hub.world.channel(chat), name, by.id)
  }

  archive(chat: string, by: Person, isArchived = true): void {
    archiveChannel(this.#hub, this.#hub.world.channel(chat), by.id, isArchived)
  }

  topic(chat: string, text: string, by: Person): void {
    describeChannel(this.#hub, this.#hub.world.channel(chat), 'topic', text, by.id)
  }

  purpose(chat: string, text: string, by: Person): void {
    describeChannel(this.#hub, this.#hub.world.channel(chat), 'purpose', text, by.id)
  }

  userGroup(handle: string, people: readonly Person[]): UserGroup {
    const group = {
      id: this.#hub.world.ids.next('S'),
      handle,
      name: handle,
      users: people.map(({ id }) => id),
    }
    this.#hub.world.usergroups.set(group.id, group)
    return group
  }

  say(chat: string, person: Person, text: string, options: SlackSaid = {}): string {
    const { world } = this.#hub
    const channel = world.channel(chat)
    const user = this.#user(person)
    // Whoever speaks in a public channel is in it.
    if (channel.kind === 'channel') channel.members.add(user.id)
    const typed = options.mention === true ? `<@${world.bot.id}>${text === '' ? '' : ' '}${text}` : text
    const { text: wire, blocks } = compose(typed, () => blockId(this.#hub))
    const quoted = options.thread ?? options.replyTo
    const threadTs = quoted === undefined ? undefined : (channel.byTs.get(quoted)?.threadTs ?? quoted)
    const files = (options.files ?? []).map((file) => attach(this.#hub, user.id, file))
    const isLegacy = user.legacy === true
    const subtype =
      files.length > 0
        ? 'file_share'
        : options.me === true
          ? 'me_message'
          : isLegacy
            ? 'bot_message'
            : undefined
    const message = post(this.#hub, {
      channel: chat,
      ...(!isLegacy && { user: user.id }),
      text: wire,
      blocks: options.me === true ? [] : blocks,
      files,
      ...(user.botId === undefined && options.me !== true && { clientMsgId: world.ids.uuid() }),
      ...(user.botId !== undefined && { botId: user.botId }),
      ...(isLegacy && { username: user.realName }),
      ...(user.appId !== undefined && { appId: user.appId }),
      ...(subtype !== undefined && { subtype }),
      ...(threadTs !== undefined && { threadTs }),
      ...(options.broadcast === true && { broadcast: true }),
    })
    return message.ts
  }

  edit(chat: string, id: string, text: string): void {
    const message = this.#hub.world.message(chat, id)
    edit(
      this.#hub,
      message,
      compose(text, () => blockId(this.#hub)),
      message.user ?? '',
    )
  }

  /** A reaction is taken back. */
  unreact(chat: string, id: string, person: Person, emoji: string): void {
    react(this.#hub, this.#hub.world.message(chat, id), person.id, emoji, false)
  }

  /** @throws Error when the message has no such button: a person cannot press it */
  press(chat: string, id: string, person: Person, value: string): void {
    const channel = this.#hub.world.channel(chat)
    const message = this.#hub.world.message(chat, id)
    const { buttons } = render(message, namesIn(this.#hub, channel))
    const button = buttons.find((candidate) => candidate.value === value)
    if (button === undefined) {
      throw new Error(`The message ${id} in ${chat} has no button with the value ${JSON.stringify(value)}`)
    }
    this.#interactions.press(channel, message, this.#user(person), button)
  }

  /** `/command text` in a chat. */
  slash(chat: string, person: Person, command: string, text = ''): void {
    this.#interactions.slash(this.#hub.world.channel(chat), this.#user(person), command, text)
  }

  /** A shortcut, of a message's menu or of the whole workspace. */
  shortcut(person: Person, callbackId: string, on?: { chat: string; id: string }): void {
    if (on === undefined) {
      this.#interactions.globalShortcut(this.#user(person), callbackId)
      return
    }
    const message = this.#hub.world.message(on.chat, on.id)
    this.#interactions.messageShortcut(
      this.#hub.world.channel(on.chat),
      message,
      this.#user(person),
      callbackId,
    )
  }

  /** Somebody opens the app's home or its messages. */
  openHome(person: Person, tab: 'home' | 'messages' = 'home'): void {
    const channel = this.#hub.world.im(person.id, this.#hub.clock.now())
    this.#tell('app_home_opened', { type: 'app_home_opened', user: person.id, channel: channel.id, tab })
  }

  #tell(type: string, event: Fields): void {
    this.#hub.publisher.event(type, { ...event, event_ts: this.#hub.world.ids.ts(this.#hub.clock.now()) })
  }

  #user(person: Person): User {
    return this.#hub.world.user(person.id)
  }
}
