import { describe, expect, it } from 'vitest'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import { COMMANDS } from './commands-table.js'

const unknown = agent('Golem', { orchestrator: true, effects: 'unknown' })

describe('a message on its way', () => {
  it('is answered once, with marks around the answer', () => {
    const room = new TestRoom()
    expect(room.say('@Golem hi', { id: 'm1' }).status).toBe('new')
    const [turn] = room.claim()
    expect(turn?.lines.map((line) => line.text)).toEqual(['hi'])
    expect(room.deliver()).toEqual([])
    // An answer that comes at once needs no mark of reception.
    room.now += 100
    expect(room.deliver()).toEqual(['react received'])
    room.answer(turn as never, 'Hello Ann')
    expect(room.deliver()).toEqual(['post Hello Ann', 'react done'])
    const receipt = room.receipt('local:lobby:m1')
    expect(receipt.outcome).toBe('answered')
    expect(receipt.decision?.gates.map((gate) => `${gate.gate} ${gate.verdict}`)).toEqual([
      'author pass',
      'access pass',
      'addressed pass',
      'policy pass',
      'responders pass',
      'max-turns pass',
      'bounds pass',
    ])
    expect(receipt.turns[0]?.gates.map((gate) => gate.gate)).toEqual(['max-turns', 'admit'])
    expect(room.claim()).toEqual([])
  })

  it('is known when it comes again, whatever became of it', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: 'm1' })
    expect(room.say('@Golem hi', { id: 'm1' }).status).toBe('known')
    expect(room.claim()).toHaveLength(1)
    expect(room.say('@Golem hi', { id: 'm1', event: 'another-event-of-the-same-post' }).status).toBe('new')
    expect(room.claim()).toHaveLength(0)
  })

  it('is kept as context where nobody is asked, and shown to the next turn', () => {
    const room = new TestRoom()
    room.say('the build is red', { id: 'm1' })
    expect(room.claim()).toHaveLength(0)
    expect(room.receipt('local:lobby:m1')).toMatchObject({ outcome: 'kept', decision: { reason: 'policy' } })
    room.say('@Golem why?', { id: 'm2', author: { id: 'bob', name: 'Bob', kind: 'person' } })
    const [turn] = room.claim()
    expect(turn?.lines.map((line) => [line.author.name, line.text, line.new])).toEqual([
      ['Ann', 'the build is red', false],
      ['Bob', 'why?', true],
    ])
  })

  it('a command is no part of the conversation that agents are shown', () => {
    const room = new TestRoom()
    room.say('the build is red', { id: 'm1' })
    room.say('!status', { id: 'm2' })
    room.say('@Golem why?', { id: 'm3' })
    expect(room.claim()[0]?.lines.map((line) => line.text)).toEqual(['the build is red', 'why?'])
  })

  it('waits behind a running turn, merges with the next of the same person, and keeps its order', () => {
    const room = new TestRoom(policy({ groupPolicy: 'always' }))
    room.say('m1', { id: '1' })
    const [first] = room.claim()
    room.now += 50
    room.say('m2', { id: '2' })
    room.now += 50
    room.say('m3', { id: '3' })
    room.say('aside', { id: '4', author: { id: 'bob', name: 'Bob', kind: 'person' } })
    expect(room.claim()).toEqual([])
    room.answer(first as never, 'a1')
    const [second] = room.claim()
    expect(second?.lines.map((line) => `${line.text}${line.new ? '*' : ''}`)).toEqual([
      'm1',
      'a1',
      'm2*',
      'm3*',
    ])
    // Nobody was addressed: the answer quotes the first of them.
    expect(second?.replyTo).toBe('2')
  })

  it('refuses more than may wait, and never says it is queued', () => {
    const room = new TestRoom(
      policy({ groupPolicy: 'always', coalesceWindowMs: 300 }, undefined, {
        bounds: {
          waitingPerSender: 2,
          waitingPerRoom: 200,
          waitingMs: 1e9,
          mergeItems: 30,
          mergeCharacters: 8000,
        },
      }),
    )
    room.say('@Golem m1', { id: '1' })
    const [first] = room.claim()
    for (const id of ['2', '3', '4']) {
      room.now += 50
      room.say(`@Golem m${id}`, { id })
    }
    expect(room.receipt('local:lobby:4')).toMatchObject({ outcome: 'refused' })
    expect(room.deliver()).toContain('note not-taken')
    room.answer(first as never, 'a1')
    expect(
      room
        .claim()[0]
        ?.lines.filter((line) => line.new)
        .map((line) => line.text),
    ).toEqual(['m2', 'm3'])
  })

  it('a bare mention waits for its rest, which needs no mention of its own', () => {
    const room = new TestRoom()
    room.say('@Golem', { id: '1', files: [{ id: 'f1', name: 'a.png' }] })
    expect(room.claim()).toEqual([])
    room.now += 100
    room.say('hello', { id: '2' })
    const [turn] = room.claim()
    expect(turn?.addressed).toBe(true)
    expect(turn?.files.map(({ file }) => file.name)).toEqual(['a.png'])
    expect(turn?.lines.map((line) => line.text)).toEqual(['', 'hello'])
    expect(room.claim()).toEqual([])
  })

  it('a question that quotes a message comes with the files of that message', () => {
    const room = new TestRoom()
    room.say('', { id: '1', files: [{ id: 'f1', name: 'report.pdf' }] })
    room.say('', { id: '2', files: [{ id: 'f2', name: 'other.pdf' }] })
    room.say('@Golem summarise this', { id: '3', replyTo: { id: '1' } })
    expect(room.claim()[0]?.files.map(({ file }) => file.name)).toEqual(['report.pdf'])
  })

  it('a bare mention that stays alone is answered from context after the debounce', () => {
    const room = new TestRoom()
    room.say('the coffee is cold', { id: '0' })
    room.say('@Golem', { id: '1' })
    expect(room.claim()).toEqual([])
    room.now += 1_500
    expect(room.claim()).toHaveLength(1)
  })
})

