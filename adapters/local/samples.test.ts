import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { plainText } from '../../src/messaging/contract.js'
import { localRaw } from './raw.js'
import { read } from './read.js'

const folder = new URL('./samples/', import.meta.url)
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
const sample = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
const self = { id: '@golem', name: 'Golem' }

describe('samples', () => {
  it.each(names)('%s is an event as it is stored, and is understood', (name) => {
    const raw = sample(name)
    expect(localRaw.parse(raw)).toEqual(raw)
    const event = read(raw, self)
    expect(event).toMatchObject({ event: raw.event, at: raw.at, place: { chat: raw.room.id } })
    expect(event.kind).toBe({ room: 'change' }[raw.type as string] ?? raw.type)
  })

  it('cover every type of event', () => {
    const types = new Set(names.map((name) => sample(name).type))
    expect([...types].sort()).toEqual(['delete', 'edit', 'message', 'press', 'reaction', 'room'])
  })

  it('read as what was said', () => {
    const quoted = read(sample('message-reply-in-thread.json'), self)
    expect(quoted).toMatchObject({
      place: { chat: 'lobby', thread: '1' },
      replyTo: {
        id: '2',
        author: { id: '@golem', name: 'Reviewer', kind: 'self' },
        text: 'I would use a queue.',
      },
    })
    const mentioned = read(sample('message-mention.json'), self)
    if (mentioned.kind !== 'message') throw new Error('not a message')
    expect(JSON.stringify(mentioned.doc)).toContain('"target":"user","id":"@golem"')
    expect(plainText(mentioned.doc)).toBe('@Golem how do I reset my password?')
    expect(read(sample('message-command.json'), self)).toMatchObject({
      command: { name: 'why', target: 'Golem' },
    })
    expect(read(sample('message-dm.json'), self)).toMatchObject({ chat: { kind: 'dm' } })
    expect(read(sample('message-own-from-history.json'), self)).toMatchObject({
      author: { id: '@golem', name: 'Reviewer', kind: 'self' },
    })
  })
})
