import { describe, expect, it } from 'vitest'
import { settled, TestClock } from '../../tests/support/clock.js'
import { MemoryStore, TestPlatform } from '../../tests/support/core.js'
import { policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { Member } from './contract.js'
import { Directory } from './directory.js'
import { MemberLists } from './member-lists.js'

const inside = (id: string, outside?: boolean): Member => ({
  id,
  name: id,
  kind: 'person',
  ...(outside !== undefined && { outside }),
})

/** A turn in a chat of these members, where there is a fact of the organisation. */
async function told(members: readonly Member[] | Error | 'silent' | undefined): Promise<string[]> {
  const clock = new TestClock()
  const room = new TestRoom(policy({ owners: ['ann'] }))
  room.now = clock.now()
  room.say('!memory workspace payroll is on the 25th', { place: { chat: 'hall' } })
  room.say('@Golem when is payday?')
  const turn = room.next()
  expect(turn.unlisted).toBe(true)
  const platform = new TestPlatform(clock)
  if (members !== undefined)
    platform.members = async function* () {
      if (members === 'silent') await new Promise(() => undefined)
      else if (members instanceof Error) throw members
      else yield* members
    }
  const entry = new Directory().add('local', platform.platform, 'Golem')
  entry.connection = platform.connection
  const quiet = () => undefined
  const lists = new MemberLists({
    store: new MemoryStore(room).store,
    clock,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  })
  const shown = lists.listed(turn, entry)
  await settled(10)
  clock.advance(10_000)
  return ((await shown).facts ?? []).map(({ text }) => text)
}

describe('who reads along', () => {
  it('everybody is of the organisation, says the platform: the turn is told what they may know', async () => {
    const bot: Member = { id: 'golem', name: 'Golem', kind: 'self' }
    expect(await told([inside('ann', false), inside('bob', false), bot])).toEqual(['payroll is on the 25th'])
  })

  it.each([
    ['somebody is not', [inside('ann', false), inside('eve', true)]],
    ['it does not say so of everybody', [inside('ann', false), inside('bob')]],
    ['it names nobody', []],
    ['the list is too long to be whole', Array.from({ length: 5_001 }, (_, n) => inside(`p${n}`, false))],
    ['it refuses', new Error('missing scope')],
    ['it does not answer', 'silent' as const],
    ['it has no lists', undefined],
  ])('%s: nothing is told', async (_, members) => {
    expect(await told(members)).toEqual([])
  })
})
