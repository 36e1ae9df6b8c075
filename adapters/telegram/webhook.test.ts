import { describe, expect, it } from 'vitest'
import { ConnectFailure } from '../../src/messaging/contract.js'
import { type Bench, bench, until } from './harness.fixture.js'
import { sample } from './samples.fixture.js'
import { BODY_BYTES, SECRET_HEADER } from './webhook.js'

const URL_PATH = 'https://golem.example/webhooks/telegram'
const SECRET = 's3cret_of-the-test'

async function listening(): Promise<Bench> {
  const one = await bench({ connect: false })
  await one.connect({ webhook: { url: URL_PATH, secret: SECRET } })
  return one
}

interface Sent {
  body?: unknown
  secret?: string | null
  method?: string
  path?: string
}

/** A delivery as Telegram makes it, but for what is said. */
async function deliver(
  one: Bench,
  { body = sample('message-dm'), secret = SECRET, method = 'POST', path = '' }: Sent = {},
) {
  const request = new Request(URL_PATH, {
    method,
    headers: { 'content-type': 'application/json', ...(secret !== null && { [SECRET_HEADER]: secret }) },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const response = await one.connection.serve?.(request, path)
  if (response === undefined) throw new Error('it serves nothing')
  return response
}

describe('a webhook', () => {
  it('is set when the connection is made, and nothing that waits is dropped', async () => {
    const one = await listening()
    const call = one.sim.calls.find(({ method }) => method === 'setWebhook')
    expect(call?.params).toMatchObject({ url: URL_PATH, drop_pending_updates: false })
    expect(call?.params.allowed_updates).toContain('message_reaction')
    expect(one.sim.calls.some(({ method }) => method === 'getUpdates')).toBe(false)
    expect(one.host.states.at(-1)).toEqual({ phase: 'ready', sees: 'all' })
  })

  it('takes a delivery with the secret, and answers 200 when it is stored', async () => {
    const one = await listening()
    expect((await deliver(one)).status).toBe(200)
    expect(one.message('104')).toMatchObject({ chat: { kind: 'dm' } })
    expect((await deliver(one)).status).toBe(200)
    expect(one.messages).toHaveLength(1)
  })

  it('does not answer before that', async () => {
    const one = await listening()
    one.host.hold()
    let answered = false
    const answer = deliver(one).then((response) => {
      answered = true
      return response.status
    })
    await until(() => one.host.offered.length > 0, 'it is offered')
    expect(answered).toBe(false)
    one.host.release()
    expect(await answer).toBe(200)
  })

  it('asks for it again when it could not be stored', async () => {
    const one = await listening()
    one.host.refuse = 1
    const refused = await deliver(one)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect((await deliver(one)).status).toBe(200)
  })

  it('does not hang on one that nothing can store', async () => {
    const one = await listening()
    const accept = one.host.accept.bind(one.host)
    one.host.accept = async (event) => {
      if (event.kind === 'message') throw new Error('bad row')
      return accept(event)
    }
    const answers: number[] = []
    for (let times = 0; times < 5; times++) answers.push((await deliver(one)).status)
    expect(answers).toEqual([503, 503, 503, 503, 200])
    expect(one.host.accepted).toMatchObject([{ kind: 'skipped', reason: 'malformed' }])
  })

  it.each([
    ['a wrong secret', { secret: 'wrong' }, 401],
    ['no secret', { secret: null }, 401],
    ['an empty secret', { secret: '' }, 401],
    ['a secret and more', { secret: `${SECRET}x` }, 401],
    ['another method', { method: 'GET' }, 405],
    ['another path', { path: 'up' }, 404],
    ['no JSON', { body: '{"update_id":' }, 400],
    ['JSON that is no update', { body: '[1]' }, 400],
    ['nothing', { body: '' }, 400],
    ['too much', { body: `{"a":"${'x'.repeat(BODY_BYTES)}"}` }, 413],
  ])('with %s is refused', async (_, sent, status) => {
    const one = await listening()
    const response = await deliver(one, sent)
    expect(response.status).toBe(status)
    expect(await response.text()).not.toContain(SECRET)
    expect(one.host.offered).toEqual([])
  })

  it('with too much that does not say so is refused as well', async () => {
    const one = await listening()
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536))
      },
    })
    const request = new Request(URL_PATH, {
      method: 'POST',
      headers: { [SECRET_HEADER]: SECRET },
      body,
      duplex: 'half',
    } as RequestInit)
    expect((await one.connection.serve?.(request, '/'))?.status).toBe(413)
    expect(sent).toBeLessThan(2 * BODY_BYTES)
  })

  it('with an update nobody knows is a receipt, and 200', async () => {
    const one = await listening()
    expect((await deliver(one, { body: { update_id: 5, brand_new: { x: 1 } } })).status).toBe(200)
    expect(one.host.accepted).toMatchObject([
      { kind: 'skipped', reason: 'unsupported-kind', detail: 'brand_new', event: 'update:5' },
    ])
  })

  it('confirms a press once it is stored, and lives without that', async () => {
    const one = await listening()
    one.sim.fault({ method: 'answerCallbackQuery', do: { kind: 'reset' } })
    expect((await deliver(one, { body: sample('button-pressed') })).status).toBe(200)
    expect(one.host.accepted).toMatchObject([{ kind: 'press', value: 'q83hf-stop' }])
    const logged = () => one.host.logged.some(({ message }) => message.includes('not confirmed'))
    await until(logged, 'it is noted')
  })

  it('knows people by their names once they were met', async () => {
    const one = await listening()
    await deliver(one)
    const mention = {
      update_id: 9,
      message: {
        message_id: 500,
        date: 1_767_225_600,
        chat: { id: -1001000000001, type: 'supergroup', title: 'Test group' },
        from: { id: 5000000012, is_bot: false, first_name: 'Bob' },
        text: 'ask @Ann_Example or @nobody_known',
        entities: [
          { type: 'mention', offset: 4, length: 12 },
          { type: 'mention', offset: 20, length: 13 },
        ],
      },
    }
    await deliver(one, { body: mention })
    expect(JSON.stringify(one.message('500')?.doc)).toContain(
      '"target":"user","id":"5000000011","name":"Ann_Example"',
    )
    expect(JSON.stringify(one.message('500')?.doc).match(/"mention"/g)).toHaveLength(1)
  })

  it('is not served by a connection that polls, nor by one that is being closed', async () => {
    const polling = await bench()
    expect((await deliver(polling)).status).toBe(404)
    const one = await listening()
    await one.connection.close(one.clock.now() + 1_000)
    expect((await deliver(one)).status).toBe(503)
    expect(one.host.offered).toEqual([])
  })

  it('that Telegram cannot reach is told of', async () => {
    const one = await listening()
    one.sim.fault({ method: 'getWebhookInfo', times: 1, do: { kind: 'reset' } })
    await one.passes(() => one.host.states.at(-1)?.phase === 'degraded', 'it is told', 30_000)
    await one.passes(() => one.host.states.at(-1)?.phase === 'ready', 'it is well again', 30_000)
    await one.sim.settings('webhook')
    one.sim.revokeToken()
    let closed: unknown
    void one.connection.done.then((how) => {
      closed = how
    })
    await one.passes(() => closed !== undefined, 'it has ended', 60_000)
    expect(closed).toMatchObject({ fatal: true })
  })

  it('whose address Telegram does not take is a mistake in golem.yaml', async () => {
    const one = await bench({ connect: false })
    one.sim.fault({
      method: 'setWebhook',
      do: {
        kind: 'refuse',
        code: 400,
        description: 'Bad Request: bad webhook: HTTPS url must be provided for webhook',
      },
    })
    const error = await one
      .connect({ webhook: { url: URL_PATH, secret: SECRET } })
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConnectFailure)
    expect((error as ConnectFailure).cure).toContain('https')
    expect(one.host.states.at(-1)?.phase).toBe('failed')
  })
})
