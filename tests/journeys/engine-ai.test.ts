/** A language model as an agent: a mention, a tool, an answer, a receipt; and a model that fails. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ModelServer, type Script } from '../engines/model-server.js'
import { Daemon, QUICK } from './daemon.js'

const KEY = 'journey-model-key-4711'

let server: ModelServer
let daemon: Daemon
beforeAll(async () => {
  server = await ModelServer.start()
  daemon = await Daemon.start(
    `name: Golem
${QUICK}agents:
  - name: Golem
    role: orchestrator
    engine: ai
    model: anthropic/claude-scripted
    baseUrl: ${server.url}/v1
    fallback: [local/spare]
    providers: { local: { baseUrl: "${server.url}/v1" } }
    prices: { anthropic/claude-scripted: { input: 3, output: 20 } }
`,
    { env: { ANTHROPIC_API_KEY: KEY } },
  )
})
afterAll(() => server.close())

function plays(script: Script): void {
  server.heard.length = 0
  server.script = script
}

/** As Anthropic words it, which is near enough to OpenAI's. */
function refusal(message: string): string {
  return JSON.stringify({ type: 'error', error: { type: 'authentication_error', message } })
}

describe('an agent with a language model', () => {
  it('answers a mention with the help of a tool, and the receipt tells model, tokens, cost and tools', async () => {
    plays(({ results }) =>
      results.length === 0
        ? [
            { text: 'I will note that.' },
            { tokens: { input: 900, output: 40 } },
            { tool: 'memory_remember', args: '{"line":"The demo is on Friday"}' },
          ]
        : [{ tokens: { input: 1_100, output: 10 } }, { text: 'Noted: the demo is on **Friday**.' }],
    )
    const id = await daemon.say('@Golem remember that the demo is on Friday')
    await daemon.quiet('lobby')
    expect((await daemon.answers(id)).map(({ text }) => text)).toEqual(['Noted: the demo is on **Friday**.'])
    expect(daemon.memory()).toContain('The demo is on Friday')

    const [asked] = server.heard
    expect(asked?.headers['x-api-key']).toBe(KEY)
    expect(asked?.text).toContain('> [Ann] remember that the demo is on Friday')
    expect(asked?.tools).toContain('history_search')

    const receipt = await daemon.receipt(id)
    const [turn] = receipt.turns
    expect(turn?.shown?.engine).toBe('ai')
    expect(turn?.usage).toEqual({
      inputTokens: 2_000,
      outputTokens: 50,
      costUsd: (2_000 * 3 + 50 * 20) / 1e6,
      model: 'anthropic/claude-scripted',
    })
    expect(turn?.tools.map(({ name, ok }) => [name, ok])).toEqual([['memory_remember', true]])
    const { stdout } = await daemon.run('why', `local:lobby:${id}`)
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      '(anthropic/claude-scripted: 2000 tokens in, 50 out, $0.0070)',
    )
  })

  it('answers with its fallback, and the receipt says why', async () => {
    plays(({ wire }) =>
      wire === 'messages' ? { status: 401, body: refusal('invalid x-api-key') } : [{ text: 'I am here.' }],
    )
    const id = await daemon.say('@Golem are you there?')
    await daemon.quiet('lobby')
    expect((await daemon.answers(id)).map(({ text }) => text)).toEqual(['I am here.'])
    const usage = (await daemon.receipt(id)).turns[0]?.usage
    expect(usage?.model).toBe('local/spare')
    expect(usage?.note).toBe('anthropic/claude-scripted: HTTP 401: invalid x-api-key')
    expect(usage?.costUsd).toBeUndefined()
  })

  it('tells a failure in one fixed sentence with the receipt’s id; the receipt has the detail, without the key', async () => {
    plays(() => ({
      status: 401,
      body: refusal(`key ${KEY} is not valid for /srv/provider/tenants/7`),
    }))
    const id = await daemon.say('@Golem and now?')
    await daemon.quiet('lobby')
    const [told, ...more] = await daemon.answers(id)
    expect(more).toEqual([])
    expect(told?.text).not.toContain('/srv/provider')
    expect(told?.text).not.toContain('401')
    expect(told?.text).toMatch(/receipt|why/i)
    const [turn] = (await daemon.receipt(id)).turns
    expect(turn?.state).toBe('failed')
    expect(turn?.reason).toMatch(
      /^unauthorized: None of the models gave an answer\. anthropic\/claude-scripted: HTTP 401: key \[redacted\] is not valid.*Check the key of this provider/,
    )
    expect(JSON.stringify(await daemon.receipt(id))).not.toContain(KEY)
    expect(daemon.log).not.toContain(KEY)
  })

  it('lets go of the model within a second when people stop it, and keeps what was said', async () => {
    plays(() => [{ text: 'It begins with a long story' }, 'hang'])
    const id = await daemon.say('@Golem tell me everything')
    await expect.poll(() => server.busy, { timeout: 10_000 }).toBe(1)
    const begun = Date.now()
    await daemon.say('@Golem stop')
    await expect.poll(() => server.busy, { timeout: 5_000, interval: 10 }).toBe(0)
    expect(Date.now() - begun).toBeLessThan(1_000)
    await daemon.quiet('lobby')
    expect((await daemon.receipt(id)).turns[0]?.state).toBe('cancelled')
  })

  it('sees a text file and a picture that came with the question', async () => {
    plays(() => [{ text: 'I have read it.' }])
    const file = await daemon.upload('plan.md', 'Step one: tea')
    const picture = await daemon.upload('dot.gif', 'GIF89a and so on')
    await daemon.ask('@Golem what is this?', { files: [file, picture] })
    expect(server.heard[0]?.text).toContain('> Step one: tea')
    expect(server.heard[0]?.media).toEqual(['image/gif'])
  })

  it('runs again after the daemon was killed in the middle of a reply that had no effect yet', async () => {
    plays((_heard, count) => (count === 0 ? [{ text: 'Half' }, 'hang'] : [{ text: 'The whole answer.' }]))
    const id = await daemon.say('@Golem once more')
    await expect.poll(() => server.busy, { timeout: 10_000 }).toBe(1)
    await daemon.restart('SIGKILL')
    await daemon.quiet('lobby')
    expect((await daemon.answers(id)).map(({ text }) => text)).toEqual(['The whole answer.'])
  })
})
