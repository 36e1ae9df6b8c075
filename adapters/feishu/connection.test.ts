import { afterEach, describe, expect, it } from 'vitest'
import { ConnectFailure } from '../../src/messaging/contract.js'
import { SCOPES } from '../../tests/simulators/feishu/options.js'
import { key, never, openWorld, post, TestHost, textOf, type World } from './harness.fixture.js'
import feishu from './index.js'

let world: World | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})
const open = async (...args: Parameters<typeof openWorld>): Promise<World> => {
  world = await openWorld(...args)
  return world
}
const without = (...gone: string[]): string[] => SCOPES.filter((scope) => !gone.includes(scope))
const times = ({ sim }: World, method: string): number =>
  sim.calls.filter((call) => call.method === method).length

describe('what the app may see', () => {
  it('is all of a group with the scope for it', async () => {
    const { host } = await open()
    expect(host.states.at(-1)).toEqual({ phase: 'ready', sees: 'all' })
  })

  it('is what names it without: the state says which scope is missing', async () => {
    const { host, sim, chat, ann } = await open({ sees: 'addressed' })
    expect(host.states.at(-1)).toMatchObject({
      phase: 'ready',
      sees: 'addressed',
      note: expect.stringContaining('im:message.group_msg'),
    })
    sim.say(chat, ann, 'to nobody')
    const id = sim.say(chat, ann, 'to the bot', { mention: true })
    await host.heard(id)
    expect(host.all('message')).toHaveLength(1)
  })

  it('nobody’s name without the scope for members: the note says so, and ids stand for names', async () => {
    const { host, sim, chat, ann } = await open({
      scopes: without('im:chat', 'im:chat.members:read', 'contact:contact.base:readonly'),
    })
    expect(host.states.at(-1)).toMatchObject({ note: expect.stringMatching(/im:chat .*stay text/) })
    const { author } = await host.heard(sim.say(chat, ann, 'hello'))
    expect(author).toMatchObject({ id: ann.id, name: ann.id })
  })

  it('is not asked what it may not even say', async () => {
    const failing = open({ scopes: without('im:message', 'im:message:send_as_bot') })
    await expect(failing).rejects.toBeInstanceOf(ConnectFailure)
    await expect(failing).rejects.toMatchObject({ cure: expect.stringContaining('Permissions') })
  })
})

describe('what is heard', () => {
  it('fs-redelivery-hours-later: the same message hours later, under another event id and after a restart, is known', async () => {
    const one = await open({ freshEventIds: true })
    const id = one.sim.say(one.chat, one.ann, 'once')
    await one.host.heard(id)
    await one.sim.until(() => one.sim.pending === 0, 'it is acknowledged')
    for (const seconds of [15, 305, 1_680, 1_920, 21_600]) {
      one.sim.clock.advance(seconds * 1_000)
      if (seconds === 1_680) {
        await one.connection.close(one.sim.clock.now() + 500)
        await one.connect()
      }
      one.sim.redeliver()
      await one.sim.until(() => one.sim.pending === 0, 'it is acknowledged again')
    }
    const offered = one.host.offered.filter((event) => event.event === id)
    expect(offered).toHaveLength(6)
    expect(one.host.all('message')).toHaveLength(1)
  })

  it('names who speaks, from the list of the group, which is read once', async () => {
    const one = await open()
    const bob = one.sim.person('Bob')
    one.sim.feishu.add(one.chat, bob)
    for (const person of [one.ann, bob, one.ann]) {
      const { author } = await one.host.heard(one.sim.say(one.chat, person, 'hi'))
      expect(author).toMatchObject({ id: person.id, name: person.name, kind: 'person' })
    }
    expect(times(one, 'im.chat.members')).toBeLessThanOrEqual(1)
    const { author, chat } = await one.host.heard(one.sim.say(one.sim.dm(bob), bob, 'psst'))
    expect(author.name).toBe('Bob')
    expect(chat.kind).toBe('dm')
  })

  it('says what a message answers, also of before a restart', async () => {
    const one = await open()
    const first = one.sim.say(one.chat, one.ann, 'the question')
    const { id: own = '' } = await one.connection.perform(post(one.chat, 'the answer'), key(), never())
    await one.connection.close(one.sim.clock.now() + 500)
    await one.connect()
    const reply = await one.host.heard(one.sim.say(one.chat, one.ann, 'which?', { replyTo: first }))
    expect(reply.replyTo).toEqual({
      id: first,
      author: { id: one.ann.id, name: 'Ann', kind: 'person' },
      text: 'the question',
    })
    const thanks = await one.host.heard(one.sim.say(one.chat, one.ann, 'thanks', { replyTo: own }))
    expect(thanks.replyTo).toMatchObject({ id: own, author: { kind: 'self' }, text: 'the answer' })
  })

  it('opens merged forwards', async () => {
    const one = await open()
    const said = ['first', 'second'].map((text) => one.sim.say(one.chat, one.ann, text))
    const heard = await one.host.heard(one.sim.feishu.forward(one.chat, one.ann, said))
    expect(textOf(heard)).toMatch(/first[\s\S]*second/)
  })

  it('knows where a reaction or a press belongs, of before a restart too', async () => {
    const one = await open()
    const root = one.sim.say(one.chat, one.ann, 'a topic')
    one.sim.say(one.chat, one.ann, 'in it', { thread: root })
    const thread = one.sim.seen(one.chat)[0]?.thread
    const op = { ...post(one.chat, 'ready?'), replyTo: root, buttons: [{ label: 'Yes', value: 'y' }] }
    const place = { chat: one.chat, ...(thread !== undefined && { thread }) }
    const { id = '' } = await one.connection.perform({ ...op, place }, key(), never())
    await one.connection.close(one.sim.clock.now() + 500)
    await one.connect()
    one.sim.press(one.chat, id, one.ann, 'y')
    await one.host.until(() => one.host.all('press').length === 1)
    expect(one.host.all('press')[0]).toMatchObject({ place, id, value: 'y', author: { name: 'Ann' } })
    one.sim.react(one.chat, id, one.ann, '👍')
    await one.host.until(() => one.host.all('reaction').length === 1)
    expect(one.host.all('reaction')[0]).toMatchObject({ place: { chat: one.chat }, id })
  })

  it('does not wait for names longer than the acknowledgement has', async () => {
    const one = await open()
    one.sim.fault({ method: 'im.chat.members', do: { kind: 'hang' } })
    one.sim.fault({ method: 'im.chat.get', do: { kind: 'hang' } })
    const id = one.sim.say(one.chat, one.ann, 'hello')
    await one.sim.until(() => times(one, 'im.chat.members') === 0 && one.host.offered.length === 0, 'asked')
    const heard = one.host.heard(id)
    const pass = setInterval(() => one.sim.clock.advance(200), 20)
    await heard.finally(() => clearInterval(pass))
    expect((await heard).author.name).toBe(one.ann.id)
  })

  it('every kind of event has its receipt, those nobody registered too', async () => {
    const one = await open()
    one.sim.inject({
      schema: '2.0',
      header: { event_id: 'ev-new', event_type: 'im.something.new_v9', create_time: '1700000000000' },
      event: { chat_id: one.chat },
    })
    await one.host.until(() => one.host.accepted.length === 1)
    expect(one.host.accepted[0]).toMatchObject({ kind: 'skipped', detail: expect.stringContaining('new_v9') })
    await one.sim.until(() => one.sim.pending === 0, 'it is acknowledged')
  })
})

