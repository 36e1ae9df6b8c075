import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Rooms, settled } from './harness.fixture.js'

let rooms: Rooms
beforeEach(async () => {
  rooms = await Rooms.open()
})
afterEach(() => rooms.dispose())

interface Seen {
  id?: number
  type: string
  data: Record<string, unknown>
}

/** Reads frames as a browser does. */
class Reader {
  readonly seen: Seen[] = []
  comments = 0
  ended = false
  readonly #abort = new AbortController()
  #text = ''

  static async open(query = '', lastEventId?: number | string): Promise<Reader> {
    const reader = new Reader()
    const headers = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }
    const response = await rooms.raw('GET', `events${query}`, { headers, signal: reader.#abort.signal })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    void reader.#read(response.body)
    await settled()
    return reader
  }

  async #read(body: ReadableStream<Uint8Array> | null): Promise<void> {
    for await (const chunk of body ?? []) {
      this.#text += new TextDecoder().decode(chunk)
      const frames = this.#text.split('\n\n')
      this.#text = frames.pop() ?? ''
      for (const frame of frames) this.#frame(frame)
    }
    this.ended = true
  }

  #frame(frame: string): void {
    const fields = new Map(frame.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
    if (frame.startsWith(':')) this.comments++
    const data = fields.get('data')
    if (data === undefined) return
    const id = fields.get('id')
    const type = fields.get('event') ?? 'message'
    this.seen.push({ ...(id !== undefined && { id: Number(id) }), type, data: JSON.parse(data) })
  }

  get types(): string[] {
    return this.seen.map(({ type }) => type)
  }
  get last(): number {
    return this.seen.findLast(({ id }) => id !== undefined)?.id ?? 0
  }
  close(): void {
    this.#abort.abort()
  }
}

describe('a stream', () => {
  it('says where it begins, then every change once', async () => {
    const reader = await Reader.open()
    expect(reader.types).toEqual(['hello'])
    const id = await rooms.say('hi')
    await rooms.call('PATCH', `rooms/lobby/messages/${id}`, { author: 'Alice', text: 'hi!' })
    await rooms.call('PUT', `rooms/lobby/messages/${id}/reactions/+1`, { author: 'Bob' })
    await rooms.call('DELETE', `rooms/lobby/messages/${id}`, { author: 'Alice' })
    await rooms.call('POST', 'rooms', { id: 'dev' })
    await settled()
    expect(reader.types).toEqual(['hello', 'message', 'edit', 'reaction', 'delete', 'room'])
    expect(reader.seen[1]?.data).toMatchObject({
      id,
      room: 'lobby',
      text: 'hi',
      receipt: '/api/messages/local:lobby:1/receipt',
    })
    expect(reader.seen[5]?.data).toMatchObject({ id: 'dev', key: 'local:dev' })
    const ids = reader.seen.map((event) => event.id ?? 0)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    reader.close()
  })

  it('tells of the rooms that were asked for', async () => {
    await rooms.call('POST', 'rooms', { id: 'b' })
    const reader = await Reader.open('?rooms=b')
    await rooms.say('in lobby')
    await rooms.say('in b', {}, 'b')
    await settled()
    expect(reader.seen.slice(1)).toMatchObject([{ type: 'message', data: { room: 'b' } }])
    reader.close()
    expect((await rooms.call('GET', 'events?rooms=../x')).status).toBe(400)
  })

  it('stays alive by a comment every 15 seconds', async () => {
    const reader = await Reader.open()
    rooms.host.clock.advance(45_000)
    await settled()
    expect(reader.comments).toBe(3)
    reader.close()
  })

  it('keeps notes for one person from others, and out of the log', async () => {
    const [bob, carol] = [await Reader.open('?as=Bob'), await Reader.open('?as=Carol')]
    const part = { text: 'psst', body: { text: 'psst', mentions: [] }, mentions: [] }
    const signal = new AbortController().signal
    const place = { chat: 'lobby' }
    await rooms.connection.perform({ kind: 'typing', place, on: true }, 't', signal)
    await rooms.connection.perform({ kind: 'whisper', place, to: 'Bob', part }, 'w', signal)
    await settled()
    expect(bob.types).toEqual(['hello', 'typing', 'whisper'])
    expect(bob.seen[2]).toMatchObject({ data: { text: 'psst', room: 'lobby' } })
    expect(bob.seen[2]?.id).toBeUndefined()
    expect(carol.types).toEqual(['hello', 'typing'])
    for (const reader of [bob, carol]) reader.close()
    const later = await Reader.open('?as=Bob', bob.last)
    expect(later.types).toEqual([])
    later.close()
  })

  it('is ended for a reader who does not read, and nobody else suffers', async () => {
    const response = await rooms.raw('GET', 'events')
    const good = await Reader.open()
    const long = 'x'.repeat(30_000)
    for (let i = 0; i < 12; i++) await rooms.say(long)
    await settled()
    let bytes = 0
    for await (const chunk of response.body ?? []) bytes += chunk.byteLength
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThan(300_000)
    expect(good.seen).toHaveLength(13)
    good.close()
  })

  it('is refused when there are too many, and makes room when one goes', async () => {
    // What the start had to tell the core is told, and its row goes.
    rooms.host.clock.advance(200)
    await settled()
    const readers = await Promise.all(Array.from({ length: 200 }, () => Reader.open()))
    expect((await rooms.raw('GET', 'events')).status).toBe(503)
    readers[0]?.close()
    const next = await Reader.open()
    expect(next.types).toEqual(['hello'])
    for (const reader of [...readers, next]) reader.close()
    await settled()
    expect(rooms.host.clock.pending).toBe(0)
  })

  it('ends when the connection is closed', async () => {
    const reader = await Reader.open()
    await rooms.connection.close(0)
    await settled()
    expect(reader.ended).toBe(true)
    expect(rooms.host.clock.pending).toBe(0)
  })
})

