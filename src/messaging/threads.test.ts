import { describe, expect, it } from 'vitest'
import { settled } from '../../tests/support/clock.js'
import { Core, TestPlatform } from '../../tests/support/core.js'
import { agent, message, policy } from '../../tests/support/policy.js'
import type { Operation } from './contract.js'
import { parseDoc } from './doc/index.js'

const ALPHA = agent('Golem', { orchestrator: true })
const BETA = agent('Beta')

function start(agents: ConstructorParameters<typeof Core>[0], given = policy()) {
  const core = new Core(agents, given)
  const platform = new TestPlatform(core.clock)
  const host = core.connect(platform)
  return { core, platform, host }
}

/** An agent that answers when the test lets it. */
function held() {
  let release: (text: string) => void = () => undefined
  const answer = new Promise<string>((resolve) => {
    release = resolve
  })
  return { answer, release: (text: string) => release(text) }
}

describe('people and turns', () => {
  it('a turn of one conversation waits for the one before it, another conversation does not', async () => {
    const first = held()
    const { core, platform, host } = start(({ turn }) =>
      turn.lines.at(-1)?.text === 'slow' ? first.answer : `re: ${turn.lines.at(-1)?.text}`,
    )
    await host.accept(message('@Golem slow'))
    await host.accept(message('@Golem quick', { author: { id: 'bob', name: 'Bob', kind: 'person' } }))
    await host.accept(message('@Golem there', { place: { chat: 'other' } }))
    await settled()
    expect(platform.posts()).toEqual(['re: there'])
    first.release('done')
    await settled()
    expect(platform.posts('lobby')).toEqual(['done', 're: quick'])
    expect(core.seen).toContain('local:lobby Bob')
  })

  it('/stop ends the own running turn, keeps what was said so far, and says so', async () => {
    const { platform, host } = start(() => new Promise<string>(() => undefined))
    await host.accept(message('@Golem work', { id: 'q' }))
    await settled()
    await host.accept(message('/stop', { command: { name: 'stop' } }))
    await settled()
    expect(platform.posts()).toEqual(['so far', 'Golem was stopped.'])
    expect(platform.sent.map(({ op }) => op)).toContainEqual(
      expect.objectContaining({ kind: 'react', id: 'q', mark: 'stopped' }),
    )
  })

  it('a teammate that takes longer than it is waited for is stopped, and its asker goes on', async () => {
    const { core, platform, host } = start(
      async ({ turn }, store) => {
        if (turn.agent === 'Beta') return new Promise<string>(() => undefined)
        if (turn.kind === 'follow-up') return 'Beta did not come back.'
        await store.ask({ turn: turn.id, teammate: 'Beta', task: 'look', at: core.clock.now() })
        return ''
      },
      policy({}, [ALPHA, BETA]),
    )
    core.threads.start()
    await host.accept(message('@Golem look', { id: 'q' }))
    await core.pass(31 * 60_000, 30_000)
    expect(platform.posts()).toEqual(['Asked Beta, waiting.', 'Beta did not come back.'])
    expect(core.threads.running()).toEqual([])
    const beta = (await core.store.receipt('local:lobby:q'))?.turns.find(({ agent }) => agent === 'Beta')
    expect(beta).toMatchObject({ state: 'cancelled', reason: expect.stringContaining('longer than') })
  })

  it("somebody else's /stop stops nothing", async () => {
    const { core, platform, host } = start(() => new Promise<string>(() => undefined))
    await host.accept(message('@Golem work'))
    await settled()
    await host.accept(
      message('/stop', { command: { name: 'stop' }, author: { id: 'bob', name: 'Bob', kind: 'person' } }),
    )
    await settled()
    expect(core.threads.running()).toHaveLength(1)
    expect(platform.posts()).toEqual(['Nothing of yours is running here.'])
  })

  it('the Stop button of the status post stops, and the post goes', async () => {
    const { core, platform, host } = start(() => new Promise<string>(() => undefined))
    await host.accept(message('@Golem work'))
    await core.pass(5_500)
    const status = platform.sent.map(({ op }) => op).find((op) => op.kind === 'post' && op.buttons?.length)
    expect(status).toMatchObject({ part: { text: 'Working on it…' }, silent: true })
    const value = status?.kind === 'post' ? (status.buttons?.[0]?.value ?? '') : ''
    await host.accept({
      kind: 'press',
      event: 'press-1',
      at: core.clock.now(),
      place: { chat: 'lobby' },
      author: { id: 'ann', name: 'Ann', kind: 'person' },
      id: 'n2',
      value,
    })
    await core.pass(1_000)
    expect(platform.posts()).toContain('Golem was stopped.')
    expect(platform.sent.map(({ op }) => op.kind)).toContain('delete')
  })

  it('an edit during the turn starts an engine without effects again, with the new words', async () => {
    let runs = 0
    const { platform, host, core } = start(({ turn }) =>
      ++runs === 1 ? new Promise<string>(() => undefined) : `re: ${turn.lines.at(-1)?.text}`,
    )
    await host.accept(message('@Golem two plus two', { id: 'q' }))
    await settled()
    await host.accept({
      kind: 'edit',
      event: 'edit-1',
      at: core.clock.now(),
      place: { chat: 'lobby' },
      author: { id: 'ann', name: 'Ann', kind: 'person' },
      id: 'q',
      doc: parseDoc('@Golem three plus three'),
    })
    await settled()
    expect(platform.posts()).toEqual(['re: three plus three'])
    expect(runs).toBe(2)
  })

  it('a deletion cancels what has not started, and erases the words', async () => {
    const first = held()
    const { platform, host, core } = start(({ turn }) =>
      turn.lines.at(-1)?.text === 'slow' ? first.answer : 'second',
    )
    await host.accept(message('@Golem slow'))
    await host.accept(
      message('@Golem secret', { id: 'q2', author: { id: 'bob', name: 'Bob', kind: 'person' } }),
    )
    await settled()
    await host.accept({
      kind: 'delete',
      event: 'delete-1',
      at: core.clock.now(),
      place: { chat: 'lobby' },
      author: { id: 'bob', name: 'Bob', kind: 'person' },
      id: 'q2',
    })
    first.release('done')
    await settled()
    expect(platform.posts()).toEqual(['done'])
    const receipt = await core.store.receipt('local:lobby:q2')
    expect(receipt?.message.text).toBeNull()
    expect(receipt?.outcome).toBe('stopped')
    expect(await core.store.searchTranscript('local:lobby', 'secret', 5)).toEqual([])
  })

  it('an unaddressed failure says nothing, an addressed one says one fixed sentence', async () => {
    const { platform, host } = start(
      () => {
        throw new Error('/etc/secret-path is broken')
      },
      policy({ groupPolicy: 'smart' }),
    )
    await host.accept(message('just talking'))
    await settled()
    expect(platform.posts()).toEqual([])
    await host.accept(message('@Golem hi', { id: 'q' }))
    await settled()
    expect(platform.posts()).toEqual(['Sorry, Golem could not finish this. Receipt local:lobby:q says why.'])
  })
})

