import { describe, expect, it } from 'vitest'
import { agent, message, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import { OUTCOMES, receiptSchema } from '../messaging/views.js'
import { COMMANDS } from './commands-table.js'

const BOB = { id: 'bob', name: 'Bob', kind: 'person' } as const
const rules = policy({ groupPolicy: 'smart' }, [
  agent('Golem', { orchestrator: true, effects: 'unknown' }),
  agent('Ada'),
])
const asked = (given = rules) => {
  const room = new TestRoom(given)
  room.say('@Golem hi', { id: 'q' })
  return { room, turn: room.next() }
}

/** A way to each outcome, and what its summary must answer. */
const WAYS: Record<string, { go(): TestRoom; says: RegExp }> = {
  kept: {
    go() {
      const room = new TestRoom()
      room.say('just talking', { id: 'q' })
      return room
    },
    says: /^Not answered, kept as context\. The room is mention-only/,
  },
  refused: {
    go() {
      const room = new TestRoom(policy({}, undefined, { bounds: { ...rules.bounds, waitingPerSender: 0 } }))
      room.say('@Golem hi', { id: 'q' })
      return room
    },
    says: /^Not taken\. This sender already has/,
  },
  waiting: {
    go() {
      const room = new TestRoom(rules)
      room.say('@Golem front', { author: BOB })
      room.next()
      room.say('@Golem hi', { id: 'q' })
      return room
    },
    says: /^Waiting for Golem\. The message names an agent/,
  },
  running: { go: () => asked().room, says: /^Golem is working on it\. The message names/ },
  sending: {
    go() {
      const { room, turn } = asked()
      room.answer(turn, 'hello')
      return room
    },
    says: /^Golem has answered; the answer is being posted\.$/,
  },
  answered: {
    go() {
      const { room, turn } = asked()
      room.answer(turn, 'hello')
      room.deliver()
      return room
    },
    says: /^Answered by Golem\. The message names/,
  },
  passed: {
    go() {
      const { room, turn } = asked()
      room.settle(turn.id, { state: 'passed', reason: 'nothing to add' })
      return room
    },
    says: /^Read by Golem, which chose to stay silent: nothing to add/,
  },
  failed: {
    go() {
      const { room, turn } = asked()
      room.settle(turn.id, { state: 'failed', code: 'exit', message: 'the program ended with 3' })
      return room
    },
    says: /^Golem failed: exit: the program ended with 3$/,
  },
  stopped: {
    go() {
      const { room, turn } = asked()
      room.settle(turn.id, { state: 'cancelled', reason: 'stopped' })
      return room
    },
    says: /^Golem was stopped by the person who asked\.$/,
  },
  interrupted: {
    go() {
      const { room, turn } = asked()
      room.settle(turn.id, { state: 'interrupted', reason: 'Golem was stopped while Golem worked' })
      return room
    },
    says: /^Golem was interrupted and is not run again by itself: Golem was stopped.*\.$/,
  },
  skipped: {
    go() {
      const room = new TestRoom()
      room.accept({
        kind: 'skipped',
        reason: 'no-content',
        event: 's',
        place: { chat: 'lobby' },
        at: room.now,
      })
      room.room.raw.prepare("UPDATE messages SET native = 'q'").run()
      return room
    },
    says: /not read: no-content/,
  },
  read: {
    go() {
      const room = new TestRoom()
      room.accept(message('long ago', { id: 'q' }), { missed: 'context' })
      return room
    },
    says: /read back from the chat as context/,
  },
  said: {
    go() {
      const { room, turn } = asked()
      room.answer(turn, 'hello')
      room.deliver()
      room.room.raw.exec("UPDATE messages SET native = 'x' WHERE kind = 'person'")
      room.room.raw.exec("UPDATE messages SET native = 'q' WHERE kind = 'agent'")
      return room
    },
    says: /^Said by Golem\.$/,
  },
}

describe('a receipt', () => {
  it.each(OUTCOMES)('%s: says why, in a sentence, and keeps to its schema', (outcome) => {
    const receipt = WAYS[outcome]?.go().receipt('local:lobby:q')
    expect(receipt?.outcome).toBe(outcome)
    expect(receipt?.summary).toMatch(WAYS[outcome]?.says ?? /never/)
    expect(receiptSchema.parse(receipt)).toEqual(receipt)
  })

  it('says that an answer was never seen when no post of it could be made', () => {
    const { room, turn } = asked()
    room.answer(turn, 'hello')
    const [post] = room.operations()
    COMMANDS.recordReceipt(room.room, post?.id ?? 0, {
      state: 'failed',
      at: room.now,
      failure: { kind: 'forbidden' },
      message: 'may not write here',
    })
    const receipt = room.receipt('local:lobby:q')
    expect(receipt.outcome).toBe('failed')
    expect(receipt.summary).toMatch(/Golem has answered, but .*forbidden: may not write here/)
  })

  it('says who works while teammates do', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    room.settle(turn.id, { state: 'settled', text: '' })
    expect(room.receipt('local:lobby:q')).toMatchObject({
      outcome: 'running',
      summary: expect.stringMatching(/^Golem waits for Ada\. The message names/),
    })
  })

  it('of a command that is a question to an agent', () => {
    const room = new TestRoom(rules)
    room.say('what is new?', { id: 'q', command: { name: 'ask' } })
    expect(room.receipt('local:lobby:q')).toMatchObject({
      decision: { verdict: 'run', reason: 'command' },
      outcome: 'waiting',
    })
    const turn = room.next()
    expect(room.receipt('local:lobby:q').outcome).toBe('running')
    room.answer(turn, 'nothing')
    expect(room.receipt('local:lobby:q').outcome).toBe('sending')
    room.deliver()
    const { outcome, summary } = room.receipt('local:lobby:q')
    expect(outcome).toBe('answered')
    expect(summary).toMatch(/^Answered by Golem\. /)
  })

  it('of a command that was carried out', () => {
    const room = new TestRoom()
    room.say('/help', { id: 'q', command: { name: 'help' } })
    expect(room.receipt('local:lobby:q').summary).toMatch(/carried out.*being posted/)
    room.deliver()
    expect(room.receipt('local:lobby:q')).toMatchObject({
      outcome: 'answered',
      summary: 'A command, carried out by Golem itself.',
    })
  })

  it('of another bot, of a denied person, of an archived agent: each with its gate', () => {
    const room = new TestRoom(
      policy({}, [agent('Golem', { orchestrator: true }), agent('Old', { archived: true })], {
        access: { local: { deny: { users: ['mallory'] } } },
      }),
    )
    room.say('beep', { id: '1', author: { id: 'ci', name: 'CI', kind: 'bot' } })
    room.say('@Golem hi', { id: '2', author: { id: 'mallory', name: 'Mallory', kind: 'person' } })
    room.say('@Old hi', { id: '3' })
    const why = (id: string) => room.receipt(`local:lobby:${id}`).summary
    expect(why('1')).toMatch(/another bot/)
    expect(why('2')).toMatch(/deny list/)
    expect(why('3')).toMatch(/archived agent/)
  })

  it('marks a post that may have arrived', () => {
    const { room, turn } = asked()
    room.answer(turn, 'hello')
    const [post] = room.operations()
    COMMANDS.recordReceipt(room.room, post?.id ?? 0, {
      state: 'retry',
      at: room.now,
      retryAt: room.now + 1_000,
      failure: { kind: 'ambiguous' },
      ambiguous: true,
      message: 'no answer',
    })
    expect(room.receipt('local:lobby:q').turns[0]?.operations[0]).toMatchObject({
      state: 'ambiguous',
      failure: 'ambiguous',
      attempts: 1,
    })
  })

  it('repeats no more than an excerpt of an answer', () => {
    const { room, turn } = asked()
    room.answer(turn, 'x'.repeat(5_000))
    expect(room.receipt('local:lobby:q').turns[0]?.operations[0]?.text?.length).toBeLessThanOrEqual(280)
  })
})

