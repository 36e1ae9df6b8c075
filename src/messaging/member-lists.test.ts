import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { message } from '../../tests/support/policy.js'
import type { Connection, Member } from './contract.js'
import { MEMBERS_PATIENCE, MEMBERS_TTL } from './limits.js'

const person = (id: string, name: string): Member => ({ id, name, kind: 'person' })

function start(members: Connection['members'], answer = '@Zoe please look') {
  const core = new Core(() => answer)
  const platform = new TestPlatform(core.clock)
  platform.members = members
  const host = core.connect(platform)
  let count = 0
  const ask = async (): Promise<void> => {
    await host.accept(message('@Golem hi', { id: `m${++count}` }))
    await settled()
  }
  const bodies = () => platform.sent.flatMap(({ op }) => (op.kind === 'post' ? [op.part.body] : []))
  return { core, ask, bodies }
}

describe('names in an answer', () => {
  it('of members who never spoke become mentions: the platform is asked once in a while', async () => {
    let asked = 0
    const { core, ask, bodies } = start(async function* () {
      asked++
      yield person('z', 'Zoe')
      yield { ...person('b', 'bot'), kind: 'bot' }
    }, '@Zoe and @Nobody, please look')
    await ask()
    await ask()
    expect(asked).toBe(1)
    await core.clock.advance(MEMBERS_TTL)
    await ask()
    expect(asked).toBe(2)
    expect(bodies()).toEqual(Array(3).fill({ text: '<@z> and @Nobody, please look' }))
  })

  it('that are known already cost no question', async () => {
    let asked = 0
    const { ask, bodies } = start(async function* () {
      asked++
      yield* []
    }, '@Ann, done')
    await ask()
    expect([asked, bodies()]).toEqual([0, [{ text: '<@ann>, done' }]])
  })

  it('stay text where the list cannot be read, or may not', async () => {
    // biome-ignore lint/correctness/useYield: it fails before it finds anybody
    const failing = start(async function* () {
      throw new Error('missing_scope')
    })
    await failing.ask()
    expect(failing.bodies()).toEqual([{ text: '@Zoe please look' }])
    const without = start(undefined)
    await without.ask()
    expect(without.bodies()).toEqual([{ text: '@Zoe please look' }])
  })

  it('do not wait for a slow list, which the next answer has', async () => {
    let release = (): void => undefined
    const { core, ask, bodies } = start(async function* () {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      yield person('z', 'Zoe')
    })
    await ask()
    expect(bodies()).toEqual([])
    await core.clock.advance(MEMBERS_PATIENCE)
    await settled()
    expect(bodies()).toEqual([{ text: '@Zoe please look' }])
    release()
    await settled()
    await ask()
    expect(bodies()[1]).toEqual({ text: '<@z> please look' })
  })
})
