/** What a connection makes of a refusal, a limit, a broken line: one failure of the closed list, and never a secret. */
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation, PlatformFailure, Post } from '../../src/messaging/contract.js'
import type { FaultRule } from '../simulators/kit/faults.js'
import { Session } from './kit/session.js'
import { where } from './kit/where.js'
import { SUBJECTS } from './platforms/index.js'

const FAILURES = ['rate-limited', 'unauthorized', 'forbidden', 'gone', 'invalid', 'unreachable', 'ambiguous']

describe.each(SUBJECTS)('on $platform.id', (subject) => {
  const [way = 'inside'] = subject.ways
  const remote = way !== 'inside'
  const method = subject.postMethod ?? ''
  let session: Session
  beforeAll(async () => {
    session = await Session.open(subject, way)
  })
  afterAll(() => session?.close())

  const post = (text: string, more: Partial<Post> = {}): Post => ({
    kind: 'post',
    place: { chat: session.chat },
    part: session.part(text),
    ...more,
  })
  const texts = async () => (await session.scene.seen(session.chat)).map(({ text }) => text)
  let count = 0
  const fresh = () => `text number ${++count}`

  /** A failure, with the fault in force while it happens. */
  async function under(rule: FaultRule, op: Operation, signal?: AbortSignal): Promise<PlatformFailure> {
    const undo = session.scene.network?.fault(rule)
    try {
      return await check(session.failure(session.perform(op, signal)))
    } finally {
      undo?.()
    }
  }

  /** Whatever failed: of the closed list, in words, without a secret anywhere in it. */
  async function check(failing: Promise<PlatformFailure>): Promise<PlatformFailure> {
    const error = await failing
    expect(FAILURES).toContain(error.failure.kind)
    expect(error.message.length).toBeGreaterThan(10)
    secretless(inspect(error, { depth: 12, showHidden: true }))
    secretless(JSON.stringify(error.message))
    return error
  }

  function secretless(text: string): void {
    for (const secret of session.secrets()) expect(text).not.toContain(secret)
  }

  for (const refusal of subject.refusals) {
    it(`${refusal.name} is ${describeFailure(refusal.failure)}`, async () => {
      const target = await session.say('a message of a person')
      const own = await session.post('a post of the bot')
      const op = refusal.op({ chat: session.chat, target, own, part: session.part('some text') })
      const error = await under(refusal.fault ?? { method: 'no such method', do: { kind: 'reset' } }, op)
      expect(error.failure).toEqual(refusal.failure)
    })
  }

  for (const throttle of subject.throttles) {
    it(`${throttle.name} is known to the millisecond`, async () => {
      const before = session.clock.now()
      const error = await under({ ...throttle.fault, times: 1 }, post(fresh()))
      const after = session.clock.now()
      if (error.failure.kind !== 'rate-limited') throw new Error(`it was ${error.failure.kind}`)
      const { retryAt, scope } = error.failure
      expect(scope ?? 'chat').toBe(throttle.scope ?? 'chat')
      expect(retryAt).toBeGreaterThanOrEqual(before + throttle.waitMs)
      expect(retryAt).toBeLessThanOrEqual(after + throttle.waitMs)
      // The limit holds up nothing but what it is about: the connection itself does not wait.
      const requests = await session.requests(() => session.perform(post(fresh())))
      expect(requests).toBeGreaterThanOrEqual(1)
    })
  }

  where(remote, 'a line that breaks before anything happened leaves a doubt at most', async () => {
    const text = fresh()
    const op = post(text)
    const key = session.key()
    const undo = session.scene.network?.fault({ method, do: { kind: 'reset' } })
    const error = await check(session.failure(session.perform(op, undefined, key)))
    undo?.()
    expect(['unreachable', 'ambiguous']).toContain(error.failure.kind)
    expect(await texts()).not.toContain(text)
    if (session.connection.settle === undefined) return
    session.clock.advance(subject.platform.limits.timeoutMs + 1_000)
    expect(['not-sent', 'unknown']).toContain(await session.connection.settle(op, key))
  })

  for (const how of ['cut', 'hang'] as const) {
    where(
      remote,
      `a success that nobody hears of (${how}) is ambiguous, and can be settled where that is offered`,
      async () => {
        const text = fresh()
        const op = post(text)
        const key = session.key()
        const undo = session.scene.network?.fault({ method, times: 1, do: { kind: 'silent-success', how } })
        const abort = new AbortController()
        const failing = check(session.failure(session.perform(op, abort.signal, key)))
        await session.until(async () => (await texts()).includes(text), 'the post is seen')
        if (how === 'hang') abort.abort()
        expect((await failing).failure.kind).toBe('ambiguous')
        undo?.()
        if (session.connection.settle === undefined) return
        session.clock.advance(subject.platform.limits.timeoutMs + 1_000)
        const verdict = await session.connection.settle(op, key)
        const [seen] = (await session.scene.seen(session.chat)).filter((one) => one.text === text)
        if (typeof verdict === 'object') expect(verdict.id).toBe(seen?.id)
        else expect(verdict).toBe('unknown')
        // Asking makes nothing.
        expect((await texts()).filter((one) => one === text)).toHaveLength(1)
      },
    )
  }

  where(remote, 'a request that is given up is given up at once', async () => {
    const undo = session.scene.network?.fault({ method, times: 1, do: { kind: 'hang' } })
    const abort = new AbortController()
    const text = fresh()
    const failing = check(session.failure(session.perform(post(text), abort.signal)))
    const calls = session.scene.network?.calls.length ?? 0
    await session.until(() => (session.scene.network?.calls.length ?? 0) >= calls, 'the request is there')
    const start = performance.now()
    abort.abort()
    const { failure } = await failing
    undo?.()
    expect(performance.now() - start).toBeLessThan(1_000)
    expect(['ambiguous', 'unreachable']).toContain(failure.kind)
  })

  for (const status of [500, 502, 503]) {
    where(remote, `an answer ${status} never counts as sent, and as not sent only if it is not`, async () => {
      const text = fresh()
      const error = await under(
        { method, times: 1, do: { kind: 'status', status, body: '<html>Bad Gateway</html>' } },
        post(text),
      )
      expect(['ambiguous', 'unreachable']).toContain(error.failure.kind)
      if (error.failure.kind === 'unreachable') expect(await texts()).not.toContain(text)
    })
  }

  where(remote, 'an answer that is none is ambiguous', async () => {
    for (const body of ['', 'not json', '[]', 'null', '{}', '{"ok":"maybe"}']) {
      const error = await under(
        { method, times: 1, do: { kind: 'status', status: 200, body } },
        post(fresh()),
      )
      expect(error.failure.kind, body).toBe('ambiguous')
    }
  })

  where(remote, 'a slow answer is waited for', async () => {
    const text = fresh()
    const undo = session.scene.network?.fault({ method, times: 1, do: { kind: 'delay', ms: 300 } })
    const performed = session.perform(post(text))
    await session.until(async () => (await texts()).includes(text), 'the slow post is seen', 50)
    expect((await performed).id).toBeDefined()
    undo?.()
  })

  it('after all that, the connection works as before, and nothing it said holds a secret', async () => {
    const text = fresh()
    await session.perform(post(text))
    expect(await texts()).toContain(text)
    const id = await session.say('still there?')
    expect(session.host.find('message', id, session.chat)).toBeDefined()
    secretless(inspect([session.host.logged, session.host.states], { depth: 12 }))
  })
})

function describeFailure(failure: PlatformFailure['failure']): string {
  const { kind, ...more } = failure
  return [kind, ...Object.values(more).map(String)].join(' ')
}
