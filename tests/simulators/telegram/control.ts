/** What the control API offers for this platform alone: `POST /_sim/<name>`. */
import type { Extras } from '../kit/control.js'
import type { Person } from '../kit/stage.js'
import { type Fields, Refusal, text } from '../kit/wants.js'
import type { TelegramSimulator } from './simulator.js'

export function extras(simulator: TelegramSimulator): Extras {
  const person = (fields: Fields, name = 'person'): Person => {
    const wanted = fields[name]
    const people = simulator.people()
    const found = people.find((one) => one.id === wanted) ?? people.find((one) => one.name === wanted)
    if (!found) throw new Refusal('no_such_person', `There is no person ${String(wanted)}`, 404)
    return found
  }
  const people = (fields: Fields): Person[] => {
    const ids = Array.isArray(fields.people) ? fields.people : []
    return ids.map((id: unknown) => person({ person: id }))
  }
  const chat = (fields: Fields): string => text(fields, 'chat')
  return {
    'basic-group': (fields) => ({ id: simulator.basicGroup(text(fields, 'title'), people(fields)) }),
    forum: (fields) => ({ id: simulator.forum(text(fields, 'title'), people(fields)) }),
    channel: (fields) => ({ id: simulator.channel(text(fields, 'title'), people(fields)) }),
    'channel-post': (fields) => ({ id: simulator.channelPost(chat(fields), text(fields, 'text')) }),
    link: (fields) => simulator.link(text(fields, 'channel'), chat(fields)),
    topic: (fields) => ({ id: simulator.topic(chat(fields), person(fields), text(fields, 'name')) }),
    migrate: (fields) => ({ id: simulator.migrate(chat(fields), person(fields)) }),
    'add-bot': (fields) => simulator.addBot(chat(fields), person(fields), { admin: fields.admin === true }),
    'remove-bot': (fields) => simulator.removeBot(chat(fields), person(fields)),
    'promote-bot': (fields) => simulator.promoteBot(chat(fields), person(fields), fields.admin !== false),
    join: (fields) => simulator.join(chat(fields), person(fields)),
    leave: (fields) => simulator.leave(chat(fields), person(fields)),
    rename: (fields) => simulator.rename(chat(fields), person(fields), text(fields, 'title')),
    'anonymous-admin': (fields) => simulator.anonymousAdmin(chat(fields), person(fields)),
    block: (fields) => simulator.block(person(fields), fields.blocked !== false),
    privacy: (fields) => simulator.setPrivacy(fields.on !== false),
    revoke: (fields) => simulator.revokeToken(fields.revoked !== false),
  }
}