describe('a restart', () => {
  it('runs again what gave no event, and what has no effects', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: '1' })
    expect(room.claim()).toHaveLength(1)
    const next = room.reboot('boot-2')
    expect(COMMANDS.recover(next.room, next.now)).toMatchObject({ requeued: 1 })
    const [turn] = next.claim()
    expect(turn?.attempt).toBe(2)
    next.answer(turn as never, 'once')
    // The mark of reception gives way to the one that follows it.
    expect(next.deliver()).toEqual(['post once', 'react done'])
  })

  it('asks for a Retry where effects are unknown and the first event came', () => {
    const room = new TestRoom(policy({}, [unknown]))
    room.say('@Golem deploy', { id: '1' })
    const [turn] = room.claim()
    COMMANDS.markFirstEvent(room.room, turn?.id ?? 0, room.now)
    const next = room.reboot('boot-2')
    expect(COMMANDS.recover(next.room, next.now)).toMatchObject({ interrupted: 1 })
    expect(next.claim()).toEqual([])
    const [note] = next.operations().filter(({ op }) => op.kind === 'note')
    expect(note?.tokens).toHaveLength(1)
    COMMANDS.recordReceipt(next.room, note?.id ?? 0, {
      state: 'sent',
      at: next.now,
      receipt: { id: 'p1', at: next.now },
    })
    const press = (by: string, event: string) =>
      next.accept({
        kind: 'press',
        event,
        at: next.now,
        place: { chat: 'lobby' },
        author: { id: by, name: by, kind: 'person' },
        id: 'p1',
        value: note?.tokens[0] ?? '',
      })
    expect(press('mallory', 'e1').whisper?.text).toMatch(/Only the person/)
    expect(next.claim()).toEqual([])
    press('ann', 'e2')
    expect(next.claim()).toHaveLength(1)
    expect(press('ann', 'e3').whisper?.text).toMatch(/already pressed/)
  })
})