describe('resuming', () => {
  it('brings what was missed, as it is now', async () => {
    const first = await Reader.open()
    await rooms.say('one')
    await settled()
    first.close()
    await rooms.say('two')
    await rooms.call('DELETE', 'rooms/lobby/messages/2', { author: 'Alice' })
    await rooms.call('POST', 'rooms/lobby/messages', { author: 'Alice', text: 'three' })
    const again = await Reader.open('', first.last)
    expect(again.types).toEqual(['message', 'delete', 'message'])
    expect(again.seen[0]?.data).toMatchObject({ id: '2', deleted: true, text: '' })
    again.close()
    const byQuery = await Reader.open(`?lastEventId=${first.last}`)
    expect(byQuery.types).toEqual(['message', 'delete', 'message'])
    byQuery.close()
  })

  it('goes on where it stopped after a restart', async () => {
    await rooms.say('one')
    const first = await Reader.open()
    first.close()
    await rooms.connection.close(0)
    await rooms.connect()
    await rooms.say('two')
    const again = await Reader.open('', first.last)
    expect(again.seen).toMatchObject([{ type: 'message', data: { text: 'two' } }])
    again.close()
  })

  it.each([
    ['a number from the future', 999_999],
    ['no number', 'abc'],
  ])('tells %s to load afresh', async (_, id) => {
    await rooms.say('one')
    const reader = await Reader.open('', id)
    expect(reader.types).toEqual(['reset'])
    await rooms.say('two')
    await settled()
    expect(reader.types).toEqual(['reset', 'message'])
    reader.close()
  })

  it('tells those who were away for too long to load afresh', async () => {
    await rooms.connection.close(0)
    await rooms.connect({}, 100)
    for (let i = 0; i < 400; i++) await rooms.say(`m${i}`)
    const reader = await Reader.open('', 5)
    expect(reader.types).toEqual(['reset'])
    reader.close()
    const recent = await Reader.open('', 390)
    expect(recent.seen).toHaveLength(401 - 390)
    recent.close()
  })

  it('never misses and never repeats, however often it breaks and whatever happens meanwhile', async () => {
    const step = fc.oneof(
      fc.constant('say'),
      fc.constant('break'),
      fc.constant('settle'),
      fc.constant('burst'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const said: Promise<unknown>[] = []
        let reader = await Reader.open()
        const before = reader.last
        const seen: number[] = []
        const leave = () => {
          reader.close()
          seen.push(
            ...reader.seen.flatMap(({ id, type }) => (id === undefined || type === 'hello' ? [] : [id])),
          )
          return seen.at(-1) ?? before
        }
        for (const what of steps) {
          if (what === 'say') said.push(rooms.say('x'))
          if (what === 'burst') for (let i = 0; i < 130; i++) said.push(rooms.say('y'))
          if (what === 'settle') await settled()
          if (what === 'break') reader = await Reader.open('', leave())
        }
        await Promise.all(said)
        await settled()
        leave()
        expect(seen).toEqual(Array.from({ length: said.length }, (_, i) => before + 1 + i))
      }),
      { numRuns: 15 },
    )
  })
})
