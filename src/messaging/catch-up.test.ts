/** What was missed, read again. Long, because every case and the law needs the chat that this file makes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { natively } from '../../tests/support/decision.js'
import { message, policy, SELF, T0 } from '../../tests/support/policy.js'
import { type InboundMessage, type Place, PlatformFailure } from './contract.js'
import { CATCH_UP_PLACES } from './limits.js'
import type { Policy } from './roster.js'

const HOUR = 3_600_000

/** A chat platform that keeps what was said, and delivers it only while the bot is there. */
class Chat {
  readonly core: Core
  readonly platform: TestPlatform
  readonly lines: InboundMessage[] = []
  readonly asked: { place: Place; after?: string; limit: number }[] = []
  /** Asked before each page: throws, or lets it pass. */
  before: (call: number) => void = () => undefined
  up = false

  constructor(given: Policy = policy(), earlier?: Chat) {
    this.core = earlier
      ? new Core(({ turn }) => `re: ${turn.lines.at(-1)?.text}`, given, earlier.core.memory.test, 'boot-2')
      : new Core(({ turn }) => `re: ${turn.lines.at(-1)?.text}`, given)
    if (earlier) {
      this.core.clock.advance(earlier.core.clock.now() - this.core.clock.now())
      this.lines.push(...earlier.lines)
    }
    this.platform = new TestPlatform(this.core.clock)
    const chat = this
    this.platform.history = async function* (place, range) {
      chat.asked.push({ place, ...range })
      chat.before(chat.asked.length)
      const inPlace = chat.lines.filter(
        ({ id, place: { chat: room, thread } }) =>
          room === place.chat &&
          (thread === place.thread || (place.thread !== undefined && id === place.thread)),
      )
      const from = inPlace.findIndex(({ id }) => id === range.after) + 1
      yield* inPlace.slice(from, from + range.limit)
    }
    this.core.connect(this.platform, 'local', false)
  }

  async connect() {
    this.up = true
    this.core.directory.set('local', {
      connection: this.platform.connection,
      state: { phase: 'ready', sees: 'all' },
    })
    await this.core.pass(5_000)
  }

  async disconnect() {
    this.up = false
    this.core.directory.set('local', { connection: null, state: { phase: 'degraded', reason: 'gone' } })
    await settled()
  }

  /** Somebody says something; the bot hears it if it is there. */
  async say(text: string, change: Partial<InboundMessage> = {}) {
    const line = message('', {
      id: String(this.lines.length + 100),
      at: this.core.clock.now(),
      doc: natively(text),
      ...change,
    })
    this.lines.push(line)
    if (this.up) await this.platform.host?.accept(line)
    await settled()
    return line
  }

  async outcome(line: InboundMessage) {
    return (await this.core.store.receipt(`local:${line.place.chat}:${line.id}`))?.outcome
  }
}

/** A chat that was spoken in, and a question that came while the connection was down. */
async function away(): Promise<{ chat: Chat; missed: Awaited<ReturnType<Chat['say']>> }> {
  const chat = new Chat()
  await chat.connect()
  await chat.say('@Golem hi')
  await chat.disconnect()
  return { chat, missed: await chat.say('@Golem there?') }
}

