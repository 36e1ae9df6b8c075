import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Rooms, settled, TestHost } from './harness.fixture.js'

let rooms: Rooms
beforeEach(async () => {
  rooms = await Rooms.open()
})
afterEach(() => rooms.dispose())

const post = (text: string, room = 'lobby', more: object = {}) =>
  rooms.call('POST', `rooms/${room}/messages`, { author: 'Alice', text, ...more })
const texts = (host: TestHost) => host.accepted.map((event) => ('id' in event ? event.id : event.kind))

describe('when the core cannot take a message', () => {
  it('says that it is stored, and hands it on when it can', async () => {
    rooms.host.refuse = 'the disk is full'
    const answer = await post('hello')
    expect(answer.status).toBe(503)
    expect(answer.body).toMatchObject({
      error: { code: 'not-delivered', message: expect.stringContaining('stored as 1') },
      id: '1',
      receipt: '/api/messages/local:lobby:1/receipt',
    })
    expect(rooms.host.states.at(-1)).toMatchObject({ phase: 'degraded' })
    rooms.host.refuse = null
    rooms.host.clock.advance(250)
    await settled()
    expect(texts(rooms.host)).toEqual(['1'])
    expect(rooms.host.states.at(-1)).toEqual({ phase: 'ready', sees: 'all' })
  })

  it('offers it less and less often, but never gives up', async () => {
    rooms.host.refuse = 'no'
    await post('hello')
    const at: number[] = []
    for (let second = 0; second < 120; second++) {
      const before = rooms.host.offered.length
      rooms.host.clock.advance(1_000)
      await settled()
      if (rooms.host.offered.length > before) at.push(second)
    }
    const gaps = at.slice(1).map((second, i) => second - (at[i] ?? 0))
    expect(gaps.at(-1)).toBe(30)
    expect(gaps).toEqual([...gaps].sort((a, b) => a - b))
    expect(rooms.host.warnings).toHaveLength(1)
  })

  it('lets nothing of the same room pass, and other rooms go on', async () => {
    const { host } = rooms
    const accept = host.accept.bind(host)
    let broken = true
    host.accept = (event) =>
      broken && event.place?.chat === 'lobby' ? Promise.reject(new Error('no')) : accept(event)
    await post('one')
    await post('two')
    expect((await post('elsewhere', 'other')).status).toBe(201)
    broken = false
    expect((await post('three')).status).toBe(201)
    expect(texts(host)).toEqual(['3', '1', '2', '4'])
  })

  it('tries at once when somebody else speaks, or the same message comes again', async () => {
    rooms.host.refuse = 'no'
    const first = await post('one', 'lobby', { key: 'k' })
    const again = await post('one', 'lobby', { key: 'k' })
    expect([first.status, again.status]).toEqual([503, 503])
    rooms.host.refuse = null
    expect(await post('one', 'lobby', { key: 'k' })).toMatchObject({ status: 200, body: { id: '1' } })
    expect(texts(rooms.host)).toEqual(['1'])
  })

  it('does not keep a request waiting for ever', async () => {
    rooms.host.hang = true
    const answer = post('hello')
    await settled()
    rooms.host.clock.advance(10_000)
    expect((await answer).status).toBe(503)
  })
})

