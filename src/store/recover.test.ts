import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import { COMMANDS } from './commands-table.js'

const rules = policy({ groupPolicy: 'always' }, [
  agent('Golem', { orchestrator: true, effects: 'unknown' }),
  agent('Ada', { effects: 'none' }),
])

describe('what a dead process left', () => {
  it.each([
    ['none', false, 'again'],
    ['none', true, 'again'],
    ['recorded', false, 'again'],
    ['recorded', true, 'retry'],
    ['unknown', false, 'again'],
    ['unknown', true, 'retry'],
  ] as const)('effects %s, first event %s: %s', (effects, event, what) => {
    const before = new TestRoom(policy({}, [agent('Golem', { orchestrator: true, effects })]))
    before.say('@Golem hi', { id: 'q' })
    const turn = before.next()
    if (event) COMMANDS.markFirstEvent(before.room, turn.id, before.now)
    const room = before.reboot('boot-2')
    expect(room.recover()).toEqual({
      requeued: what === 'again' ? 1 : 0,
      interrupted: what === 'retry' ? 1 : 0,
      ambiguous: 0,
    })
    expect(room.claim().map(({ id, attempt }) => [id, attempt])).toEqual(
      what === 'again' ? [[turn.id, 2]] : [],
    )
    expect(room.deliver().includes('note interrupted')).toBe(what === 'retry')
  })

  it('a turn that runs again keeps its place before what came later', () => {
    const before = new TestRoom(rules)
    before.say('@Ada one')
    before.next()
    before.say('@Ada two', { author: { id: 'bob', name: 'Bob', kind: 'person' } })
    const room = before.reboot('boot-2')
    room.recover()
    const first = room.next()
    expect(first.lines.filter(({ new: fresh }) => fresh).map(({ text }) => text)).toEqual(['@Ada one'])
    room.answer(first, 'ok')
    expect(room.next().lines.at(-1)?.text).toBe('@Ada two')
  })

  it('what waited behind an interrupted turn goes on, and sees no answer that never came', () => {
    const before = new TestRoom(rules)
    before.say('@Golem one')
    COMMANDS.markFirstEvent(before.room, before.next().id, before.now)
    before.say('@Golem two', { author: { id: 'bob', name: 'Bob', kind: 'person' } })
    const room = before.reboot('boot-2')
    room.recover()
    expect(room.next().lines.map(({ text }) => text)).toEqual(['one', 'two'])
  })

  it('a settlement of the dead process comes too late', () => {
    const before = new TestRoom(rules)
    before.say('@Ada hi', { id: 'q' })
    const turn = before.next()
    const room = before.reboot('boot-2')
    room.recover()
    const again = room.next()
    before.answer(turn, 'from the grave')
    room.answer(again, 'alive')
    expect(room.deliver().filter((line) => line.startsWith('post'))).toEqual(['post alive'])
  })

  it('said twice, it is put right once', () => {
    const before = new TestRoom(rules)
    before.say('@Golem hi')
    COMMANDS.markFirstEvent(before.room, before.next().id, before.now)
    const room = before.reboot('boot-2')
    room.recover()
    expect(room.recover()).toEqual({ requeued: 0, interrupted: 0, ambiguous: 0 })
    expect(room.deliver().filter((line) => line === 'note interrupted')).toHaveLength(1)
  })

  it('law: killed between any two steps, each question is answered once, or has one Retry', () => {
    type Step = 'ask Golem' | 'ask Ada' | 'claim' | 'event' | 'answer' | 'send' | 'sent' | 'kill'
    const anySteps = fc.array(
      fc.constantFrom<Step>('ask Golem', 'ask Ada', 'claim', 'event', 'answer', 'send', 'sent', 'kill'),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(anySteps, (steps) => {
        let room = new TestRoom(rules)
        let boots = 1
        const questions: string[] = []
        const running: ReturnType<TestRoom['claim']> = []
        const flying: number[] = []
        const standing: string[] = []
        const seen = new Map<number, string>()
        const step = (what: Step): void => {
          switch (what) {
            case 'ask Golem':
            case 'ask Ada': {
              const id = `q${questions.length}`
              questions.push(id)
              // Different people, so that nothing merges: each question has an answer of its own.
              room.say(`@${what.slice(4)} ${id}`, { id, author: { id, name: id, kind: 'person' } })
              return
            }
            case 'claim':
              running.push(...room.claim())
              return
            case 'event':
              if (running[0]) COMMANDS.markFirstEvent(room.room, running[0].id, room.now)
              return
            case 'answer': {
              const turn = running.shift()
              if (turn) room.answer(turn, `re ${turn.replyTo}`)
              return
            }
            case 'send':
              for (const { id, op, unsure, message } of room.operations().map((one) => ({
                ...one,
                message: one.op.kind === 'note' ? `${one.op.notice.kind} ${one.op.replyTo}` : '',
              }))) {
                flying.push(id)
                const text = op.kind === 'post' ? op.part.text : message
                // The platform knows its keys: what it has seen under one is not posted twice.
                if (seen.has(id)) expect(unsure).toBeGreaterThan(0)
                else if (op.kind === 'post' || (op.kind === 'note' && op.notice.kind === 'interrupted'))
                  standing.push(text)
                seen.set(id, text)
              }
              return
            case 'sent':
              for (const id of flying.splice(0))
                COMMANDS.recordReceipt(room.room, id, {
                  state: 'sent',
                  at: room.now,
                  receipt: { id: `p${id}`, at: room.now },
                })
              return
            case 'kill':
              room = room.reboot(`boot-${++boots}`)
              room.recover()
              running.length = 0
              flying.length = 0
          }
        }
        for (const what of steps) step(what)
        for (let round = 0; round < 3 * questions.length + 10; round++) {
          room.now += 1_000
          for (const what of ['claim', 'answer', 'send', 'sent'] as const) step(what)
        }
        expect(standing.filter((text) => !/^(re|interrupted) /.test(text))).toEqual([])
        for (const id of questions)
          expect(
            standing.filter((text) => text.endsWith(` ${id}`)),
            `${id} of ${standing.join(', ')}`,
          ).toHaveLength(1)
      }),
      { numRuns: 150 },
    )
  })
})