describe('after an absence', () => {
  it('a mention that was missed is answered, and what was said besides is context', async () => {
    const chat = new Chat()
    await chat.connect()
    await chat.say('@Golem hi')
    await chat.disconnect()
    await chat.core.pass(10 * 60_000, 60_000)
    const idle = await chat.say('lunch?')
    const missed = await chat.say('@Golem are you there?')
    await chat.connect()
    expect(chat.platform.posts()).toEqual(['re: hi', 're: are you there?'])
    expect(await chat.outcome(idle)).toBe('kept')
    expect(await chat.outcome(missed)).toBe('answered')
    expect(chat.core.directory.get('local')?.caughtUp).toMatchObject({ messages: 2, complete: true })
    expect(chat.core.logged.filter((line) => line.includes('while the connection was away'))).toEqual([
      expect.stringContaining('"messages":2'),
    ])
  })

  it('a restart is one', async () => {
    const chat = new Chat()
    await chat.connect()
    await chat.say('@Golem hi')
    await chat.disconnect()
    await chat.say('@Golem still there?')
    const next = new Chat(policy(), chat)
    next.core.clock.advance(60_000)
    next.core.threads.start()
    await next.connect()
    expect(next.platform.posts()).toEqual(['re: still there?'])
  })

  it('what was said in threads is read as well, and what was never spoken in is not', async () => {
    const chat = new Chat()
    await chat.connect()
    const root = await chat.say('@Golem hi')
    const thread = { chat: 'lobby', thread: root.id }
    await chat.say('@Golem go on', { place: thread })
    await chat.disconnect()
    const missed = await chat.say('@Golem and this?', { place: thread })
    await chat.say('@Golem here?', { place: { chat: 'never' } })
    await chat.connect()
    expect(await chat.outcome(missed)).toBe('answered')
    expect(new Set(chat.asked.filter(({ after }) => after).map(({ place }) => place.chat))).toEqual(
      new Set(['lobby']),
    )
  })

  it('what is older than a day is context, and no answer', async () => {
    const chat = new Chat()
    await chat.connect()
    await chat.say('@Golem hi')
    await chat.disconnect()
    const old = await chat.say('@Golem old news?')
    await chat.core.pass(25 * HOUR, HOUR)
    const fresh = await chat.say('@Golem fresh news?')
    await chat.connect()
    expect(chat.platform.posts()).toEqual(['re: hi', 're: fresh news?'])
    expect(await chat.outcome(old)).toBe('read')
    expect(await chat.outcome(fresh)).toBe('answered')
    expect(chat.core.worked.at(-1)?.turn.lines.map(({ text }) => text)).toContain('old news?')
  })

  it('is no matter for chats that have been silent for a week', async () => {
    const chat = new Chat()
    await chat.connect()
    await chat.say('@Golem hi')
    await chat.disconnect()
    await chat.core.pass(8 * 24 * HOUR, 6 * HOUR)
    await chat.say('@Golem hello?')
    const before = chat.asked.length
    await chat.connect()
    expect(chat.asked).toHaveLength(before)
  })

  it('more than a page is read to its end, own posts among it, none of them twice', async () => {
    const chat = new Chat()
    await chat.connect()
    await chat.say('@Golem hi')
    await chat.disconnect()
    for (let index = 0; index < 230; index++)
      await chat.say(`line ${index}`, index % 10 === 0 ? { author: { ...SELF, kind: 'self' } } : {})
    const last = await chat.say('@Golem the end')
    await chat.connect()
    expect(await chat.outcome(last)).toBe('answered')
    expect(chat.asked.filter(({ after }) => after)).toHaveLength(3)
    const lines = (await chat.core.store.roomMessages('local:lobby', { limit: 1_000 })) ?? []
    expect(lines.filter(({ kind }) => kind === 'person')).toHaveLength(209)
    expect(lines.filter(({ kind }) => kind === 'agent')).toHaveLength(2)
  })

  it('what is never read to its end leaves a gap, which the next turn reads back', async () => {
    const chat = new Chat()
    await chat.connect()
    await chat.say('@Golem hi')
    await chat.disconnect()
    for (let index = 0; index < 1_010; index++) await chat.say(`line ${index}`)
    await chat.connect()
    expect(chat.core.directory.get('local')?.caughtUp).toMatchObject({ messages: 1_000, complete: false })
    await chat.say('@Golem and?')
    expect(chat.asked.at(-1)).toMatchObject({ limit: 30, before: expect.any(String) })
  })

  it('what could not be read is tried again, and goes on where it stopped when the connection comes back', async () => {
    const { chat, missed } = await away()
    const isReading = () => chat.core.directory.get('local')?.catchingUp
    expect(isReading()).toBe(false)
    chat.before = () => {
      throw new PlatformFailure({ kind: 'unreachable' }, 'the line is dead')
    }
    await chat.connect()
    expect(isReading()).toBe(true)
    await chat.core.pass(60_000)
    expect(await chat.outcome(missed)).toBeUndefined()
    // Heard meanwhile: what is missing lies before it.
    await chat.say('@Golem live')
    await chat.disconnect()
    chat.before = () => undefined
    await chat.connect()
    expect(await chat.outcome(missed)).toBe('answered')
    expect(isReading()).toBe(false)
  })

  it('what could not be read is tried again while the connection stays up', async () => {
    const { chat, missed } = await away()
    chat.before = () => {
      throw new PlatformFailure({ kind: 'unreachable' }, 'the line is dead')
    }
    await chat.connect()
    await chat.core.pass(60_000)
    chat.before = () => undefined
    await chat.core.pass(5 * 60_000, 10_000)
    expect(await chat.outcome(missed)).toBe('answered')
    const asked = chat.asked.length
    await chat.core.pass(3_600_000, 60_000)
    expect(chat.asked).toHaveLength(asked)
  })

  it('a rate limit is waited for, a refusal is not', async () => {
    const chat = new Chat()
    await chat.connect()
    await chat.say('@Golem hi')
    await chat.say('@Golem hi', { place: { chat: 'den' } })
    await chat.disconnect()
    const missed = await chat.say('@Golem there?')
    const refused = await chat.say('@Golem there?', { place: { chat: 'den' } })
    let limited = 0
    chat.before = () => {
      const { place } = chat.asked.at(-1) ?? { place: { chat: '' } }
      if (place.chat === 'den') throw new PlatformFailure({ kind: 'forbidden' }, 'not a member')
      if (limited++ === 0)
        throw new PlatformFailure(
          { kind: 'rate-limited', retryAt: chat.core.clock.now() + 20_000 },
          'slow down',
        )
    }
    await chat.connect()
    await chat.core.pass(14_000)
    expect(await chat.outcome(missed)).toBeUndefined()
    await chat.core.pass(8_000)
    expect(await chat.outcome(missed)).toBe('answered')
    expect(await chat.outcome(refused)).toBeUndefined()
    expect(chat.asked.filter(({ place, after }) => place.chat === 'den' && after)).toHaveLength(1)
  })

  it('a store that takes nothing ends it, and it is tried again', async () => {
    const { chat, missed } = await away()
    chat.core.memory.failing.set('accept', new Error('the disk is full'))
    await chat.connect()
    chat.core.memory.failing.clear()
    await chat.disconnect()
    await chat.connect()
    expect(await chat.outcome(missed)).toBe('answered')
  })

  it('law: whatever is heard, missed, read and delivered again, each message is there once and each mention is answered once', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ say: fc.boolean(), thread: fc.boolean() }) },
      { weight: 2, arbitrary: fc.constant('toggle' as const) },
      { weight: 1, arbitrary: fc.constant('again' as const) },
      { weight: 1, arbitrary: fc.constant('wait' as const) },
      { weight: 1, arbitrary: fc.constant('fail' as const) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const chat = new Chat()
        const mentions = new Set<string>()
        await chat.connect()
        const root = await chat.say('the root')
        await chat.say('in a thread', { place: { chat: 'lobby', thread: root.id } })
        for (const one of steps) {
          if (one === 'toggle') await (chat.up ? chat.disconnect() : chat.connect())
          else if (one === 'wait') await chat.core.pass(3 * 60_000, 60_000)
          else if (one === 'fail')
            chat.before = (call) => {
              if (call % 2 === 0) throw new PlatformFailure({ kind: 'unreachable' }, 'no')
            }
          else if (one === 'again') {
            if (chat.up) for (const line of chat.lines.slice(-4)) await chat.platform.host?.accept(line)
          } else {
            const line = await chat.say(one.say ? '@Golem hi' : 'chat', {
              place: one.thread ? { chat: 'lobby', thread: root.id } : { chat: 'lobby' },
              author: { id: `p${chat.lines.length}`, name: 'P', kind: 'person' },
            })
            if (one.say) mentions.add(line.id)
          }
        }
        chat.before = () => undefined
        if (chat.up) await chat.disconnect()
        await chat.connect()
        await chat.core.pass(30_000)
        const lines = (await chat.core.store.roomMessages('local:lobby', { limit: 1_000 })) ?? []
        const heard = lines.filter(({ kind }) => kind === 'person').map(({ native }) => native)
        expect(heard.toSorted()).toEqual(chat.lines.map(({ id }) => id).toSorted())
        for (const line of chat.lines) {
          const receipt = await chat.core.store.receipt(`local:lobby:${line.id}`)
          if (mentions.has(line.id))
            expect(receipt?.turns.filter(({ state }) => state === 'settled')).toHaveLength(1)
        }
      }),
      { numRuns: 40 },
    )
  }, 60_000)
})

