/** Status posts: silent, late, and gone with the turn however it ends. */
import { describe, expect, it } from 'vitest'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { SettleTurn } from '../messaging/store.js'
import { COMMANDS } from './commands-table.js'

const rules = policy({ groupPolicy: 'smart' }, [
  agent('Golem', { orchestrator: true, effects: 'unknown' }),
  agent('Ada', { effects: 'none' }),
])

/** Posts that stand in the chat: notes and answers sent, without those deleted again. */
class Chat {
  readonly standing = new Map<string, string>()

  constructor(readonly room: TestRoom) {}

  deliver(): this {
    const { room } = this
    for (let claimed = room.operations(); claimed.length > 0; claimed = room.operations())
      for (const { id, op } of claimed) {
        if (op.kind === 'note' && op.edits === undefined) this.standing.set(`p${id}`, op.notice.kind)
        if (op.kind === 'post') this.standing.set(`p${id}`, op.part.text)
        if (op.kind === 'delete') expect(this.standing.delete(op.id)).toBe(true)
        COMMANDS.recordReceipt(room.room, id, {
          state: 'sent',
          at: room.now,
          receipt: { id: op.kind === 'post' || op.kind === 'note' ? `p${id}` : '', at: room.now },
        })
      }
    return this
  }

  get posts(): string[] {
    return [...this.standing.values()]
  }
}

const ENDINGS: [string, SettleTurn['outcome'], string[]][] = [
  ['an answer', { state: 'settled', text: 'hello' }, ['hello']],
  ['files or asks alone', { state: 'settled', text: '' }, []],
  ['silence', { state: 'passed', reason: 'nothing to add' }, []],
  ['a failure', { state: 'failed', code: 'exit', message: 'x' }, ['failed']],
  ['a stop', { state: 'cancelled', reason: 'stopped' }, []],
  ['a deletion', { state: 'cancelled', reason: 'the message was deleted' }, []],
  ['an interruption', { state: 'interrupted', reason: 'shutdown' }, ['interrupted']],
  ['a new start', { state: 'queued', reason: 'edited' }, []],
]

describe('the status post of a turn', () => {
  const begin = (after: number) => {
    const room = new TestRoom(rules)
    room.say('@Golem hi', { id: 'q' })
    const turn = room.next()
    room.now += 200
    const chat = new Chat(room).deliver()
    room.now += after - 200
    return { room, turn, chat }
  }

  it('comes after five seconds without an answer', () => {
    const { room, chat } = begin(4_999)
    expect(chat.deliver().posts).toEqual([])
    room.now += 1
    expect(chat.deliver().posts).toEqual(['working'])
  })

  it.each(ENDINGS)('is gone after %s, when it had been sent', (_, outcome, left) => {
    const { room, turn, chat } = begin(6_000)
    expect(chat.deliver().posts).toEqual(['working'])
    if (outcome.state === 'settled' && outcome.text !== '') room.answer(turn, outcome.text)
    else room.settle(turn.id, outcome)
    expect(chat.deliver().posts).toEqual(left)
  })

  it.each(ENDINGS)('never comes after %s, when it had not', (_, outcome, left) => {
    const { room, turn, chat } = begin(1_000)
    if (outcome.state === 'settled' && outcome.text !== '') room.answer(turn, outcome.text)
    else room.settle(turn.id, outcome)
    room.now += 60_000
    expect(chat.deliver().posts).toEqual(left)
  })

  it.each(ENDINGS)('is gone after %s, when it was on its way', (_, outcome, left) => {
    const { room, turn, chat } = begin(6_000)
    const [sending] = room.operations().filter(({ op }) => op.kind === 'note')
    if (outcome.state === 'settled' && outcome.text !== '') room.answer(turn, outcome.text)
    else room.settle(turn.id, outcome)
    chat.standing.set('s', 'working')
    COMMANDS.recordReceipt(room.room, sending?.id ?? 0, {
      state: 'sent',
      at: room.now,
      receipt: { id: 's', at: room.now },
    })
    expect(chat.deliver().posts).toEqual(left)
  })

  it('is gone after a restart, also when it had to be posted another way', () => {
    const { room, chat } = begin(6_000)
    const [sending] = room.operations().filter(({ op }) => op.kind === 'note')
    COMMANDS.recordReceipt(room.room, sending?.id ?? 0, {
      state: 'replace',
      at: room.now,
      op: {
        kind: 'post',
        place: { chat: 'lobby' },
        part: { text: 'working', body: {}, mentions: [] },
        silent: true,
      },
      failure: { kind: 'gone', what: 'target' },
      message: 'gone',
    })
    expect(chat.deliver().posts).toEqual(['working'])
    const next = room.reboot('boot-2')
    next.recover()
    const after = new Chat(next)
    for (const [id, text] of chat.standing) after.standing.set(id, text)
    expect(after.deliver().posts).toEqual([])
  })

  it('"asked" goes when the follow-up has answered', () => {
    const { room, turn, chat } = begin(6_000)
    chat.deliver()
    room.ask(turn, 'Ada')
    room.settle(turn.id, { state: 'settled', text: '' })
    const ada = room.next()
    room.now += 6_000
    expect(chat.deliver().posts).toEqual(['asked'])
    room.answer(ada, '42', { operations: [] })
    const follow = room.next()
    room.answer(follow, 'There are 42.')
    expect(chat.deliver().posts).toEqual(['There are 42.'])
  })

  it('says so where the agent has as much to do elsewhere as it may', () => {
    const room = new TestRoom(
      policy({}, [agent('Golem', { orchestrator: true, effects: 'none' })], { agentConcurrency: 1 }),
    )
    room.say('@Golem first', { place: { chat: 'den' } })
    const first = room.next()
    const chat = new Chat(room).deliver()
    room.say('@Golem second')
    expect(room.claim()).toEqual([])
    room.now += 4_999
    expect(chat.deliver().posts).not.toContain('waiting')
    room.now += 1
    expect(chat.deliver().posts).toContain('waiting')
    room.answer(first, 'done')
    room.next()
    expect(chat.deliver().posts).not.toContain('waiting')
  })

  it('is never shown for a turn that nobody asked for', () => {
    const room = new TestRoom(rules)
    room.say('just talking')
    room.next()
    room.now += 60_000
    expect(new Chat(room).deliver().posts).toEqual([])
    expect(room.deliver()).toEqual([])
  })

  it('is never sent where it could not be taken away', () => {
    const room = new TestRoom(rules)
    COMMANDS.accept(room.room, {
      connection: 'local',
      self: { id: 'golem', name: 'Golem' },
      can: { operations: ['post'], buttons: false, threads: false },
      event: {
        kind: 'message',
        event: 'e',
        id: 'q',
        at: room.now,
        place: { chat: 'lobby' },
        author: { id: 'ann', name: 'Ann', kind: 'person' },
        chat: { kind: 'dm' },
        doc: {
          type: 'root',
          children: [{ type: 'paragraph', children: [{ type: 'text', value: 'hello' }] }],
        },
      },
      receivedAt: room.now,
    })
    room.next()
    room.now += 60_000
    expect(room.deliver()).toEqual([])
  })
})
