import { describe, expect, it } from 'vitest'
import { ConnectFailure } from '../../src/messaging/contract.js'
import { bench, TestHost, until } from './harness.fixture.js'

describe('long polling', () => {
  it('tg-restart-does-not-lose: the offset moves only past what is stored, and nothing is dropped', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    one.host.refuse = 1_000
    const first = one.sim.say(chat, ann, 'first')
    const second = one.sim.say(chat, ann, 'second')
    await until(() => one.host.offered.some((event) => 'id' in event && event.id === second), 'it is offered')
    await one.connection.close(one.clock.now())
    expect(one.sim.pending).toBeGreaterThanOrEqual(2)
    const third = one.sim.say(chat, ann, 'third')
    one.host.refuse = 0
    await one.connect()
    await one.heard(third)
    expect(one.messages.map(({ id }) => id)).toEqual([first, second, third])
  })

  it('tg-restart-does-not-replay: the next life begins behind what this one stored', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    const id = one.sim.say(chat, ann, '/restart')
    await one.heard(id)
    await one.connection.close(one.clock.now() + 1_000)
    const before = one.sim.calls.length
    await one.connect()
    // A poll stands in the log once it is answered.
    await one.heard(one.sim.say(chat, ann, 'again'))
    const first = one.sim.calls.slice(before).find(({ method }) => method === 'getUpdates')
    expect(Number(first?.params.offset)).toBeGreaterThan(1)
    // Even when Telegram delivers it once more, it is the same event.
    const heard = one.messages.length
    one.sim.redeliver(3)
    const marker = one.sim.say(chat, ann, 'after')
    await one.heard(marker)
    expect(one.messages.length).toBe(heard + 1)
  })

  it('a stored offset of another bot, or an old one, is not believed', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    const id = one.sim.say(chat, ann, 'hello')
    await one.heard(id)
    await one.connection.close(one.clock.now() + 1_000)
    one.clock.advance(7 * 24 * 3_600_000)
    const since = one.clock.now()
    await one.connect()
    // A poll stands in the log once it is answered.
    await one.heard(one.sim.say(chat, ann, 'again'))
    const first = one.sim.calls.find(({ method, at }) => method === 'getUpdates' && at >= since)
    expect(first?.params.offset).toBeUndefined()
  })

  it('asks for the kinds of update that come only when they are asked for', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    await one.heard(one.sim.say(one.sim.group('Lobby', [ann]), ann, 'hello'))
    const { params } = one.sim.calls.find(({ method }) => method === 'getUpdates') ?? {}
    expect(params?.allowed_updates).toContain('message_reaction')
    expect(params?.allowed_updates).toContain('chat_member')
  })

  it('an update that nothing can store is reported once and holds up nobody', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    const accept = one.host.accept.bind(one.host)
    one.host.accept = async (event) => {
      if (event.kind === 'message' && JSON.stringify(event.doc).includes('poison')) throw new Error('bad row')
      return accept(event)
    }
    one.sim.say(chat, ann, 'poison')
    const next = one.sim.say(chat, ann, 'fine')
    await one.passes(() => one.message(next) !== undefined, 'the next is heard')
    const reported = () =>
      one.host.accepted.filter(({ event }) => event?.startsWith('unstored:') === true).length
    await one.passes(() => reported() > 0, 'it is reported')
    expect(reported()).toBe(1)
    expect(one.host.logged.some(({ message }) => message.includes('was given up'))).toBe(true)
    await until(() => one.host.states.at(-1)?.phase === 'ready', 'all is well')
  })

  it('a second poller is told of, and it goes on when that is gone', async () => {
    const one = await bench()
    const undo = one.sim.fault({
      method: 'getUpdates',
      do: {
        kind: 'refuse',
        code: 409,
        description:
          'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      },
    })
    one.sim.cut('close')
    const trouble = () =>
      one.host.states.find((state) => state.phase === 'degraded' && /another process/.test(state.reason))
    await one.passes(() => trouble() !== undefined, 'it is told')
    expect(trouble()).toBeDefined()
    undo()
    await one.passes(() => one.host.states.at(-1)?.phase === 'ready', 'it is well again')
    expect(one.host.states.at(-1)?.phase).toBe('ready')
  })

  it('a webhook left behind is removed, and what waits there is kept', async () => {
    const one = await bench({ connect: false })
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    await one.connect({ ...one.sim.settings('webhook') })
    const id = one.sim.say(chat, ann, 'while nobody listens')
    await one.connection.close(one.clock.now())
    await one.connect()
    await one.heard(id)
    expect(
      one.sim.calls.find(({ method }) => method === 'deleteWebhook')?.params.drop_pending_updates,
    ).not.toBe(true)
  })

  it('any-network-error-does-not-end-the-daemon: it waits and comes back', async () => {
    const one = await bench()
    const undo = one.sim.fault({ do: { kind: 'reset' } })
    one.sim.cut('close')
    await until(() => one.host.states.some(({ phase }) => phase === 'degraded'), 'it is told')
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    const id = one.sim.say(chat, ann, 'hello?')
    await one.post(chat, 'x').catch(() => {})
    undo()
    await one.passes(() => one.message(id) !== undefined, 'it is heard')
    expect(one.host.states.at(-1)?.phase).toBe('ready')
  })

  it('a token that is taken away ends it for good, with what to do', async () => {
    const one = await bench()
    one.sim.revokeToken()
    one.sim.cut('close')
    let closed: unknown
    void one.connection.done.then((how) => {
      closed = how
    })
    await one.passes(() => closed !== undefined, 'it has ended')
    expect(closed).toMatchObject({ fatal: true, cure: expect.stringContaining('BotFather') })
  })

  it('a wrong token connects to nothing', async () => {
    const one = await bench({ connect: false })
    const error = await one
      .connect({ botToken: '7000000001:AAnot-this-one' })
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConnectFailure)
    expect((error as ConnectFailure).cure).toContain('BotFather')
  })
})

describe('what it sees', () => {
  it('is all without privacy mode', async () => {
    const one = await bench()
    expect(one.host.states.at(-1)).toEqual({ phase: 'ready', sees: 'all' })
  })

  it('is only what is addressed to it with privacy mode, which it says how to change', async () => {
    const one = await bench({ privacyMode: true })
    expect(one.host.states.at(-1)).toMatchObject({
      phase: 'ready',
      sees: 'addressed',
      note: expect.stringMatching(/setprivacy.*add it again/),
    })
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    one.sim.promoteBot(chat, ann)
    const last = () => one.host.states.at(-1)
    await until(() => JSON.stringify(last()).includes(chat), 'it knows where it is an administrator')
    one.sim.promoteBot(chat, ann, false)
    await until(() => !JSON.stringify(last()).includes(chat), 'it knows where it is none')
  })
})

describe('two accounts', () => {
  it('keep apart what they stored', async () => {
    const one = await bench()
    const other = await bench({ token: '7000000099:AAanother-bot_here-only-000' })
    expect(one.connection.self.id).not.toBe(other.connection.self.id)
    expect(one.host).toBeInstanceOf(TestHost)
  })
})
