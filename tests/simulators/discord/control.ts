/** What the control API offers for Discord beside the common words. */
import type { Extras } from '../kit/control.js'
import type { Person } from '../kit/stage.js'
import { text } from '../kit/wants.js'
import type { PrivilegedIntent } from './options.js'
import type { People } from './people.js'
import type { ChannelOptions } from './places.js'

/** What a simulator of Discord can do beside the common words. */
export interface Controlled {
  readonly discord: People
  readonly bot: Person
  people(): readonly Person[]
  settings(how: 'socket' | 'webhook'): Record<string, unknown>
  reconnect(): void
  invalidate(resumable?: boolean): void
  closeGateway(code: number, reason?: string): void
  expireSessions(): void
  revoke(): void
  restore(): void
  inject(event: string, data: Record<string, unknown>): void
}

export function extras(simulator: Controlled): Extras {
  const { discord } = simulator
  /** By id or by name, as in the common words. */
  const person = (who: unknown): Person =>
    simulator.people().find(({ name }) => name === who) ?? discord.personOf(String(who))
  const flag = (value: unknown) => value !== false
  return {
    channel: (fields) => ({
      id: discord.channel(text(fields, 'name'), {
        private: fields.private === true,
        joined: fields.joined !== false,
        ...(typeof fields.guild === 'string' && { guild: fields.guild }),
        ...(typeof fields.kind === 'string' && { kind: fields.kind as NonNullable<ChannelOptions['kind']> }),
      }),
    }),
    guild: (fields) => ({
      id: discord.addGuild(text(fields, 'name'), [], { joined: fields.joined !== false }),
    }),
    addBot: (fields) => discord.addBot(text(fields, 'guild')),
    removeBot: (fields) => discord.removeBot(text(fields, 'guild')),
    thread: (fields) => ({
      id: discord.thread(text(fields, 'chat'), person(fields.person), text(fields, 'name'), {
        ...(fields.on !== undefined && { on: text(fields, 'on') }),
        ...(fields.text !== undefined && { text: text(fields, 'text') }),
        private: fields.private === true,
      }),
    }),
    archive: (fields) => discord.archive(text(fields, 'thread'), flag(fields.archived)),
    lock: (fields) => discord.lock(text(fields, 'thread'), flag(fields.locked)),
    slash: (fields) => ({
      id: discord.slash(
        text(fields, 'chat'),
        person(fields.person),
        text(fields, 'command'),
        (typeof fields.options === 'object' && fields.options !== null ? fields.options : {}) as Record<
          string,
          unknown
        >,
      ),
    }),
    messageCommand: (fields) => ({
      id: discord.messageCommand(
        text(fields, 'chat'),
        text(fields, 'message'),
        person(fields.person),
        text(fields, 'command'),
      ),
    }),
    webhookSay: (fields) => ({
      id: discord.sayAsWebhook(text(fields, 'chat'), text(fields, 'name'), text(fields, 'text')),
    }),
    join: (fields) => discord.join(person(fields.person)),
    leave: (fields) => discord.leave(person(fields.person)),
    nickname: (fields) => discord.nickname(person(fields.person), text(fields, 'nick')),
    rename: (fields) => discord.renameChannel(text(fields, 'chat'), text(fields, 'name')),
    grant: (fields) => ({
      flags: discord.grant((Array.isArray(fields.intents) ? fields.intents : []) as PrivilegedIntent[]),
    }),
    reconnect: () => simulator.reconnect(),
    invalidate: (fields) => simulator.invalidate(fields.resumable === true),
    closeGateway: (fields) => simulator.closeGateway(Number(fields.code ?? 4000)),
    expireSessions: () => simulator.expireSessions(),
    revoke: () => simulator.revoke(),
    restore: () => simulator.restore(),
    settings: () => simulator.settings('socket'),
    inject: (fields) =>
      simulator.inject(text(fields, 'event'), (fields.data ?? {}) as Record<string, unknown>),
  }
}
