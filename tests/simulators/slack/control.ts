/** What the control API offers for Slack beside the common words. */
import type { Extras } from '../kit/control.js'
import type { Person } from '../kit/stage.js'
import { text } from '../kit/wants.js'
import type { People } from './people.js'
import type { DisconnectReason } from './sockets.js'

const REASONS: readonly DisconnectReason[] = [
  'warning',
  'refresh_requested',
  'link_disabled',
  'too_many_websockets',
]

/** What a simulator of Slack can do beside the common words. */
export interface Controlled {
  readonly slack: People
  readonly bot: Person
  people(): readonly Person[]
  settings(how: 'socket' | 'webhook'): Record<string, unknown>
  disconnect(reason: DisconnectReason): void
  revoke(): void
  restore(): void
  inject(event: Record<string, unknown>): string
}

export function extras(simulator: Controlled): Extras {
  const { slack } = simulator
  /** By id or by name, as in the common words. */
  const person = (who: unknown): Person =>
    simulator.people().find(({ name }) => name === who) ?? slack.personOf(String(who))
  return {
    channel: (fields) => ({
      id: slack.channel(text(fields, 'name'), {
        private: fields.private === true,
        joined: fields.joined !== false,
      }),
    }),
    slash: (fields) =>
      slack.slash(
        text(fields, 'chat'),
        person(fields.person),
        text(fields, 'command'),
        text(fields, 'text', ''),
      ),
    invite: (fields) =>
      slack.invite(text(fields, 'chat'), fields.person === undefined ? simulator.bot : person(fields.person)),
    kick: (fields) =>
      slack.kick(text(fields, 'chat'), fields.person === undefined ? simulator.bot : person(fields.person)),
    rename: (fields) => slack.rename(text(fields, 'chat'), text(fields, 'name'), person(fields.person)),
    archive: (fields) => slack.archive(text(fields, 'chat'), person(fields.person)),
    disconnect: (fields) =>
      simulator.disconnect(REASONS.find((reason) => reason === fields.reason) ?? 'refresh_requested'),
    revoke: () => simulator.revoke(),
    restore: () => simulator.restore(),
    settings: (fields) => simulator.settings(fields.how === 'webhook' ? 'webhook' : 'socket'),
    inject: (fields) => ({ id: simulator.inject((fields.event ?? {}) as Record<string, unknown>) }),
  }
}
