import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../tests/simulators/kit/clock.js'
import { type Delivery, Lanes, TRIES } from './lanes.js'

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

function scene() {
  const clock = new VirtualClock({ manual: true, start: 1_000_000 })
  const lanes = new Lanes(clock)
  const stored: string[] = []
  const offered: string[] = []
  const delivery = (name: string, refusals = 0): Delivery => {
    let left = refusals
    return {
      store: async () => {
        offered.push(name)
        if (left-- > 0) throw new Error('full')
        stored.push(name)
      },
      giveUp: async () => {
        stored.push(`given up: ${name}`)
      },
    }
  }
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 250) {
      clock.advance(250)
      await settled()
    }
  }
  return { clock, lanes, stored, offered, delivery, pass }
}

describe('events on their way to the core', () => {
  it('are handed over in the tick they come in, without waiting for each other', () => {
    const { lanes, offered, delivery } = scene()
    lanes.put('a', delivery('one'))
    lanes.put('a', delivery('two'))
    expect(offered).toEqual(['one', 'two'])
  })

  it('wait for names in front of them in their channel, and in no other', async () => {
    const { lanes, stored, delivery } = scene()
    let named: (one: Delivery) => void = () => undefined
    lanes.put('a', new Promise<Delivery>((resolve) => (named = resolve)))
    lanes.put('a', delivery('two'))
    lanes.put('b', delivery('other'))
    await settled()
    expect(stored).toEqual(['other'])
    named(delivery('one'))
    await settled()
    expect(stored).toEqual(['other', 'one', 'two'])
  })

  it('keep their order when one is refused, and nothing behind it is lost', async () => {
    const { lanes, stored, delivery, pass } = scene()
    lanes.put('a', delivery('one', 2))
    lanes.put('a', delivery('two', 1))
    lanes.put('b', delivery('other'))
    await settled()
    lanes.put('a', delivery('three'))
    await settled()
    expect(stored).toEqual(['other'])
    await pass(5_000)
    expect(stored).toEqual(['other', 'one', 'two', 'three'])
    await lanes.idle()
    lanes.put('a', delivery('four'))
    expect(stored.at(-1)).toBe('four')
  })

  it('do not stand still behind one that nobody can store', async () => {
    const { lanes, stored, offered, delivery, pass } = scene()
    lanes.put('a', delivery('bad', 1_000))
    await settled()
    lanes.put('a', delivery('good'))
    await pass(60_000)
    expect(stored).toEqual(['given up: bad', 'good'])
    expect(offered.filter((name) => name === 'bad')).toHaveLength(TRIES)
  })

  it('are left where they are at the end, with no timer', async () => {
    const { clock, lanes, stored, delivery } = scene()
    lanes.put('a', delivery('one', 1_000))
    await settled()
    const idle = lanes.idle()
    lanes.close()
    await idle
    clock.advance(60_000)
    await settled()
    expect(stored).toEqual([])
  })
})
