import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mentionsOf, plainText } from '../../src/messaging/contract.js'
import slack from './index.js'
import { LIMITS } from './limits.js'
import type { SlackRaw } from './raw.js'

const folder = new URL('./samples/', import.meta.url)
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
const SELF = { id: 'U061F7AUR', name: 'Golem' }
const read = (name: string) =>
  slack.codec.read(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as SlackRaw, SELF)
const message = (name: string) => {
  const found = read(name)
  if (found.kind !== 'message') throw new Error(`${name} is ${found.kind}`)
  return found
}

const KINDS: Record<string, string> = {
  edit: 'edit',
  'edit-preview': 'skipped',
  'edit-tombstone': 'delete',
  delete: 'delete',
  'notice-join': 'skipped',
  'notice-topic': 'skipped',
  joined: 'change',
  left: 'change',
  'new-id': 'change',
  renamed: 'change',
  'reaction-added': 'reaction',
  'reaction-removed': 'reaction',
  'user-change': 'skipped',
  press: 'press',
  'message-own': 'skipped',
}

describe('samples', () => {
  it.each(names)('%s reads as what it is', (file) => {
    const name = file.replace(/\.json$/, '')
    expect(read(name).kind).toBe(KINDS[name] ?? 'message')
  })

  it('a channel that gets another id moves, and its messages keep theirs', () => {
    expect(read('new-id')).toMatchObject({
      place: { chat: 'G012Y48650T' },
      movedTo: 'C012Y48650T',
      keepsIds: true,
    })
  })

  it('what was said can be said again, and reads the same', () => {
    for (const file of names) {
      const found = read(file.replace(/\.json$/, ''))
      if (found.kind !== 'message' || found.doc.children.length === 0) continue
      const [part] = slack.codec.write(found.doc, LIMITS)
      const body = { type: 'message', ts: '1.000001', user: 'U061ANN01', ...(part?.body as object) }
      const again = slack.codec.read({ body, from: 'history', channel: 'C1' }, SELF)
      if (again.kind !== 'message') throw new Error(`${file} is ${again.kind}`)
      const bare = (text: string) => text.replace(/[\s>•]+|\d+\. |---|———/g, '')
      expect(bare(plainText(again.doc)), file).toBe(bare(plainText(found.doc)))
    }
  })

  it('rich text is read to its depth', () => {
    const { doc } = message('message-rich')
    expect(doc.children.map(({ type }) => type)).toEqual(['paragraph', 'list', 'list', 'blockquote', 'code'])
    expect(doc.children[1]).toMatchObject({
      ordered: false,
      children: [{ children: [{ type: 'paragraph' }, { type: 'list', children: [{}] }] }],
    })
    expect(doc.children[2]).toMatchObject({ ordered: true, start: 1, children: [{}, {}] })
    expect(mentionsOf(doc)).toMatchObject([{ target: 'role', id: 'S061GRP01' }])
    expect(doc.source).toContain('🎉:party-parrot:')
  })

  it('the twins of one post are one event', () => {
    expect(message('app-mention').event).toBe(message('message-mention').event)
  })

  it('files: what has bytes is a file, what lies elsewhere a link, what is gone nothing', () => {
    const { files, doc } = message('message-files')
    expect(files?.map(({ name }) => name)).toEqual(['a.csv', 'image.png', 'audio_message.m4a'])
    expect(doc.source).toBe('@Golem read these\n\n[Plan](https://docs.google.com/document/d/1)')
  })

  it('a shortcut asks about its message, in its thread', () => {
    expect(message('shortcut-why')).toMatchObject({
      command: { name: 'why' },
      replyTo: { id: '1700000000.000100', text: 'helo', author: { id: 'U061ANN01' } },
    })
    expect(read('press')).toMatchObject({
      value: 'stop:7',
      id: '1700000009.000900',
      place: { thread: '1700000000.000100' },
    })
  })

  it('history knows whose post it is', () => {
    expect(message('history-own')).toMatchObject({
      author: { kind: 'self' },
      place: { chat: 'C061CHAN1', thread: '1700000000.000100' },
      chat: { title: 'general' },
    })
  })
})
