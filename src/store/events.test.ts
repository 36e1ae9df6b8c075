/** What comes in besides messages and edits: doubles, echoes, reactions, changes of the chat, what nobody reads. */
import { describe, expect, it } from 'vitest'
import { message, policy, SELF } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import { type InboundChange, parseDoc } from '../messaging/contract.js'
import { COMMANDS } from './commands-table.js'

const ANN = { id: 'ann', name: 'Ann', kind: 'person' } as const
const lobby = { chat: 'lobby' }
const change = (room: TestRoom, what: Partial<InboundChange>, event = 'c1') =>
  room.accept({ kind: 'change', event, at: room.now, place: lobby, author: ANN, ...what })
const names = (room: TestRoom) => COMMANDS.members(room.room, 'local:lobby').map(({ name }) => name)

describe('the same thing twice', () => {
  it('is known by its event, and by its own id', () => {
    const room = new TestRoom()
    const first = room.say('@Golem hi', { id: 'q', event: 'e1' })
    expect(room.say('@Golem hi', { id: 'q', event: 'e1' })).toMatchObject({
      status: 'known',
      message: first.message,
    })
    expect(room.say('@Golem hi', { id: 'q', event: 'e2' }).message).toBe(first.message)
    expect(room.claim()).toHaveLength(1)
  })

  it('is two things on two connections: both bots hear it', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: 'q' })
    const other = COMMANDS.accept(room.room, {
      connection: 'local.two',
      self: SELF,
      can: { operations: ['post'], buttons: false, threads: false },
      event: {
        kind: 'reaction',
        event: 'message:q',
        at: room.now,
        place: lobby,
        author: ANN,
        id: 'q',
        emoji: 'x',
        added: true,
      },
      receivedAt: room.now,
    })
    expect(other.status).toBe('new')
  })

  it('is remembered for thirty days', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: 'q', event: 'e1' })
    room.now += 30 * 86_400_000
    room.tend()
    expect(room.say('@Golem hi', { id: 'q', event: 'e1' }).status).toBe('known')
    room.now += 1
    expect(room.tend().pruned).toBeGreaterThan(0)
    // The message itself is known still.
    room.say('@Golem hi', { id: 'q', event: 'e1' })
    expect(COMMANDS.status(room.room).messages).toBe(1)
  })
})

describe('the bot itself', () => {
  it('its echo is never input, and finds the post it is', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: 'q' })
    room.answer(room.next(), '@Golem hello')
    room.deliver()
    const native = room.receipt('local:lobby:q').turns[0]?.operations[0]?.native ?? ''
    const self = { ...SELF, kind: 'self' as const }
    const echo = room.say('@Golem hello', { id: native, author: self })
    expect(room.receipt(String(echo.message)).outcome).toBe('said')
    room.say('@Golem said elsewhere', { id: 'x', author: self })
    expect(room.claim()).toEqual([])
    expect(COMMANDS.status(room.room).messages).toBe(2)
  })
})

describe('the chat', () => {
  it('has the title and the people that the platform says', () => {
    const room = new TestRoom()
    room.say('hi')
    change(room, {
      title: 'Release',
      joined: [{ id: 'bob', name: 'Bob', kind: 'person', aliases: ['bobby'] }],
    })
    expect(COMMANDS.rooms(room.room)[0]).toMatchObject({ key: 'local:lobby', title: 'Release' })
    expect(names(room)).toEqual(['Ann', 'Bob'])
    change(room, { left: [{ id: 'bob', name: 'Bob', kind: 'person' }] }, 'c2')
    expect(names(room)).toEqual(['Ann'])
    change(room, { left: [{ id: 'nobody', name: 'Nobody', kind: 'person' }] }, 'c3')
    expect(names(room)).toEqual(['Ann'])
  })

  it('a rename is followed, and keeps the other names', () => {
    const room = new TestRoom()
    change(room, { joined: [{ id: 'ann', name: 'Ann', kind: 'person', aliases: ['annie'] }] })
    room.say('hi', { author: { ...ANN, name: 'Anna' } })
    expect(COMMANDS.members(room.room, 'local:lobby')).toEqual([
      { id: 'ann', name: 'Anna', kind: 'person', aliases: ['annie'] },
    ])
  })

  it('is made by what comes first, whatever that is', () => {
    const room = new TestRoom()
    change(room, { title: 'New' })
    expect(COMMANDS.roomMessages(room.room, 'local:lobby', { limit: 5 })).toEqual([])
    expect(COMMANDS.roomMessages(room.room, 'local:den', { limit: 5 })).toBeNull()
  })

  it('keeps its kind and title when a message does not say them', () => {
    const room = new TestRoom()
    room.say('hi', { chat: { kind: 'dm', title: 'Ann' }, place: { chat: 'd' } })
    room.accept({ kind: 'skipped', reason: 'service-notice', event: 's', place: { chat: 'd' }, at: room.now })
    expect(COMMANDS.rooms(room.room)[0]).toMatchObject({ kind: 'dm', title: 'Ann' })
  })
})

