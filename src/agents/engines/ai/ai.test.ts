import { describe, expect, it } from 'vitest'
import { ModelServer } from '../../../../tests/engines/model-server.js'
import { turnInput } from '../../../../tests/fixtures/agents/kit.js'
import type { EngineEvent } from '../../../messaging/engine.js'
import { answered, BUSY, clock, engine, failure, replies, run, server, usageOf } from './ai.fixture.js'
import { OUTPUT_CHARACTERS } from './request.js'
import { TRIES } from './wait.js'

describe('a model that cannot be had for the moment', () => {
  it('is asked again after the time that it names', async () => {
    server.script = replies({ status: 429, headers: { 'retry-after': '7' } }, [{ text: 'Here.' }])
    const { text, waited, events } = await answered(engine().run(run()))
    expect(text).toBe('Here.')
    expect(waited).toBeGreaterThanOrEqual(7_000)
    expect(waited).toBeLessThan(9_000)
    expect(events).toContainEqual({ type: 'progress', note: 'the model is busy; next try in 7 s' })
  })

  it('is asked a few times with growing pauses, then the turn fails with what it said and a cure', async () => {
    server.script = replies({ status: 500, body: '{"error":{"message":"the engine room is on fire"}}' })
    const { error, waited } = await answered(engine().run(run()))
    expect(server.heard).toHaveLength(TRIES)
    expect(waited).toBeGreaterThanOrEqual(500 + 1_000 + 2_000)
    expect(failure(error)).toEqual({
      code: 'model',
      message: `The model gave no answer. main/one: HTTP 500: the engine room is on fire (${TRIES} tries). See whether the provider is up and baseUrl is right, or give the agent a fallback model.`,
    })
  })

  it('gives way to the next one, and the usage says which one answered and why', async () => {
    server.script = ({ model }) => (model === 'one' ? BUSY : [{ text: 'From the spare.' }])
    const { text, events } = await answered(engine({ fallback: ['spare/two'] }).run(run()))
    expect(text).toBe('From the spare.')
    expect(usageOf(events)).toEqual([
      {
        type: 'usage',
        inputTokens: 10,
        outputTokens: 5,
        model: 'spare/two',
        note: `main/one: HTTP 429: slow down, please (${TRIES} tries)`,
      },
    ])
  })

  it('is left alone until the time that it names, when that is long', async () => {
    server.script = ({ model }) =>
      model === 'one' ? { status: 429, headers: { 'retry-after': '3600' } } : [{ text: `From ${model}.` }]
    const made = engine({ fallback: ['spare/two'] })
    expect((await answered(made.run(run()))).waited).toBe(0)
    expect((await answered(made.run(run()))).text).toBe('From two.')
    expect(server.heard.map(({ model }) => model)).toEqual(['one', 'two', 'two'])
    clock.advance(3_600_000)
    server.script = ({ model }) => [{ text: `From ${model}.` }]
    expect((await answered(made.run(run()))).text).toBe('From one.')
  })

  it('fails at once when it wants to be left alone and there is no other', async () => {
    server.script = replies({ status: 429, headers: { 'retry-after': '3600' } })
    const { error, waited } = await answered(engine().run(run()))
    expect(waited).toBe(0)
    expect(failure(error).code).toBe('rate-limited')
  })

  it('is not waited for any longer once the turn is stopped', async () => {
    server.script = replies({ status: 503 })
    const stop = new AbortController()
    const events = engine().run(run({ signal: stop.signal }))
    const seen: EngineEvent[] = []
    for await (const event of events) {
      seen.push(event)
      setImmediate(() => stop.abort('stopped'))
    }
    expect(seen).toHaveLength(1)
    expect(server.heard).toHaveLength(1)
    expect(clock.waiting).toBe(0)
  })

  it('may be nobody at all: no server at its address', async () => {
    const made = engine()
    await server.close()
    const { error } = await answered(made.run(run()))
    expect(failure(error).code).toBe('model')
    expect(failure(error).message).toContain('ECONNREFUSED')
  })
})

