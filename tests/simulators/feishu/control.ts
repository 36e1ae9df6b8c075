/** What the control API offers for Feishu beside the common words. */
import type { Extras } from '../kit/control.js'
import type { Person } from '../kit/stage.js'
import { text } from '../kit/wants.js'
import type { People } from './people.js'

/** What a simulator of Feishu can do beside the common words. */
export interface Controlled {
  readonly feishu: People
  readonly bot: Person
  people(): readonly Person[]
  settings(how: 'socket' | 'webhook'): Record<string, unknown>
  revoke(): void
  restore(): void
  inject(body: Record<string, unknown>): string
}

export function extras(simulator: Controlled): Extras {
  const { feishu } = simulator
  /** By id or by name, as in the common words; absent: the bot. */
  const person = (who: unknown): Person => {
    if (who === undefined) return simulator.bot
    const found = simulator.people().find(({ id, name }) => id === who || name === who)
    if (found === undefined) throw new Error(`There is no person ${String(who)}: POST /_sim/people first`)
    return found
  }
  const by = (who: unknown): Person | undefined => (who === undefined ? undefined : person(who))
  const chat = (fields: Readonly<Record<string, unknown>>): string => text(fields, 'chat')
  return {
    topics: (fields) => ({
      id: feishu.topicGroup(
        text(fields, 'title'),
        (Array.isArray(fields.people) ? fields.people : []).map((one) => person(one)),
      ),
    }),
    external: (fields) => feishu.externalPerson(text(fields, 'name')),
    add: (fields) => feishu.add(chat(fields), person(fields.person), by(fields.by)),
    remove: (fields) => feishu.remove(chat(fields), person(fields.person), by(fields.by)),
    rename: (fields) => feishu.rename(chat(fields), text(fields, 'name'), by(fields.by)),
    disband: (fields) => feishu.disband(chat(fields), by(fields.by)),
    forward: (fields) => ({
      id: feishu.forward(
        chat(fields),
        person(fields.person),
        (Array.isArray(fields.messages) ? fields.messages : []).map(String),
      ),
    }),
    sticker: (fields) => ({ id: feishu.sticker(chat(fields), person(fields.person)) }),
    menu: (fields) => feishu.menu(person(fields.person), text(fields, 'key')),
    toasts: () => feishu.toasts,
    revoke: () => simulator.revoke(),
    restore: () => simulator.restore(),
    settings: (fields) => simulator.settings(fields.how === 'webhook' ? 'webhook' : 'socket'),
    inject: (fields) => ({ id: simulator.inject((fields.body ?? {}) as Record<string, unknown>) }),
  }
}
