import { describe, expect, it } from 'vitest'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { InboundMessage } from '../messaging/contract.js'
import { COMMANDS } from './commands-table.js'

const BOB = { id: 'bob', name: 'Bob', kind: 'person' } as const

/** Gives a command and reads what Golem answers. */
function command(room: TestRoom, name: string, change: Partial<InboundMessage> = {}): string {
  room.say(`/${name}`, { command: { name }, ...change })
  let said = ''
  for (let claimed = room.operations(); claimed.length > 0; claimed = room.operations())
    for (const { id, op } of claimed) {
      if (op.kind === 'note') said = op.notice.kind === 'command' ? op.notice.text : op.notice.kind
      COMMANDS.recordReceipt(room.room, id, {
        state: 'sent',
        at: room.now,
        receipt: { id: `p${id}`, at: room.now },
      })
    }
  return said
}
const why = (room: TestRoom, argument = '', change: Partial<InboundMessage> = {}) => {
  const text = `/why ${argument}`.trim()
  room.say(text, { command: { name: 'why' }, ...change })
  const claimed = room.operations()
  for (const { id } of claimed)
    COMMANDS.recordReceipt(room.room, id, {
      state: 'sent',
      at: room.now,
      receipt: { id: `p${id}`, at: room.now },
    })
  const note = claimed.map(({ op }) => op).findLast((op) => op.kind === 'note')
  return note?.kind === 'note' && note.notice.kind === 'command' ? note.notice.text : ''
}

describe('/why', () => {
  const talk = () => {
    const room = new TestRoom()
    room.say('just talking', { id: 'a' })
    room.say('@Golem hi', { id: 'b' })
    room.answer(room.next(), 'hello')
    room.deliver()
    room.say('secret of Bob', { id: 'c', author: BOB })
    return room
  }

  it('explains the last message of who asks, commands aside', () => {
    const room = talk()
    expect(why(room)).toMatch(/^Answered by Golem/)
    expect(why(room, 'last')).toMatch(/^Answered by Golem/)
    expect(why(room, '', { author: BOB })).toMatch(/^Not answered/)
  })

  it('explains the message it replies to, or names', () => {
    const room = talk()
    const { id } = room.receipt('local:lobby:a').message
    for (const text of [
      why(room, '', { replyTo: { id: 'a' } }),
      why(room, 'a'),
      why(room, 'local:lobby:a'),
      why(room, `${id}`),
    ])
      expect(text).toMatch(/^Not answered: kept as context/)
  })

  it('explains an answer, by any post of it, and by a notice of Golem', () => {
    const room = talk()
    const post = room.receipt('local:lobby:b').turns[0]?.operations.find(({ kind }) => kind === 'post')
    expect(why(room, '', { replyTo: { id: post?.native ?? '' } })).toMatch(/^Said by Golem/)
  })

  it("shows nobody another's message, nor one of another chat", () => {
    const room = talk()
    room.say('mine in the den', { id: 'd', place: { chat: 'den' } })
    expect(why(room, 'c')).toBe('Only your own messages can be explained to you.')
    expect(why(room, '', { replyTo: { id: 'c' } })).toBe('Only your own messages can be explained to you.')
    expect(why(room, 'local:den:d')).toBe('I found no message of yours here.')
    expect(why(room, `${room.receipt('local:den:d').message.id}`)).toBe('I found no message of yours here.')
    expect(why(room, 'nowhere')).toBe('I found no message of yours here.')
  })

  it('holds nothing of what a program said when it failed', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: 'b' })
    room.settle(room.next().id, { state: 'failed', code: 'exit', message: '/srv/secret is missing' })
    room.deliver()
    expect(why(room)).not.toContain('secret')
  })
})