describe('reactions and what is not read', () => {
  it('a reaction starts nothing, and names the message it is on', () => {
    const room = new TestRoom()
    const { message } = room.say('hi', { id: 'm' })
    const react = (id: string, event: string) =>
      room.accept({
        kind: 'reaction',
        event,
        at: room.now,
        place: lobby,
        author: ANN,
        id,
        emoji: '👍',
        added: true,
      })
    expect(react('m', 'r1')).toEqual({
      status: 'new',
      abort: [],
      operationsAt: null,
      awaited: false,
      message,
    })
    expect(react('nowhere', 'r2')).toEqual({ status: 'new', abort: [], operationsAt: null, awaited: false })
    expect(room.claim()).toEqual([])
  })

  it('what a codec skips has a receipt that says why, and is no line for anybody', () => {
    const room = new TestRoom()
    const { message } = room.accept({
      kind: 'skipped',
      reason: 'unsupported-kind',
      detail: 'a poll',
      event: 's1',
      place: lobby,
      at: room.now,
    })
    const receipt = room.receipt(String(message))
    expect(receipt).toMatchObject({ outcome: 'skipped', message: { text: null } })
    expect(receipt.summary).toMatch(/a poll/)
    expect(COMMANDS.roomMessages(room.room, 'local:lobby', { limit: 5 })).toEqual([])
    room.say('@Golem hi')
    expect(room.next().lines).toHaveLength(1)
    expect(room.accept({ kind: 'skipped', reason: 'malformed', at: room.now }).status).toBe('new')
  })
})

describe('what is about a message that was never seen', () => {
  const about = { at: 1, place: lobby, author: ANN, id: 'unknown' }

  it.each([
    ['edit', { kind: 'edit', event: 'e', doc: parseDoc('new words'), ...about }, /^An edit of a message/],
    ['deletion', { kind: 'delete', event: 'd', ...about }, /^A deletion of a message/],
  ] as const)('%s: changes nothing, and its receipt says so', (_, event, why) => {
    const room = new TestRoom()
    const { message } = room.accept(event)
    const receipt = room.receipt(String(message))
    expect([receipt.outcome, receipt.summary]).toEqual(['skipped', expect.stringMatching(why)])
    expect(room.accept(event)).toMatchObject({ status: 'known', message })
    expect(room.claim()).toEqual([])
    // The message itself may still come.
    room.say('@Golem late', { id: 'unknown' })
    expect(room.next().replyTo).toBe('unknown')
  })

  it('a reaction is nothing, and a press is told that its button is gone', () => {
    const room = new TestRoom()
    room.accept({ kind: 'reaction', event: 'r', emoji: 'x', added: true, ...about })
    expect(COMMANDS.status(room.room).messages).toBe(0)
    expect(room.press('nothing').whisper?.text).toMatch(/no longer valid/)
  })

  it("a deletion of a post of Golem's own is no news", () => {
    const room = new TestRoom()
    room.say('/help', { id: 'q', command: { name: 'help' } })
    room.deliver()
    const native = room.receipt('local:lobby:q').operations[0]?.native ?? ''
    expect(room.remove(native).message).toBeUndefined()
  })
})

it('who belongs to another organisation is told from those who do not', () => {
  const room = new TestRoom()
  room.say('hi', { id: 'q', author: { ...ANN, outside: true } })
  const receipt = room.receipt('local:lobby:q')
  expect(receipt.message.author).toEqual({ ...ANN, outside: true })
  expect(receipt.decision?.gates[0]).toMatchObject({ saw: { author: 'person', outside: true } })
  room.say('hi', { id: 'r' })
  expect(room.receipt('local:lobby:r').message.author).toEqual(ANN)
})

describe('a connection that is shown only what addresses the bot', () => {
  it.each(['smart', 'always'] as const)(
    'makes a room that is %s mention-only, and says why',
    (groupPolicy) => {
      const room = new TestRoom(policy({ groupPolicy }))
      room.accept(message('lunch?', { id: '1' }), { sees: 'addressed' })
      expect(room.receipt('local:lobby:1')).toMatchObject({
        outcome: 'kept',
        summary: expect.stringContaining('behaves as mention-only'),
        decision: {
          gates: expect.arrayContaining([
            expect.objectContaining({
              gate: 'policy',
              saw: { policy: groupPolicy, addressed: false, sees: 'addressed' },
            }),
          ]),
        },
      })
      expect(COMMANDS.rooms(room.room)).toMatchObject([
        { policy: 'mention-only', policyNote: expect.stringContaining('shown only what addresses the bot') },
      ])
      room.accept(message('@Golem lunch?', { id: '2' }), { sees: 'addressed' })
      expect(room.next().addressed).toBe(true)
      // It reads everything now.
      room.accept(message('and you?', { id: '3', place: { chat: 'den' } }), { sees: 'all' })
      expect(room.next().addressed).toBe(false)
    },
  )

  it('is no news in a room that is mention-only anyway', () => {
    const room = new TestRoom()
    room.accept(message('lunch?', { id: '1' }), { sees: 'addressed' })
    expect(room.receipt('local:lobby:1').summary).toMatch(/The room is mention-only/)
    expect(COMMANDS.rooms(room.room)).toMatchObject([{ policyNote: null }])
  })
})