it('what only some connections miss holds up no other, and closing waits for nothing', async () => {
  const chat = new Chat()
  await chat.connect()
  await chat.say('@Golem hi')
  await chat.disconnect()
  chat.platform.history = async function* () {
    yield* []
    await new Promise(() => undefined)
  }
  await chat.connect()
  await chat.say('@Golem live')
  expect(chat.platform.posts()).toContain('re: live')
  await chat.core.threads.close(T0 + 9e9)
})

describe('where the platform itself says that something was missed', () => {
  /** Chats in which nobody was ever heard. */
  function unheard(rooms = ['r1', 'r2']): { chat: Chat; told: string[] } {
    const chat = new Chat()
    const told: string[] = []
    chat.platform.missed = async function* () {
      for (const room of rooms) {
        const first = chat.lines.find(({ place }) => place.chat === room)
        if (first === undefined) continue
        yield { place: { chat: room }, after: '0' }
        told.push(room)
      }
    }
    return { chat, told }
  }

  it('a chat in which nobody was heard before is read too', async () => {
    const { chat, told } = unheard()
    const missed = await chat.say('@Golem anybody?', { place: { chat: 'r1' } })
    await chat.connect()
    expect(chat.platform.posts('r1')).toEqual(['re: anybody?'])
    expect(await chat.outcome(missed)).toBe('answered')
    expect(told).toEqual(['r1'])
    expect(chat.core.directory.get('local')?.caughtUp).toMatchObject({ messages: 1, complete: true })
  })

  it('what it was told is stored before it listens on: a life that ends then need not be told again', async () => {
    const { chat, told } = unheard()
    await chat.say('@Golem one?', { place: { chat: 'r1' } })
    await chat.say('@Golem two?', { place: { chat: 'r2' } })
    chat.before = () => {
      throw new PlatformFailure({ kind: 'unreachable' }, 'down')
    }
    await chat.connect()
    expect(told).toEqual(['r1', 'r2'])
    const next = new Chat(policy(), chat)
    next.core.clock.advance(60_000)
    next.core.threads.start()
    await next.connect()
    expect(next.platform.posts()).toEqual(['re: one?', 're: two?'])
  })

  it('more places than are read in one go are counted together', async () => {
    const rooms = Array.from({ length: CATCH_UP_PLACES + 20 }, (_, n) => `r${n}`)
    const { chat } = unheard(rooms)
    for (const room of rooms) await chat.say('@Golem?', { place: { chat: room } })
    await chat.connect()
    expect(chat.core.directory.get('local')?.caughtUp).toMatchObject({
      messages: rooms.length,
      complete: true,
    })
  })

  it('a platform that does not say is asked again later', async () => {
    const { chat } = unheard()
    await chat.say('@Golem one?', { place: { chat: 'r1' } })
    const says = chat.platform.missed
    let tries = 0
    chat.platform.missed = async function* () {
      if (++tries === 1) throw new PlatformFailure({ kind: 'unreachable' }, 'down')
      yield* says?.() ?? []
    }
    await chat.connect()
    expect(chat.platform.posts()).toEqual([])
    await chat.core.pass(6 * 60_000, 30_000)
    expect(chat.platform.posts()).toEqual(['re: one?'])
  })

  it('however many places there are, each is read', async () => {
    const { chat } = unheard()
    const rooms = Array.from({ length: 230 }, (_, index) => `room${index}`)
    for (const room of rooms) await chat.say('@Golem anybody?', { place: { chat: room } })
    chat.platform.missed = async function* () {
      for (const room of rooms) yield { place: { chat: room }, after: '0' }
    }
    await chat.connect()
    await chat.core.pass(60_000, 5_000)
    expect(chat.platform.posts()).toHaveLength(rooms.length)
  })
})
