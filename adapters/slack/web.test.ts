import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getGlobalDispatcher } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import type { CallFailed } from './failures.js'
import { Web } from './web.js'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function api(answer: { status?: number; headers?: Record<string, string>; body?: string } | null) {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    if (answer !== null)
      response.writeHead(answer.status ?? 200, answer.headers ?? {}).end(answer.body ?? '{"ok":true}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  const web = await Web.open('xoxb-secret', { apiUrl: url })
  closers.push(async () => {
    await web.close()
    server.closeAllConnections()
    server.close()
  })
  const failed = (options?: Parameters<Web['call']>[2]): Promise<CallFailed> =>
    web.call('chat.postMessage', { text: 'x' }, options).then(
      () => Promise.reject(new Error('it did not fail')),
      (error: unknown) => error as CallFailed,
    )
  return { web, failed, requests: () => requests, server }
}

describe('one call is one request', () => {
  it.each<[string, Parameters<typeof api>[0], object]>([
    [
      '429',
      { status: 429, headers: { 'retry-after': '7' } },
      { code: 'rate_limited', details: { retryAfterMs: 7_000 } },
    ],
    ['429 without the header', { status: 429 }, { code: 'rate_limited' }],
    ['ratelimited as a code', { body: '{"ok":false,"error":"ratelimited"}' }, { code: 'rate_limited' }],
    ['500', { status: 500 }, { code: 'unanswered' }],
    ['404', { status: 404 }, { code: 'http_404' }],
    ['a page', { body: '<html>' }, { code: 'unanswered' }],
    ['an answer without ok', { body: '{}' }, { code: 'unanswered' }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, { code: 'unanswered' }],
    [
      'a missing scope',
      { body: '{"ok":false,"error":"missing_scope","needed":"chat:write"}' },
      { details: { needed: 'chat:write' } },
    ],
  ])('%s', async (_, answer, expected) => {
    const { failed, requests } = await api(answer)
    expect(await failed()).toMatchObject(expected)
    expect(requests()).toBe(1)
  })

  it('what never left did not happen, what got no answer may have', async () => {
    const silent = await api(null)
    expect(await silent.failed({ timeoutMs: 100 })).toMatchObject({ code: 'unanswered' })
    expect(await silent.failed({ signal: AbortSignal.timeout(100) })).toMatchObject({ code: 'unanswered' })
    const before = silent.requests()
    expect(await silent.failed({ signal: AbortSignal.abort() })).toMatchObject({ code: 'unreachable' })
    expect(silent.requests()).toBe(before)
    const { port } = silent.server.address() as AddressInfo
    silent.server.closeAllConnections()
    await new Promise((resolve) => silent.server.close(resolve))
    const nobody = await Web.open('xoxb-secret', { apiUrl: `http://127.0.0.1:${port}/api/` })
    closers.push(() => nobody.close())
    await expect(nobody.call('auth.test')).rejects.toMatchObject({
      code: 'unreachable',
      message: 'auth.test: unreachable (ECONNREFUSED)',
    })
  })

  it('says why nothing was reached, without the address', async () => {
    const cut = await api(null)
    cut.server.prependListener('request', (request) => request.socket.destroy())
    expect((await cut.failed()).message).toMatch(
      /^chat\.postMessage: unanswered \((UND_ERR_SOCKET|ECONNRESET)\)$/,
    )
    const { port } = cut.server.address() as AddressInfo
    // A name that is looked up nowhere, whatever the machine's resolver is.
    const nowhere = await Web.open('xoxb-secret', { apiUrl: `http://no-such-host.invalid:${port}/api/` })
    closers.push(() => nowhere.close())
    await expect(nowhere.call('auth.test')).rejects.toThrow(
      /^auth\.test: unreachable \((ENOTFOUND|EAI_AGAIN)\)$/,
    )
  })

  it('a proxy that is not there is no request to Slack', async () => {
    const web = await Web.open('xoxb-secret', {
      apiUrl: 'https://slack.com/api/',
      proxy: 'http://127.0.0.1:9',
    })
    closers.push(() => web.close())
    await expect(web.call('auth.test')).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('holds no secret in what it throws, and leaves the process’s dispatcher alone', async () => {
    const before = getGlobalDispatcher()
    const { failed } = await api({ body: '{"ok":false,"error":"invalid_auth"}' })
    const error = await failed()
    expect(JSON.stringify(error) + error.stack).not.toContain('xoxb-secret')
    expect(getGlobalDispatcher()).toBe(before)
  })
})
