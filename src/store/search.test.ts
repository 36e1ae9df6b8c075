import { describe, expect, it } from 'vitest'
import { policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import { COMMANDS } from './commands-table.js'

const find = (room: TestRoom, query: string, conversation = 'local:lobby', limit = 5) =>
  COMMANDS.searchTranscript(room.room, conversation, query, limit).map(({ text }) => text)

describe('the transcript', () => {
  it('finds words in any case and form, the best first', () => {
    const room = new TestRoom()
    room.say('Deploying takes an hour')
    room.say('we deploy to Frankfurt, and deploy again')
    room.say('lunch is at noon')
    expect(find(room, 'how are DEPLOYS done?')).toEqual(
      expect.arrayContaining(['we deploy to Frankfurt, and deploy again', 'Deploying takes an hour']),
    )
    expect(find(room, 'lunch')).toEqual(['lunch is at noon'])
  })

  it('finds Chinese, Japanese and Korean words within a line', () => {
    const room = new TestRoom()
    room.say('明天上午发布新版本')
    room.say('会議は金曜日です')
    room.say('배포는 금요일에 합니다')
    expect(find(room, '发布')).toEqual(['明天上午发布新版本'])
    expect(find(room, '金曜日')).toEqual(['会議は金曜日です'])
    expect(find(room, '금요일')).toEqual(['배포는 금요일에 합니다'])
    expect(find(room, '周末')).toEqual([])
  })

  it('knows what was said after it was indexed, and what was edited or deleted before', () => {
    const room = new TestRoom()
    room.say('the walrus', { id: 'a' })
    room.edit('a', 'the otter')
    room.say('the heron', { id: 'b' })
    room.remove('b')
    expect(find(room, 'walrus otter heron')).toEqual(['the otter'])
    room.say('the heron is back')
    expect(find(room, 'heron')).toEqual(['the heron is back'])
  })

  it('never shows another conversation', () => {
    const room = new TestRoom()
    room.say('the code is walrus', { place: { chat: 'den' } })
    room.say('the code is walrus', { place: { chat: 'lobby', thread: 't' } })
    room.say('the code is walrus', { chat: { kind: 'dm' }, place: { chat: 'd' } })
    expect(find(room, 'walrus')).toEqual([])
    expect(find(room, 'walrus', 'local:d:ann')).toHaveLength(1)
    expect(find(room, 'walrus', 'local:d:bob')).toEqual([])
    expect(find(room, 'walrus', 'local:lobby:t')).toHaveLength(1)
    expect(COMMANDS.readTranscript(room.room, 'local:lobby', null, 10)).toEqual([])
  })

  it.each([
    '',
    '   ',
    '"',
    "'; DROP TABLE messages; --",
    'NEAR(',
    '* OR *',
    'a AND',
    '-',
    '\u0000',
    '🎉',
    '^x',
    '{a b}',
  ])('takes any question: %j', (query) => {
    const room = new TestRoom()
    room.say('hello there')
    expect(find(room, query)).toEqual([])
    expect(find(room, 'hello')).toHaveLength(1)
  })

  it('no more than was asked for', () => {
    const room = new TestRoom()
    for (let n = 0; n < 9; n++) room.say(`heron ${n}`)
    expect(find(room, 'heron', 'local:lobby', 3)).toHaveLength(3)
  })

  it('is read backwards in pages, oldest first in each', () => {
    const room = new TestRoom()
    for (let n = 1; n <= 5; n++) {
      room.now += 1_000
      room.say(`line ${n}`)
    }
    const page = (before: number | null) => COMMANDS.readTranscript(room.room, 'local:lobby', before, 2)
    const last = page(null)
    expect(last.map(({ text }) => text)).toEqual(['line 4', 'line 5'])
    expect(page(last[0]?.at ?? 0).map(({ text }) => text)).toEqual(['line 2', 'line 3'])
  })
})

describe('knowledge', () => {
  const documents = [
    { source: 'skill faq', title: 'How do I restart?', text: 'Type golem start.' },
    { source: 'skill faq', title: '怎么重启？', text: '输入 golem start。' },
    { source: 'skill notes', title: 'Cats', text: 'They restart whenever they like.' },
  ]

  it('is found by title before text, and replaced as a whole', () => {
    const room = new TestRoom(policy())
    COMMANDS.indexKnowledge(room.room, documents)
    const found = COMMANDS.searchKnowledge(room.room, 'how to restart', 5)
    expect(found[0]).toMatchObject({ title: 'How do I restart?', source: 'skill faq' })
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a))
    expect(COMMANDS.searchKnowledge(room.room, '重启', 5)[0]?.title).toBe('怎么重启？')
    COMMANDS.indexKnowledge(room.room, documents.slice(2))
    expect(COMMANDS.searchKnowledge(room.room, 'golem restart', 5).map(({ title }) => title)).toEqual([
      'Cats',
    ])
    COMMANDS.indexKnowledge(room.room, [])
    expect(COMMANDS.searchKnowledge(room.room, 'restart', 5)).toEqual([])
  })
})