describe('field cases', () => {
  it('any-two-bots-do-not-ping-pong: a hard count of bot turns, then silence until a person speaks', async () => {
    const { platform, host } = start(() => '@Peer ok', policy({ maxTurns: 6 }, [ALPHA]))
    const peer = { id: 'peer', name: 'Peer', kind: 'bot' } as const
    await host.accept(message('@Golem say hi to @Peer'))
    await settled()
    for (let round = 0; round < 20; round++) {
      await host.accept(message('@Golem ok', { author: peer }))
      await settled(10)
    }
    const answers = platform.posts().filter((text) => text === '@Peer ok').length
    expect(answers).toBeGreaterThan(1)
    expect(answers).toBeLessThanOrEqual(6)
    expect(platform.posts().filter((text) => text.startsWith('Bots have spoken'))).toHaveLength(1)
    await host.accept(message('@Golem go on'))
    await settled()
    expect(platform.posts().filter((text) => text === '@Peer ok')).toHaveLength(answers + 1)
  })

  it('any-two-bots-do-not-ping-pong: two agents of one roster that name each other stop after one hop', async () => {
    const { platform, host } = start(
      ({ turn }) => (turn.agent === 'Golem' ? '@Beta ok' : '@Golem ok'),
      policy({}, [ALPHA, BETA]),
    )
    await host.accept(message('@Golem say hi to @Beta', { id: 'q' }))
    await settled(60)
    // Both were named: both answer, each may wake the other once, and that wakes nobody.
    expect(platform.posts().length).toBeLessThanOrEqual(4)
    const before = platform.posts().length
    await settled(60)
    expect(platform.posts()).toHaveLength(before)
  })

  it('any-delegation-cycle-refused: the second ask is refused as a circle, and the answer comes back', async () => {
    const refusals: string[] = []
    const { platform, host } = start(
      async ({ turn }, store) => {
        const other = turn.agent === 'Golem' ? 'Beta' : 'Golem'
        if (turn.kind === 'follow-up') return `Beta says: ${turn.lines.at(-1)?.text}`
        const result = await store.ask({ turn: turn.id, teammate: other, task: 'do it', at: 1 })
        if (result.status === 'asked') return ''
        refusals.push(result.why)
        return 'I did it myself'
      },
      policy({}, [ALPHA, BETA]),
    )
    await host.accept(message('@Golem please', { id: 'q' }))
    await settled(80)
    expect(refusals).toHaveLength(1)
    expect(refusals[0]).toMatch(/circle/)
    expect(platform.posts()).toEqual(['Beta says: I did it myself'])
    expect(platform.sent.map(({ op }) => op).find((op: Operation) => op.kind === 'post')).toMatchObject({
      replyTo: 'q',
    })
  })

  it('any-busy-messages-queue-and-honest-receipt: what is not taken is told so, what is queued is handled in order', async () => {
    const first = held()
    let running = 0
    let most = 0
    const { platform, host, core } = start(
      async ({ turn }) => {
        most = Math.max(most, ++running)
        const text = turn.lines.filter((line) => line.new).map((line) => line.text)
        if (text[0] === 'm1') await first.answer
        running--
        return `re: ${text.join(' + ')}`
      },
      policy({ groupPolicy: 'always' }, undefined, {
        bounds: {
          waitingPerSender: 2,
          waitingPerRoom: 9,
          waitingMs: 1e9,
          mergeItems: 30,
          mergeCharacters: 8_000,
        },
      }),
    )
    for (const text of ['m1', 'm2', 'm3', 'm4']) {
      await host.accept(message(`@Golem ${text}`, { id: text }))
      await core.pass(50)
    }
    first.release('')
    await settled()
    expect(platform.posts().filter((text) => text.startsWith('re:'))).toEqual(['re: m1', 're: m2 + m3'])
    expect(most).toBe(1)
    expect(platform.posts().filter((text) => text.startsWith('Not taken'))).toHaveLength(1)
    expect((await core.store.receipt('local:lobby:m4'))?.outcome).toBe('refused')
  })

  it('any-burst-mention-in-first-message: one turn, addressed, with the text and the file of both', async () => {
    const { core, host } = start(() => 'ok', policy({ debounceMs: 300 }))
    await host.accept(message('@Golem', { files: [{ id: 'f', name: 'a.png' }] }))
    await core.pass(100)
    await host.accept(message('hello'))
    await core.pass(1_000)
    expect(core.worked).toHaveLength(1)
    expect(core.worked[0]?.turn).toMatchObject({ addressed: true, files: [{ file: { name: 'a.png' } }] })
    expect(core.worked[0]?.turn.lines.at(-1)?.text).toBe('hello')
  })
})

