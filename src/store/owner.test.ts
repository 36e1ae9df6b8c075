import { describe, expect, it } from 'vitest'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'

describe('the owner of a conversation', () => {
  const agents = [
    agent('Golem', { orchestrator: true }),
    agent('Librarian', { aliases: ['Lib'] }),
    agent('Scribe'),
  ]
  const handedOff = () => {
    const room = new TestRoom(policy({ groupPolicy: 'always' }, agents))
    room.say('@Golem books, please')
    const turn = room.next()
    expect(room.handOff(turn, 'lib')).toEqual({ ok: true })
    room.answer(turn, 'Librarian will help.')
    return room
  }
  const who = (room: TestRoom, text: string) => {
    room.say(text)
    const turn = room.next()
    room.answer(turn, 'ok')
    return turn.agent
  }

  it('answers what comes next, and it is said in one line', () => {
    const room = handedOff()
    expect(room.deliver().filter((line) => line === 'note handed-off')).toHaveLength(1)
    expect(who(room, 'which one is best?')).toBe('Librarian')
    expect(who(room, 'and then?')).toBe('Librarian')
  })

  it('gives way to the next agent that a person names, and to the orchestrator', () => {
    const room = handedOff()
    expect(who(room, '@Scribe note that')).toBe('Scribe')
    expect(who(room, 'and this')).toBe('Scribe')
    expect(who(room, '@Golem back to you')).toBe('Golem')
    expect(who(room, 'hello')).toBe('Golem')
  })

  it('for a day after its last answer there; then the orchestrator answers again', () => {
    const room = handedOff()
    room.now += 20 * 60 * 60_000
    expect(who(room, 'still there?')).toBe('Librarian')
    room.now += 24 * 60 * 60_000 - 1
    expect(who(room, 'and now?')).toBe('Librarian')
    room.now += 24 * 60 * 60_000
    expect(who(room, 'good morning')).toBe('Golem')
    room.say('@Golem books again')
    const turn = room.next()
    expect(room.handOff(turn, 'Librarian')).toEqual({ ok: true })
    room.answer(turn, 'Librarian will help.')
    expect(who(room, 'thanks')).toBe('Librarian')
  })

  it('is told once, also by a turn that runs again', () => {
    const room = new TestRoom(policy({}, agents))
    room.say('@Golem books, please')
    room.handOff(room.next(), 'Librarian')
    const after = room.reboot('boot-2')
    after.recover()
    expect(after.handOff(after.next(), 'Librarian')).toEqual({ ok: true })
    expect(after.deliver().filter((line) => line === 'note handed-off')).toHaveLength(1)
  })

  it('cannot be somebody who is not there, nor the one who gives it away', () => {
    const room = new TestRoom(policy({}, agents))
    room.say('@Golem books, please')
    const turn = room.next()
    expect(room.handOff(turn, 'Nobody')).toMatchObject({ ok: false })
    expect(room.handOff(turn, 'Golem')).toMatchObject({ ok: false })
    room.answer(turn, 'ok')
    expect(room.handOff(turn, 'Librarian')).toMatchObject({ ok: false })
  })
})
