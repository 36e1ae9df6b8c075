import { expect, it } from 'vitest'
import { settled, TestClock } from '../../tests/support/clock.js'
import { MemoryStore } from '../../tests/support/core.js'
import { TestRoom } from '../../tests/support/room.js'
import { Errands } from './errands.js'
import type { Errand } from './facts.js'

function desk(answer: (errand: Errand) => Promise<string>) {
  const room = new TestRoom()
  const memory = new MemoryStore(room)
  const clock = new TestClock()
  const logged: string[] = []
  const log = () => undefined
  const errands = new Errands({
    store: memory.store,
    clock,
    log: { debug: log, info: log, error: log, warn: (_, message) => void logged.push(message) },
    errand: answer,
    kick: () => undefined,
  })
  return { room, memory, clock, logged, errands }
}

it('answers each once, in their order, also those of an earlier life', async () => {
  const { room, errands } = desk(async ({ kind, words }) => `${kind} ${words}`)
  room.say('!memory', { chat: { kind: 'dm' }, place: { chat: 'd' } })
  room.say('!memory forget the walrus', { chat: { kind: 'dm' }, place: { chat: 'd' } })
  errands.look()
  errands.look()
  await settled(20)
  expect(room.deliver()).toEqual(['note command', 'note command'])
  errands.look()
  await settled(20)
  expect(room.deliver()).toEqual([])
})

it('tries again when the store takes nothing, and not after its end', async () => {
  const { room, memory, clock, logged, errands } = desk(async () => 'This.')
  room.say('!memory')
  memory.failing.set('settleErrand', new Error('full'))
  errands.look()
  await settled(20)
  expect(logged).toHaveLength(1)
  memory.failing.clear()
  clock.advance(30_000)
  await settled(20)
  room.now = clock.now()
  expect(room.deliver()).toEqual(['note command'])
  await errands.close()
  room.say('!memory')
  errands.look()
  await settled(20)
  expect(room.deliver()).toEqual([])
})