describe('when the store cannot write', () => {
  it('an event that was not stored is not acknowledged', async () => {
    const { core, host } = start(() => 'ok')
    core.memory.failing.set('accept', new Error('the disk is full'))
    await expect(host.accept(message('@Golem hi'))).rejects.toThrow('full')
    core.memory.failing.clear()
    await expect(host.accept(message('@Golem hi'))).resolves.toBe('new')
  })

  it('a finished answer is kept and stored when the disk has room again', async () => {
    const { core, platform, host } = start(() => 'precious')
    core.memory.failing.set('settleTurn', new Error('the disk is full'))
    await host.accept(message('@Golem hi'))
    await core.pass(4_000)
    expect(platform.posts()).toEqual([])
    core.memory.failing.clear()
    await core.pass(30_000)
    expect(platform.posts().filter((text) => text === 'precious')).toHaveLength(1)
  })
})

describe('closing', () => {
  it('lets running turns finish, and puts back at the deadline what has not', async () => {
    const { core, host } = start(() => new Promise<string>(() => undefined))
    await host.accept(message('@Golem hi', { id: 'q' }))
    await settled()
    const closed = core.threads.close(core.clock.now() + 1_000)
    await core.pass(1_500)
    await closed
    expect((await core.store.receipt('local:lobby:q'))?.turns[0]).toMatchObject({ state: 'queued' })

    const again = new Core(() => 'after all', core.memory.test.room.policy, core.memory.test, 'boot-2')
    const platform = new TestPlatform(again.clock)
    again.connect(platform)
    again.threads.start()
    await again.pass(2_000)
    expect(platform.posts()).toEqual(['after all'])
  })

  it('a platform that does not answer holds it up to the deadline, and the send is looked up afterwards', async () => {
    const { core, platform, host } = start(() => 'here')
    platform.before = () => new Promise<void>(() => undefined)
    await host.accept(message('@Golem hi', { id: 'q' }))
    await settled()
    let isClosed = false
    const closed = core.threads.close(core.clock.now() + 2_000).then(() => {
      isClosed = true
    })
    await core.pass(1_900)
    expect(isClosed).toBe(false)
    await core.pass(200)
    await closed
    const [post] = (await core.store.receipt('local:lobby:q'))?.turns[0]?.operations ?? []
    expect(post).toMatchObject({ kind: 'post', state: 'ambiguous' })
  })
})