describe('after a crash', () => {
  it('before the core had it: it is delivered, with what came after it, in order', async () => {
    rooms.host.hang = true
    const waiting = [post('one'), post('two'), post('three', 'other')]
    await settled()
    await rooms.call('PATCH', 'rooms/lobby/messages/9', { author: 'Alice', text: 'x' })
    const before = rooms.host
    const after = await rooms.connect()
    await settled()
    expect(texts(after).sort()).toEqual(['1', '2', '3'])
    expect(texts(after).indexOf('1')).toBeLessThan(texts(after).indexOf('2'))
    expect(before.accepted).toEqual([])
    before.clock.advance(10_000)
    await Promise.all(waiting)
  })

  it('before the row was deleted: it is delivered again as the same event', async () => {
    await post('one')
    const [first] = rooms.host.accepted
    const after = await rooms.connect()
    await settled()
    expect(after.accepted).toEqual([first])
  })

  it('after the row was deleted: it is not delivered again', async () => {
    await post('one')
    rooms.host.clock.advance(200)
    await settled()
    const after = await rooms.connect()
    await settled()
    expect(after.offered).toEqual([])
  })

  it('with a refusal that goes on: new messages wait behind the old ones', async () => {
    rooms.host.refuse = 'no'
    await post('one')
    await post('two')
    const host = new TestHost(rooms.dir)
    host.refuse = 'still no'
    await rooms.connect({}, undefined, host)
    expect((await post('three')).status).toBe(503)
    host.refuse = null
    expect((await post('four')).status).toBe(201)
    expect(texts(host)).toEqual(['1', '2', '3', '4'])
  })

  it('with more than fits in memory: nothing is left out or turned around', async () => {
    rooms.host.refuse = 'no'
    for (let i = 0; i < 450; i++) await post(`m${i}`)
    const after = await rooms.connect()
    const during = Array.from({ length: 30 }, (_, i) => post(`n${i}`))
    expect(new Set((await Promise.all(during)).map(({ status }) => status))).toEqual(new Set([201]))
    expect(texts(after)).toEqual(Array.from({ length: 480 }, (_, i) => String(i + 1)))
  })

  it('of everything a person did', async () => {
    const id = await rooms.say('x')
    rooms.host.hang = true
    const mine = `rooms/lobby/messages/${id}`
    const calls = [
      rooms.call('PATCH', mine, { author: 'Alice', text: 'y' }),
      rooms.call('PUT', `${mine}/reactions/+1`, { author: 'Bob' }),
      rooms.call('PATCH', 'rooms/lobby', { title: 'New' }),
      rooms.call('DELETE', mine, { author: 'Alice' }),
    ]
    await settled()
    const before = rooms.host
    const after = await rooms.connect()
    await settled()
    expect(after.heard).toEqual(['edit 1', 'reaction 1', 'change', 'delete 1'])
    before.clock.advance(10_000)
    await Promise.all(calls)
  })
})

describe('a burst', () => {
  it('larger than the queue in memory arrives whole and in order', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const accept = rooms.host.accept.bind(rooms.host)
    rooms.host.accept = async (event) => {
      await gate
      return accept(event)
    }
    const all = Array.from({ length: 1_300 }, (_, i) => post(`m${i}`))
    await settled()
    release()
    const statuses = new Set((await Promise.all(all)).map(({ status }) => status))
    expect(statuses).toEqual(new Set([201]))
    expect(texts(rooms.host)).toEqual(Array.from({ length: 1_300 }, (_, i) => String(i + 1)))
  })
})

describe('closing', () => {
  it('waits for what is on its way, and leaves no timer', async () => {
    let release = () => {}
    const accept = rooms.host.accept.bind(rooms.host)
    rooms.host.accept = async (event) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return accept(event)
    }
    const answer = post('last')
    await settled()
    const closed = rooms.connection.close(rooms.host.clock.now() + 5_000)
    expect((await post('too late')).status).toBe(503)
    release()
    expect((await answer).status).toBe(201)
    await closed
    expect(rooms.host.clock.pending).toBe(0)
    expect(await rooms.connection.done).toEqual({ reason: 'closed' })
    const after = await rooms.connect()
    await settled()
    expect(after.offered).toEqual([])
  })

  it('does not wait longer than it may', async () => {
    rooms.host.hang = true
    const answer = post('stuck')
    await settled()
    const closed = rooms.connection.close(rooms.host.clock.now() + 5_000)
    rooms.host.clock.advance(5_000)
    await closed
    expect((await answer).status).toBe(503)
    const after = await rooms.connect()
    await settled()
    expect(texts(after)).toEqual(['1'])
  })
})