describe('the name of a message', () => {
  it('its number, the name it has on its platform, its own name where it has none there, or last', () => {
    const { room, turn } = asked()
    room.ask(turn, 'Ada')
    room.settle(turn.id, { state: 'settled', text: '' })
    room.answer(room.next(), '42', { operations: [] })
    room.answer(room.next(), 'There are 42.')
    const id = room.receipt('local:lobby:q').message.id
    expect(room.receipt(String(id)).message.native).toBe('q')
    const lines = COMMANDS.roomMessages(room.room, 'local:lobby', { limit: 10 }) ?? []
    for (const line of lines) expect(room.receipt(line.reference).message.id).toBe(line.id)
    expect(lines.find(({ kind }) => kind === 'result')?.reference).toMatch(/^local:lobby:#\d+$/)
    expect(room.receipt('last').message.native).toBe('q')
  })

  it('may hold colons, and looks like a number elsewhere', () => {
    const room = new TestRoom()
    room.say('hi', { id: 'a:b:c' })
    room.say('ho', { id: '17', place: { chat: 'c:1' } })
    expect(room.receipt('local:lobby:a:b:c').message.text).toBe('hi')
    expect(room.receipt('local:c:1:17').message.text).toBe('ho')
  })

  it('of any part of an answer, or of a notice, leads to what it belongs to', () => {
    const room = new TestRoom(policy({}, undefined, { bounds: { ...rules.bounds, waitingPerSender: 0 } }))
    room.say('@Golem hi', { id: 'q' })
    room.deliver()
    const note = room.receipt('local:lobby:q').operations.find(({ kind }) => kind === 'note not-taken')
    expect(room.receipt(`local:lobby:${note?.native}`).message.native).toBe('q')
  })

  it.each([
    '',
    'q',
    'local',
    'local:',
    ':q',
    'local:den:q',
    'local:lobby:#9999',
    'local:den:#1',
    '999999',
    '-1',
    '1e3',
  ])('of nothing: "%s"', (reference) => {
    const { room } = asked()
    expect(COMMANDS.receipt(room.room, reference)).toBeNull()
  })
})

it('a room with a long history is read without looking at all of it', () => {
  const room = new TestRoom()
  room.accept(message('@Golem hi', { id: 'q' }))
  const plan = (sql: string) =>
    (room.room.raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(1) as { detail: string }[]).map(
      ({ detail }) => detail,
    )
  for (const sql of [
    'SELECT t.* FROM turn_messages tm JOIN turns t ON t.id = tm.turn WHERE tm.message = ? ORDER BY t.id LIMIT 60',
    'SELECT * FROM turns WHERE ask = ?',
    'SELECT 1 FROM outbox WHERE target = ?',
    "SELECT id FROM outbox WHERE state = 'cancelled' AND attempt = 0 AND settled_at < ?",
    'DELETE FROM buttons WHERE expires_at < ?',
    'SELECT 1 FROM turns WHERE request = ? AND request <> id LIMIT 1',
  ])
    expect(
      plan(sql).some((detail) => detail.startsWith('SCAN')),
      `${sql}\n${plan(sql).join('\n')}`,
    ).toBe(false)
})

it('an answer of which a part could not be posted is not called answered without a word of that', () => {
  const { room, turn } = asked()
  const part = (text: string) => ({ text, body: { text }, mentions: [] })
  const post = (text: string) => ({ kind: 'post', place: turn.place, part: part(text) }) as const
  room.answer(turn, 'one two', { operations: [post('one'), post('two')] })
  const [first] = room.operations()
  COMMANDS.recordReceipt(room.room, first?.id ?? 0, {
    state: 'failed',
    at: room.now,
    failure: { kind: 'forbidden' },
    message: 'the topic is closed',
  })
  room.deliver()
  const { outcome, summary } = room.receipt('local:lobby:q')
  expect(outcome).toBe('answered')
  expect(summary).toMatch(
    /^Answered by Golem, but one post of it could not be posted \(.*the topic is closed\)\./,
  )
})
