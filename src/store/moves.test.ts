/** A chat that goes on under another id, as a group that became a supergroup does. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { natively } from '../../tests/support/decision.js'
import { policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { InboundChange, InboundMessage } from '../messaging/contract.js'
import type { ClaimedTurn } from '../messaging/store.js'
import { COMMANDS } from './commands-table.js'

const ANN = { id: 'ann', name: 'Ann', kind: 'person' } as const
const OLD = { place: { chat: '-45' } }
const NEW = { place: { chat: '-10045' } }
const move = (room: TestRoom, event = 'm1', change: Partial<InboundChange> = {}) =>
  room.accept({ kind: 'change', event, at: room.now, author: ANN, ...OLD, movedTo: '-10045', ...change })
const old = (room: TestRoom, text: string, id: string, change: Partial<InboundMessage> = {}) =>
  room.say(text, { id, event: `old:${id}`, ...OLD, ...change })
const now = (room: TestRoom, text: string, id: string, change: Partial<InboundMessage> = {}) =>
  room.say(text, { id, event: `new:${id}`, ...NEW, ...change })
const texts = (turn: ClaimedTurn) => turn.lines.map(({ text }) => text)

describe('a chat that moves', () => {
  it('takes its context, people and count along, and its old lines are found under their old names', () => {
    const room = new TestRoom()
    old(room, 'we ship on Friday', '5')
    old(room, '@Golem ok?', '6')
    room.answer(room.next(), 'ok')
    room.deliver()
    expect(move(room)).toMatchObject({ moved: { from: 'local:-45', to: 'local:-10045', memory: false } })
    now(room, '@Golem when do we ship?', '2')
    const turn = room.next()
    expect(turn).toMatchObject({
      chatKey: 'local:-10045',
      place: { chat: '-10045' },
      formerly: ['local:-45'],
    })
    expect(texts(turn)).toEqual(
      ['we ship on Friday', '@Golem ok?', 'ok', '@Golem when do we ship?'].map((text) =>
        text.replace('@Golem ', ''),
      ),
    )
    expect(room.receipt('local:-45:5').message).toMatchObject({
      chatKey: 'local:-10045',
      reference: 'local:-45:5',
      text: 'we ship on Friday',
    })
    expect(room.receipt('local:-45:6').outcome).toBe('answered')
    expect(COMMANDS.members(room.room, 'local:-10045').map(({ name }) => name)).toEqual(['Ann'])
    expect(COMMANDS.rooms(room.room)).toMatchObject([{ key: 'local:-10045', messages: 4 }])
    expect(COMMANDS.status(room.room).moved).toMatchObject([{ from: 'local:-45', to: 'local:-10045' }])
  })

  it('never takes a message for the one that had its number before', () => {
    const room = new TestRoom()
    old(room, '@Golem first five', '5')
    room.answer(room.next(), 'one')
    room.deliver()
    move(room)
    now(room, '@Golem second five', '5')
    const turn = room.next()
    expect(texts(turn)).toContain('second five')
    expect(turn.replyTo).toBe('5')
    expect(room.receipt('local:-45:5').message.text).toBe('@Golem first five')
    expect(room.receipt('local:-10045:5').message.text).toBe('@Golem second five')
  })

  it('answers in the new chat what was asked in the old one, quoting nothing there', () => {
    const room = new TestRoom()
    old(room, '@Golem waiting', '1')
    old(room, '@Golem behind it', '2', { author: { id: 'bob', name: 'Bob', kind: 'person' } })
    const running = room.next()
    move(room)
    room.answer(running, 'first')
    const sent = room.operations()
    expect(sent.map(({ op, chatKey }) => [chatKey, op])).toEqual([
      ['local:-10045', expect.objectContaining({ kind: 'post', place: { chat: '-10045' } })],
    ])
    expect(sent[0]?.op).not.toHaveProperty('replyTo')
    const behind = room.next()
    expect(behind).toMatchObject({ conversation: 'local:-10045', replyTo: null, place: { chat: '-10045' } })
  })

  it('sends what waited in the outbox to the new id, and changes no strange message there', () => {
    const room = new TestRoom()
    old(room, '@Golem slow', '1')
    room.now += 200
    const turn = room.next()
    room.now += 6_000
    expect(room.deliver()).toContain('note working')
    move(room)
    room.answer(turn, 'done')
    // The status post and the mark stand in the old chat, which nobody can change any more.
    expect(room.deliver()).toEqual(['post done'])
  })

  it('knows a post that was under way when it moved', () => {
    const room = new TestRoom()
    old(room, '@Golem hi', '1')
    room.answer(room.next(), 'hello')
    const [sending] = room.operations()
    move(room)
    COMMANDS.recordReceipt(room.room, sending?.id ?? 0, {
      state: 'sent',
      at: room.now,
      receipt: { id: '9', at: room.now },
    })
    expect(room.receipt('local:-45:9')).toMatchObject({ outcome: 'said' })
    // Number nine of the new chat is somebody else's.
    now(room, 'nine', '9')
    expect(room.receipt('local:-10045:9')).toMatchObject({ outcome: 'kept', message: { text: 'nine' } })
  })

  it('is told as often as you like', () => {
    const room = new TestRoom()
    old(room, 'hi', '1')
    expect(move(room).moved).toBeDefined()
    expect(move(room).status).toBe('known')
    expect(move(room, 'm2').moved).toBeUndefined()
    expect(move(room, 'm3', { place: { chat: '-10045' } }).moved).toBeUndefined()
    expect(COMMANDS.moves(room.room)).toHaveLength(1)
    COMMANDS.memoryMoved(room.room, 'local:-45')
    expect(COMMANDS.moves(room.room)).toMatchObject([{ memory: true }])
  })

  it('hears what comes under the new id before the notice, and under the old one after it', () => {
    const room = new TestRoom()
    old(room, 'one', '1')
    now(room, 'two', '1')
    move(room)
    old(room, 'three', '2')
    now(room, '@Golem four', '2')
    expect(texts(room.next())).toEqual(['one', 'two', 'three', 'four'])
    expect(room.receipt('local:-45:2').message.text).toBe('three')
  })

  it('answers a mention that comes late under the old id, in the new chat', () => {
    const room = new TestRoom()
    move(room)
    old(room, '@Golem late', '7')
    const turn = room.next()
    expect(turn).toMatchObject({ replyTo: null, place: { chat: '-10045' } })
    room.answer(turn, 'here')
    expect(room.operations().map(({ op }) => op.place)).toEqual([{ chat: '-10045' }])
    expect(old(room, '@Golem late', '7').status).toBe('known')
    expect(room.say('@Golem late', { id: '7', event: 'again', ...OLD })).toMatchObject({
      message: turn.message,
    })
  })

  it('takes an edit and a deletion that come late under the old id', () => {
    const room = new TestRoom()
    old(room, 'secret', '1')
    old(room, 'we ship on Firday', '2')
    move(room)
    room.remove('1')
    room.accept({ kind: 'delete', event: 'd1', at: room.now, author: ANN, id: '1', ...OLD })
    room.edit('2', 'we ship on Friday', OLD)
    expect(room.receipt('local:-45:1').message).toMatchObject({ text: null })
    expect(room.receipt('local:-45:2').message).toMatchObject({ text: 'we ship on Friday' })
  })

  it('keeps what golem.yaml says under the old id: its settings, and who is shut out', () => {
    const room = new TestRoom(
      policy({}, undefined, {
        rooms: { 'local:-45': { groupPolicy: 'always' } },
        access: { local: { deny: { chats: ['-9'] } } },
      }),
    )
    move(room)
    now(room, 'hi', '1')
    expect(room.next().addressed).toBe(false)
    expect(COMMANDS.rooms(room.room)).toMatchObject([{ policy: 'always' }])
    room.accept({
      kind: 'change',
      event: 'm9',
      at: room.now,
      author: ANN,
      place: { chat: '-9' },
      movedTo: '-1009',
    })
    room.say('@Golem hi', { id: '1', event: 'x', place: { chat: '-1009' } })
    expect(room.receipt('local:-1009:1').decision).toMatchObject({ reason: 'access' })
  })

  it('that keeps its ids keeps its quotes and threads', () => {
    const room = new TestRoom()
    old(room, '@Golem hi', '1.5', { place: { chat: '-45', thread: '1.0' } })
    move(room, 'm1', { keepsIds: true })
    const turn = room.next()
    expect(turn).toMatchObject({
      conversation: 'local:-10045:1.0',
      replyTo: '1.5',
      place: { chat: '-10045', thread: '1.0' },
    })
    room.answer(turn, 'hello')
    room.deliver()
    room.say('thanks', {
      id: '1.6',
      event: 'n',
      place: { chat: '-10045', thread: '1.0' },
    })
    expect(room.receipt('local:-10045:1.6').decision).toMatchObject({ reason: 'thread' })
    expect(room.receipt('local:-45:1.5').message.reference).toBe('local:-10045:1.5')
  })

  it('moves on, and back', () => {
    const room = new TestRoom()
    old(room, 'one', '1')
    move(room)
    move(room, 'm2', { place: { chat: '-10045' }, movedTo: '-10099' })
    room.say('two', { id: '1', event: 'c', place: { chat: '-10099' } })
    expect(room.receipt('local:-45:1').message.chatKey).toBe('local:-10099')
    move(room, 'm3', { place: { chat: '-10099' }, movedTo: '-45' })
    room.say('@Golem three', { id: '3', event: 'd', place: { chat: '-45' } })
    expect(texts(room.next())).toEqual(['one', 'two', 'three'])
    expect(COMMANDS.moves(room.room).map(({ from, to }) => [from, to])).toEqual([
      ['local:-10045', 'local:-45'],
      ['local:-10099', 'local:-45'],
    ])
  })

  it('takes asks along: a teammate reports where the chat is now', () => {
    const room = new TestRoom()
    old(room, '@Golem ask', '1')
    const asker = room.next()
    room.ask(asker, 'Librarian')
    room.settle(asker.id, { state: 'settled', text: '' })
    const teammate = room.next()
    move(room)
    room.answer(teammate, 'found it', { operations: [] })
    expect(room.next()).toMatchObject({ kind: 'follow-up', conversation: 'local:-10045' })
  })

  it('lets a turn that began before the move search what was said', () => {
    const room = new TestRoom()
    old(room, 'the password is swordfish', '1')
    move(room)
    expect(COMMANDS.searchTranscript(room.room, 'local:-45', 'swordfish', 5)).toHaveLength(1)
    expect(COMMANDS.members(room.room, 'local:-45')).toHaveLength(1)
  })

  it('law: wherever the notice comes between the events, each message is kept once and each mention answered once', () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ side: fc.constantFrom('old', 'new'), mention: fc.boolean() }), {
          minLength: 1,
          maxLength: 12,
        }),
        fc.nat(12),
        fc.boolean(),
        (events, when, twice) => {
          const room = new TestRoom()
          const work = () => {
            for (let turn = room.claim(1)[0]; turn; turn = room.claim(1)[0]) {
              room.answer(turn, `re: ${turn.lines.at(-1)?.text}`)
            }
          }
          events.forEach(({ side, mention }, index) => {
            if (index === when) move(room)
            const say = side === 'old' ? old : now
            for (let copy = 0; copy < (twice ? 2 : 1); copy++)
              say(room, '', String(index), { doc: natively(`${mention ? '@Golem ' : ''}line ${index}`) })
            if (index % 3 === 0) work()
          })
          move(room, 'late')
          work()
          room.deliver()
          const lines = COMMANDS.roomMessages(room.room, 'local:-10045', { limit: 100 }) ?? []
          const people = lines.filter(({ kind }) => kind === 'person')
          expect(people).toHaveLength(events.length)
          expect(COMMANDS.roomMessages(room.room, 'local:-45', { limit: 100 })).toBeNull()
          events.forEach(({ side, mention }, index) => {
            const { message, turns } = room.receipt(`local:${side === 'old' ? '-45' : '-10045'}:${index}`)
            expect(message.text).toContain(`line ${index}`)
            expect(turns.map(({ state }) => state)).toEqual(mention ? ['settled'] : [])
          })
          now(room, '@Golem the end', 'end')
          const shown = texts(room.next()).filter((text) => text.startsWith('line'))
          expect(new Set(shown).size).toBe(shown.length)
        },
      ),
      { numRuns: 60 },
    ))
})
