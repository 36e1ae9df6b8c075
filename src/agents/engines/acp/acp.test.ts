import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeClock, realClock, turnInput } from '../../../../tests/fixtures/agents/kit.js'
import type { Ruling } from '../../../messaging/approval.js'
import { Bench, play } from './acp.fixture.js'

let bench: Bench
beforeEach(async () => {
  bench = await Bench.open()
})
afterEach(() => bench.close())

const HELLO = [{ act: 'say', text: 'Hello.' }]
const ann = { id: 'u1', name: 'Ann' }

describe('stopping', () => {
  async function stopped(
    engine: ReturnType<Bench['engine']>,
  ): Promise<{ took: number; text: string; error: unknown }> {
    const stop = new AbortController()
    let at = 0
    let text = ''
    let error: unknown
    try {
      for await (const event of engine.run(bench.run({ signal: stop.signal }))) {
        if (event.type !== 'text') continue
        text += event.text
        if (text === 'Half of it') {
          at = Date.now()
          stop.abort('stopped')
        }
      }
    } catch (thrown) {
      error = thrown
    }
    return { took: Date.now() - at, text, error }
  }
  const HANG = [{ act: 'say', text: 'Half of it' }, { act: 'hang' }]

  test('an agent that obeys stays warm, and its session goes on', async () => {
    const engine = bench.engine(HANG)
    const { took, text, error } = await stopped(engine)
    expect([text, error]).toEqual(['Half of it', undefined])
    expect(took).toBeLessThan(1_000)
    expect(await bench.living()).toHaveLength(1)
    await stopped(engine)
    expect(await bench.pids()).toHaveLength(1)
  })

  test('an agent that does not is ended within a second, with what it started', async () => {
    const engine = bench.engine([{ act: 'child' }, ...HANG], { deaf: true })
    const { took, text, error } = await stopped(engine)
    expect([text, error]).toEqual(['Half of it', undefined])
    expect(took).toBeLessThan(1_000)
    expect(await bench.pids()).toHaveLength(2)
    expect(await bench.living()).toEqual([])
  })

  test('one that lives through SIGTERM is ended after the grace', async () => {
    const clock = new FakeClock()
    const engine = bench.engine(HANG, { deaf: true, stubborn: true }, {}, { clock })
    const stop = new AbortController()
    const events = engine.run(bench.run({ signal: stop.signal }))[Symbol.asyncIterator]()
    let said = ''
    while (said !== 'Half of it') {
      const { value } = await events.next()
      if (value?.type === 'text') said += value.text
    }
    stop.abort('stopped')
    const end = events.next()
    const isOver = end.then(() => true)
    while (!(await Promise.race([isOver, new Promise<false>((resolve) => setImmediate(resolve, false))])))
      clock.advance(100)
    expect(await bench.living()).toEqual([])
  })

  test('in front of a question, it is withdrawn', async () => {
    const engine = bench.engine([{ act: 'ask', text: 'write notes.txt' }, { act: 'repeat' }])
    const stop = new AbortController()
    const { error } = await play(
      engine,
      bench.run({
        signal: stop.signal,
        decide: () => {
          stop.abort('stopped')
          return new Promise(() => {})
        },
      }),
    )
    expect(error).toBeUndefined()
    expect(await bench.heard()).toContain('{"outcome":{"outcome":"cancelled"}}')
  })

  test('while the agent still starts, it is ended', async () => {
    const engine = bench.engine(HELLO, { mute: true })
    const stop = new AbortController()
    const turn = play(engine, bench.run({ signal: stop.signal }))
    while (!(await bench.heard()).includes('initialize'))
      await new Promise((resolve) => setImmediate(resolve))
    stop.abort('stopped')
    expect(await turn).toEqual({ events: [], text: '', error: undefined })
    expect(await bench.living()).toEqual([])
  })
})