describe('a pressed button', () => {
  const offer = async (one: World): Promise<string> => {
    const op = { ...post(one.chat, 'may I?'), buttons: [{ label: 'Yes', value: 'approve' }] }
    const { id = '' } = await one.connection.perform(op, key(), never())
    return id
  }

  it('fs-card-click-answer-within-3s: is answered when it is stored, whatever comes of it later', async () => {
    const one = await open()
    const id = await offer(one)
    const before = one.sim.clock.now()
    one.sim.press(one.chat, id, one.ann, 'approve')
    await one.sim.until(() => one.sim.feishu.toasts.length === 1, 'the press is answered')
    expect(one.sim.clock.now() - before).toBeLessThan(3_000)
    expect(one.sim.feishu.toasts[0]).toMatchObject({ type: 'info' })
    // What takes eight seconds comes afterwards, as an edit.
    one.sim.clock.advance(8_000)
    const edit = { ...post(one.chat, 'approved'), kind: 'edit' as const, id }
    await one.connection.perform(edit, key(), never())
    expect(one.sim.seen(one.chat).find((message) => message.id === id)).toMatchObject({ text: 'approved' })
  })

  it('that could not be stored is answered as failed: it can be pressed again', async () => {
    const one = await open()
    const id = await offer(one)
    one.host.refuse = 1
    one.sim.press(one.chat, id, one.ann, 'approve')
    await one.sim.until(() => one.sim.lost.length === 1 || one.sim.feishu.toasts.length === 1, 'it failed')
    expect(one.host.all('press')).toHaveLength(0)
    one.sim.press(one.chat, id, one.ann, 'approve')
    await one.host.until(() => one.host.all('press').length === 1)
  })
})

describe('several apps in one chat', () => {
  it('each hears by its own ids, and only the one that is named is addressed', async () => {
    const one = await open()
    const other = one.sim.feishu.app({ name: 'Other' })
    one.sim.feishu.add(one.chat, other.person)
    const host = new TestHost(one.sim.clock, one.host.dataDir)
    const second = await feishu.connect(feishu.settings.parse(other.settings('socket')), host)
    try {
      const id = one.sim.say(one.chat, one.ann, 'to the first', { mention: true })
      const [mine, theirs] = await Promise.all([one.host.heard(id), host.heard(id)])
      expect(mine.author.id).toBe(one.ann.id)
      expect(theirs.author.id).toBe(other.openId(one.ann))
      expect(mine.author.id).not.toBe(theirs.author.id)
      const named = (event: typeof mine, self: string): boolean =>
        JSON.stringify(event.doc).includes(`"id":"${self}"`)
      expect(named(mine, one.connection.self.id)).toBe(true)
      expect(named(theirs, second.self.id)).toBe(false)
    } finally {
      await second.close(one.sim.clock.now() + 500)
    }
  })
})

describe('the end', () => {
  it('waits for what is on its way to the core, and acknowledges it', async () => {
    const one = await open()
    let store: () => void = () => undefined
    one.host.gate = new Promise((resolve) => {
      store = resolve
    })
    one.sim.say(one.chat, one.ann, 'the last one')
    await one.host.until(() => one.host.offered.length === 1)
    const closing = one.connection.close(one.sim.clock.now() + 5_000)
    store()
    await closing
    expect(one.sim.acknowledged).toHaveLength(1)
    expect(one.sim.connections).toBe(0)
  })

  it('in no line of the log and no state there is a secret', async () => {
    const one = await open()
    await one.host.heard(one.sim.say(one.chat, one.ann, 'hello'))
    one.sim.cut('close')
    await one.host.until(() => one.host.phase === 'degraded')
    const shown = JSON.stringify([one.host.lines, one.host.states])
    const { appSecret } = one.sim.settings('socket')
    expect(shown).not.toContain(String(appSecret))
    expect(shown).not.toMatch(/access_key|ws:\/\//)
  })
})
