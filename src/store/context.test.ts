import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { natively } from '../../tests/support/decision.js'
import { policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { ClaimedTurn } from '../messaging/store.js'

const BOB = { id: 'bob', name: 'Bob', kind: 'person' } as const
const shown = (turn: ClaimedTurn) => turn.lines.map(({ text, new: fresh }) => `${text}${fresh ? '*' : ''}`)

/** Ann asks at the top level; the answer stands in the chat, quoting her. */
function answered(room: TestRoom): void {
  room.say('@Golem what is the plan?', { id: 'q' })
  room.answer(room.next(), 'Ship on Friday.')
  room.deliver()
}
describe('what an agent is shown', () => {
  it('lines said while a turn runs come after its answer', () => {
    const room = new TestRoom()
    room.say('@Golem first')
    const first = room.next()
    room.say('meanwhile', { author: BOB })
    room.say('@Golem second', { author: BOB })
    room.say('unheard', { author: { id: 'cy', name: 'Cy', kind: 'person' } })
    expect(shown(first)).toEqual(['first*'])
    room.answer(first, 'answer one')
    const second = room.next()
    expect(shown(second)).toEqual(['first', 'answer one', 'meanwhile', 'unheard', 'second*'])
    room.say('late')
    room.answer(second, 'answer two')
    room.say('@Golem third')
    expect(shown(room.next())).toEqual([
      'first',
      'answer one',
      'meanwhile',
      'unheard',
      'second',
      'answer two',
      'late',
      'third*',
    ])
  })

  it('a line that waited behind a message which is deleted is not lost', () => {
    const room = new TestRoom()
    room.say('', { id: '1', doc: natively('@Golem') })
    room.say('the door is open', { author: BOB })
    room.remove('1')
    room.say('@Golem what did Bob say?')
    expect(shown(room.next())).toEqual(['the door is open', 'what did Bob say?*'])
  })

  it('lines without words count for nothing', () => {
    const room = new TestRoom(policy({ historyLimit: 2 }))
    for (const id of ['a', 'b']) room.say(`line ${id}`, { id })
    for (let n = 0; n < 20; n++) room.say('', { id: `image ${n}`, files: [{ id: `f${n}`, name: 'i.png' }] })
    room.say('', { id: 'bare', doc: natively('@Golem') })
    room.now += 1_500
    room.answer(room.next(), 'yes?')
    room.say('@Golem hi')
    expect(shown(room.next())).toEqual(['line b', 'yes?', 'hi*'])
  })

  it('no more than the room says, the newest', () => {
    const room = new TestRoom(policy({ historyLimit: 3 }))
    for (let n = 1; n <= 9; n++) room.say(`line ${n}`)
    room.say('@Golem hi')
    const turn = room.next()
    expect(shown(turn)).toEqual(['line 7', 'line 8', 'line 9', 'hi*'])
    expect(turn.cut).toBeGreaterThan(0)
  })

  it('what was deleted is gone, what was edited is shown as it is now', () => {
    const room = new TestRoom()
    room.say('the code is 1234', { id: 'x' })
    room.say('meet at nine', { id: 'y' })
    room.remove('x')
    room.edit('y', 'meet at ten')
    room.say('@Golem when?')
    expect(shown(room.next())).toEqual(['meet at ten', 'when?*'])
  })

  it('bots are shown as bots, agents as agents', () => {
    const room = new TestRoom()
    room.say('beep', { author: { id: 'ci', name: 'CI', kind: 'bot' } })
    answered(room)
    room.say('@Golem hi')
    expect(room.next().lines.map(({ kind }) => kind)).toEqual(['bot', 'person', 'agent', 'person'])
  })

  it('law: the context is the same in whatever order turns and lines interleave', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('say', 'call', 'work'), { maxLength: 25 }), (steps) => {
        const room = new TestRoom(policy({ historyLimit: 30 }))
        let count = 0
        let running: ClaimedTurn | undefined
        const said: string[] = []
        for (const step of steps) {
          if (step === 'say') room.say(`s${++count}`, { author: BOB })
          else if (step === 'call') room.say(`@Golem c${++count}`)
          else if (running) {
            // Nothing that came while it worked is shown, or it is answered by it.
            room.answer(running, `a${running.id}`)
            running = room.claim()[0]
          } else running = room.claim()[0]
          if (step === 'work' && running) {
            const texts = running.lines.map(({ text }) => text)
            expect(new Set(texts).size).toBe(texts.length)
            // What was shown once keeps its place: later contexts only go on.
            const before = said.filter((text) => texts.includes(text))
            expect(texts.filter((text) => before.includes(text))).toEqual(before)
            for (const text of texts) if (!said.includes(text)) said.push(text)
          }
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('/new', () => {
  const fresh = (room: TestRoom) => room.say('/new', { command: { name: 'new' } })

  it('starts a fresh context: earlier lines are not shown any more', () => {
    const room = new TestRoom()
    answered(room)
    fresh(room)
    expect(room.deliver()).toContain('note fresh')
    room.say('@Golem hi')
    const turn = room.next()
    expect(shown(turn)).toEqual(['hi*'])
    expect(turn.first).toBe(true)
    room.answer(turn, 'hello')
    room.say('@Golem again')
    expect(shown(room.next())).toEqual(['hi', 'hello', 'again*'])
  })

  it('while a turn works: neither its answer nor what waited behind it is shown afterwards', () => {
    const room = new TestRoom()
    room.say('@Golem old question')
    const turn = room.next()
    room.say('old talk', { author: BOB })
    fresh(room)
    room.say('new talk', { author: BOB })
    room.answer(turn, 'old answer')
    room.say('@Golem hi')
    expect(shown(room.next())).toEqual(['new talk', 'hi*'])
  })

  it('what waits is still answered', () => {
    const room = new TestRoom()
    room.say('@Golem first', { author: BOB })
    const first = room.next()
    room.say('@Golem second')
    fresh(room)
    room.answer(first, 'ok')
    expect(shown(room.next())).toEqual(['second*'])
  })

  it('of one conversation leaves the others alone', () => {
    const room = new TestRoom()
    answered(room)
    room.say('/new', { command: { name: 'new' }, place: { chat: 'lobby', thread: 't' } })
    room.say('@Golem hi')
    expect(shown(room.next())).toEqual(['what is the plan?', 'Ship on Friday.', 'hi*'])
  })
})

describe('files that the asker sent just before asking', () => {
  const files = (turn: ClaimedTurn) => turn.files.map(({ file }) => file.name)
  const send = (room: TestRoom, name: string, change: Parameters<TestRoom['say']>[1] = {}) =>
    room.say('', { id: name, files: [{ id: name, name }], ...change })

  it('belong to the question', () => {
    const room = new TestRoom()
    send(room, 'a.pdf')
    send(room, 'b.pdf')
    room.say('and what does Bob think?', { author: BOB })
    room.say('@Golem summarise this')
    expect(files(room.next())).toEqual(['a.pdf', 'b.pdf'])
  })

  it('not those of others, of another place, long ago, deleted, or of a question before', () => {
    const room = new TestRoom()
    send(room, 'old.pdf')
    room.now += 6 * 60_000
    send(room, 'of-bob.pdf', { author: BOB })
    send(room, 'elsewhere.pdf', { place: { chat: 'C1', thread: 't1' } })
    send(room, 'gone.pdf')
    room.remove('gone.pdf')
    room.say('@Golem summarise this')
    expect(files(room.next())).toEqual([])

    const asked = new TestRoom()
    send(asked, 'a.pdf')
    asked.say('@Golem summarise this')
    asked.answer(asked.next(), 'a summary')
    asked.say('@Golem thanks')
    expect(files(asked.next())).toEqual([])
  })

  it('not where the question has files of its own, quotes something, or begins afresh', () => {
    const room = new TestRoom()
    room.say('a thought', { id: 'thought', author: BOB })
    send(room, 'a.pdf')
    room.say('@Golem and this?', { replyTo: { id: 'thought' } })
    const quoting = room.next()
    expect(files(quoting)).toEqual([])
    room.answer(quoting, 'no')
    send(room, 'b.pdf')
    room.say('@Golem this one', { files: [{ id: 'c', name: 'c.pdf' }] })
    const own = room.next()
    expect(files(own)).toEqual(['c.pdf'])
    room.answer(own, 'yes')
    send(room, 'd.pdf')
    room.say('/new', { command: { name: 'new' } })
    room.say('@Golem summarise this')
    expect(files(room.next())).toEqual([])
  })
})