describe('permissions', () => {
  const ASK = [{ act: 'ask', text: 'write notes.txt' }, { act: 'repeat' }]
  const never = async (): Promise<Ruling> => {
    throw new Error('nobody is asked')
  }

  test('are a question in the agent’s own options, for this once', async () => {
    const questions: unknown[] = []
    const { text, events } = await play(
      bench.engine(ASK),
      bench.run({
        decide: async (question) => {
          questions.push(question)
          return { kind: 'chosen', option: 'allow', by: ann }
        },
      }),
    )
    expect(questions).toMatchObject([
      {
        kind: 'permission',
        text: '**Change files**\n```\nwrite notes.txt\n```\n```\n{"file":"notes.txt"}\n```',
        options: [
          { id: 'allow', label: 'Allow' },
          { id: 'deny', label: 'Deny', deny: true },
        ],
      },
    ])
    expect(text).toBe('allow')
    expect(events).toContainEqual({ type: 'progress', note: 'write notes.txt' })
  })

  test.each([
    ['allow', 'allow'],
    ['deny', 'deny'],
    [{ read: 'deny', edit: 'allow', execute: 'deny', fetch: 'deny', other: 'deny' }, 'allow'],
    [{ read: 'allow', edit: 'deny', execute: 'allow', fetch: 'allow', other: 'allow' }, 'deny'],
  ] as const)('%j decides by itself: %s', async (permissions, outcome) => {
    const { text } = await play(bench.engine(ASK, {}, { permissions }), bench.run({ decide: never }))
    expect(text).toBe(outcome)
  })

  test('are refused where nobody decides, by the agent’s option where it has one', async () => {
    const decide = async (): Promise<Ruling> => ({ kind: 'refused', why: 'expired' })
    expect((await play(bench.engine(ASK), bench.run({ decide }))).text).toBe('deny')
    const only = [
      { act: 'ask', text: 'x', options: [{ optionId: 'yes', name: '', kind: 'allow_once' }] },
      { act: 'repeat' },
    ]
    await play(bench.engine(only), bench.run({ decide }))
    expect(await bench.heard()).toContain('{"outcome":{"outcome":"cancelled"}}')
  })
})

describe('models and modes', () => {
  test.each([{ options: true }, { options: false }])(
    'the configured one, the chosen one, and back again: %j',
    async (traits) => {
      const engine = bench.engine(HELLO, { models: ['small', 'large'], ...traits }, { model: 'Large' })
      const chosen = async () =>
        [
          ...(await bench.requests('session/set_model')),
          ...(await bench.requests('session/set_config_option')),
        ].map(({ modelId, value }) => modelId ?? value)
      await play(engine, bench.run())
      expect(await chosen()).toEqual(['large'])
      await play(engine, bench.run({ model: 'small' }))
      await play(engine, bench.run({ model: 'small' }))
      await play(engine, bench.run())
      expect(await chosen()).toEqual(['large', 'small', 'large'])
    },
  )

  test('one that the agent does not have is said, and the turn goes on', async () => {
    const engine = bench.engine(HELLO, { models: ['small'] }, { model: 'huge', mode: 'nowhere' })
    const { text, events } = await play(engine, bench.run())
    expect(text).toBe('Hello.')
    expect(events.at(-1)).toMatchObject({
      type: 'usage',
      model: 'small',
      note: expect.stringMatching(/no model huge, only small; .*mode nowhere/),
    })
  })
})

test('files go along: images where the agent takes them, else their places', async () => {
  const picture = join(bench.folder, 'a.png')
  const text = join(bench.folder, 'b.txt')
  await writeFile(picture, 'png')
  await writeFile(text, 'text')
  const files = [
    { name: 'a.png', path: picture, mime: 'image/png' },
    { name: 'b.txt', path: text },
    { name: 'gone', path: join(bench.folder, 'gone') },
  ]
  await play(bench.engine(HELLO, { image: true }), bench.run({ input: turnInput({ files }) }))
  await play(bench.engine(HELLO), bench.run({ input: turnInput({ files }) }))
  const [first, second] = (await bench.requests('session/prompt')).map(({ prompt }) =>
    (prompt as object[]).slice(1),
  )
  expect(first).toEqual([
    { type: 'image', data: 'cG5n', mimeType: 'image/png', uri: `file://${picture}` },
    { type: 'resource_link', uri: `file://${text}`, name: 'b.txt', size: 4 },
  ])
  expect(second).toMatchObject([{ type: 'resource_link', mimeType: 'image/png' }, { type: 'resource_link' }])
})

test('nothing is begun before the first event is dealt with: what is cut off before may be run again', async () => {
  const engine = bench.engine(HELLO)
  const events = engine.run(bench.run({}))[Symbol.asyncIterator]()
  expect((await events.next()).value).toEqual({ type: 'progress' })
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve))
  expect(await bench.requests('session/prompt')).toEqual([])
  const rest: unknown[] = []
  for (let step = await events.next(); step.done !== true; step = await events.next()) rest.push(step.value)
  expect(rest).not.toEqual([])
  expect(await bench.requests('session/prompt')).toHaveLength(1)
  expect(realClock.now()).toBeGreaterThan(0)
})