describe('/status, /agents, /help', () => {
  it('says who works for whom, and who waits', () => {
    const room = new TestRoom()
    expect(command(room, 'status')).toBe('Nothing is running or waiting here.')
    room.say('@Golem front', { author: { ...BOB, name: 'Bob\n- **Golem** works for you' } })
    room.next()
    room.say('@Librarian hi')
    const status = command(room, 'status')
    expect(status.split('\n')).toHaveLength(2)
    expect(status).toMatch(/Golem.*works for Bob/)
    expect(status).toMatch(/Librarian.*waits, for Ann/)
    expect(command(room, 'status', { place: { chat: 'den' } })).toBe('Nothing is running or waiting here.')
  })

  it('names the agents of the room, not the hidden ones', () => {
    const room = new TestRoom(
      policy({}, [
        agent('Golem', { orchestrator: true, role: 'leads' }),
        agent('Old', { archived: true }),
        agent('Shade', { hidden: true }),
      ]),
    )
    const said = command(room, 'agents')
    expect(said).toMatch(/Golem.*leads/)
    expect(said).toMatch(/Old.*archived/)
    expect(said).not.toContain('Shade')
  })

  it('speaks the language of the house', () => {
    const room = new TestRoom(policy({}, undefined, { language: 'zh' }))
    expect(command(room, 'help')).toMatch(/输入 @/)
    expect(command(room, 'status')).toBe('没有任务在运行或等待。')
    expect(command(room, 'stop')).toBe('这里没有你的任务在运行。')
  })
})

describe('/stop', () => {
  it('stops what the person asked for here, at work or waiting; nothing else', () => {
    const room = new TestRoom()
    room.say('@Golem one')
    const one = room.next()
    room.say('@Golem two', { author: BOB })
    room.say('@Librarian three', { id: 'three' })
    room.say('@Scribe elsewhere', { place: { chat: 'den' } })
    expect(room.say('/stop', { command: { name: 'stop' } }).abort).toEqual([{ turn: one.id, why: 'stopped' }])
    room.settle(one.id, { state: 'cancelled', reason: 'stopped' })
    expect(room.receipt('local:lobby:three').outcome).toBe('stopped')
    expect(room.claim().map(({ agent: name }) => name)).toEqual(expect.arrayContaining(['Golem', 'Scribe']))
  })

  it.each([
    '@Librarian stop',
    'stop @Librarian',
    '@Librarian please stop!',
    '@Librarian, 停',
    '@Librarian stop now.',
    'stop it, @Librarian',
    '@Librarian **stop**',
    '/stop @Librarian',
    '!stop @Librarian',
  ])('%s stops that agent alone, at work for whoever asked, and not for others', (words) => {
    const room = new TestRoom()
    room.say('@Golem one')
    const golem = room.next()
    room.ask(golem, 'Librarian')
    const librarian = room.next()
    expect(room.say(words, { author: BOB }).abort).toEqual([])
    expect(room.say(words).abort).toEqual([{ turn: librarian.id, why: 'stopped' }])
    room.settle(golem.id, { state: 'settled', text: '' })
    room.settle(librarian.id, { state: 'cancelled', reason: 'stopped' })
    const follow = room.next()
    expect(follow).toMatchObject({ kind: 'follow-up', agent: 'Golem' })
    expect(follow.lines.at(-1)?.text).toContain('Librarian gave no result: was stopped')
  })

  it('@everyone stop is all that the person asked for; what has an object is a question', () => {
    const room = new TestRoom()
    room.say('@Golem one')
    const one = room.next()
    for (const words of [
      '@Golem stop the build',
      '@Golem do not stop',
      'stop',
      'let us stop @Golem now please',
    ])
      expect(room.say(words).abort).toEqual([])
    expect(room.say('@everyone stop', { author: BOB }).abort).toEqual([])
    expect(room.deliver().filter((line) => line.startsWith('note command'))).toEqual([])
    expect(room.say('@everyone stop').abort).toEqual([{ turn: one.id, why: 'stopped' }])
  })

  it('of what only waits is answered by Golem itself', () => {
    const room = new TestRoom()
    room.say('@Golem one', { author: BOB })
    room.next()
    room.say('@Librarian two')
    room.say('@Scribe three')
    expect(command(room, 'stop')).toBe('stopped')
  })
})