describe('a model that declines', () => {
  it.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [400, 'model'],
    [404, 'model'],
    [402, 'rate-limited'],
  ] as const)('is asked once when it says %i', async (status, code) => {
    server.script = replies({ status, body: '{"error":{"message":"no"}}' })
    const { error } = await answered(engine().run(run()))
    expect(server.heard).toHaveLength(1)
    expect(failure(error).code).toBe(code)
    expect(failure(error).message).toContain(`main/one: HTTP ${status}: no`)
  })

  it.each([302, 307])(
    'is followed nowhere by a redirect (%i): keys are for the address they were set for',
    async (status) => {
      const elsewhere = await ModelServer.start(() => [{ text: 'Thanks for the key.' }])
      server.script = replies({ status, headers: { location: `${elsewhere.url}/v1/messages` } })
      const models = { model: 'anthropic/one', baseUrl: `${server.url}/v1`, apiKey: 'key-of-a-test' }
      const { error } = await answered(engine(models).run(run()))
      expect(elsewhere.heard).toEqual([])
      expect(server.heard).toHaveLength(1)
      expect(failure(error).message).toMatch(
        new RegExp(`HTTP ${status}.*Set baseUrl to where the provider is now`),
      )
      await elsewhere.close()
    },
  )

  it('has no second try where the account has no credit', async () => {
    server.script = replies({
      status: 429,
      body: '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}',
    })
    expect(failure((await answered(engine().run(run()))).error).message).toContain('Add credit')
    expect(server.heard).toHaveLength(1)
  })

  it('gives way to the next one when its key is not taken', async () => {
    server.script = ({ model }) => (model === 'one' ? { status: 401 } : [{ text: 'Here.' }])
    const { text, events } = await answered(engine({ fallback: ['spare/two'] }).run(run()))
    expect(text).toBe('Here.')
    expect(usageOf(events)[0]?.model).toBe('spare/two')
  })

  it('is not gone round by another model when it refuses to answer, and its half answer is withdrawn', async () => {
    server.script = replies([{ text: 'Well, ' }, { end: 'refused' }])
    const { error, text } = await answered(engine({ fallback: ['spare/two'] }).run(run()))
    expect(failure(error).code).toBe('refused')
    expect(text).toBe('')
    expect(server.heard).toHaveLength(1)
  })
})

describe('a reply that is none', () => {
  it('is asked for again when it broke off before anything was seen', async () => {
    server.script = replies(['cut'], ['leave'], [{ text: 'Whole.' }])
    const { text } = await answered(engine().run(run()))
    expect(text).toBe('Whole.')
    expect(server.heard).toHaveLength(3)
  })

  it('keeps what was seen, and says that it broke off', async () => {
    server.script = replies([{ text: 'The first half' }, 'cut'])
    const { text, events, error } = await answered(engine().run(run()))
    expect(error).toBeUndefined()
    expect(text).toBe('The first half\n\n_(The reply broke off here.)_')
    expect(server.heard).toHaveLength(1)
    expect(usageOf(events)[0]?.note).toContain('main/one: ')
  })

  it('is begun anew where nobody sees it: in a task of a teammate, and while it may be silence', async () => {
    server.script = replies([{ text: 'Half a result' }, 'cut'], [{ text: 'A whole result' }])
    const { text } = await answered(engine().run(run({ input: turnInput({}, { kind: 'ask' }) })))
    expect(text).toBe('A whole result')
    server.heard.length = 0
    server.script = replies([{ text: '[PA' }, 'cut'], [{ text: '[PASS]' }])
    const quiet = await answered(engine().run(run({ input: turnInput({}, { addressed: false }) })))
    expect(quiet.text).toBe('[PASS]')
  })

  it('may be empty: the turn is told nothing, and decides', async () => {
    server.script = replies([])
    const { text, error, events } = await answered(engine().run(run()))
    expect([text, error]).toEqual(['', undefined])
    expect(usageOf(events)).toHaveLength(1)
  })

  it.each([
    ['a page of some proxy', [{ raw: '<html>502</html>\n\n' }, 'leave']],
    ['broken JSON', [{ raw: 'data: {"choices": [\n\n' }, 'leave']],
    ['another shape', [{ raw: 'data: {"choices": "many"}\n\n' }, 'leave']],
  ] as const)('may be garbage: %s', async (_what, reply) => {
    server.script = replies(reply)
    const { error } = await answered(engine().run(run()))
    expect(failure(error).code).toBe('model')
    expect(server.heard).toHaveLength(TRIES)
  })

  it('may be too much: it is bounded, and the connection is let go', async () => {
    server.script = replies(['flood'])
    const { error, text } = await answered(engine().run(run()))
    expect(failure(error).code).toBe('output-limit')
    expect(text.length).toBeLessThanOrEqual(OUTPUT_CHARACTERS)
    expect(server.heard).toHaveLength(1)
  })

  it('says when it has reached its length limit', async () => {
    server.script = replies([{ text: '從前有' }, { end: 'length' }])
    const { text } = await answered(engine().run(run({ input: turnInput({}, { language: 'zh' }) })))
    expect(text).toBe('從前有\n\n_（回复在此处达到长度上限。）_')
  })
})
