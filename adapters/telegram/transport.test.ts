import { type AddressInfo, connect, createServer } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Api, ApiError, openApi } from './api.js'
import { json, serve, until, VirtualClock } from './harness.fixture.js'
import { TransportError } from './transport.js'

const TOKEN = '123456789:TESTTOKENNOTREALTESTTOKENNOTREAL123'

async function api(apiUrl: string, proxy?: string): Promise<{ api: Api; clock: VirtualClock }> {
  const clock = new VirtualClock()
  const opened = await openApi({ botToken: TOKEN, apiUrl, ...(proxy !== undefined && { proxy }) }, clock)
  onTestFinished(() => opened.close())
  return { api: opened, clock }
}

async function broken(promise: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof TransportError)) throw new Error(`not a TransportError: ${inspect(error)}`)
  expect(inspect(error, { depth: 10 })).not.toContain('TESTTOKEN')
  return error
}

/** A port that nobody listens at. */
async function deadPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('a call', () => {
  it('is one request, and brings its result', async () => {
    const { url, requests } = await serve((_, response) => json(response, { ok: true, result: { id: 7 } }))
    expect(await (await api(url)).api.call('sendMessage', { chat_id: 1, text: 'x' })).toEqual({ id: 7 })
    expect(await (await api(`${url}/`)).api.call('getMe')).toEqual({ id: 7 })
    expect(requests).toEqual([
      { path: `/bot${TOKEN}/sendMessage`, body: '{"chat_id":1,"text":"x"}' },
      { path: `/bot${TOKEN}/getMe`, body: '{}' },
    ])
  })

  it('that Telegram refuses says what it said', async () => {
    const { url } = await serve((_, response) =>
      json(
        response,
        {
          ok: false,
          error_code: 429,
          description: 'Too Many Requests: retry after 7',
          parameters: { retry_after: 7 },
        },
        429,
      ),
    )
    const error = await (await api(url)).api.call('getMe').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 429, parameters: { retryAfter: 7 } })
    expect(inspect(error, { depth: 10 })).not.toContain('TESTTOKEN')
  })

  it('any-token-never-in-logs-or-chat: no failure holds the address', async () => {
    const port = await deadPort()
    const error = await broken((await api(`http://127.0.0.1:${port}`)).api.call('getMe'))
    expect(error.message).toContain('getMe')
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('that found nobody was not sent', async () => {
    expect((await broken((await api(`http://127.0.0.1:${await deadPort()}`)).api.call('getMe'))).sent).toBe(
      false,
    )
    expect((await broken((await api('http://nowhere.invalid')).api.call('getMe'))).sent).toBe(false)
  })

  it('whose TLS handshake failed was not sent', async () => {
    const { url } = await serve((_, response) => json(response, { ok: true, result: true }))
    expect((await broken((await api(url.replace('http:', 'https:'))).api.call('getMe'))).sent).toBe(false)
  })

  it('that was cut after it was written may have arrived', async () => {
    const { url } = await serve((_, response) => response.socket?.destroy())
    expect((await broken((await api(url)).api.call('getMe'))).sent).toBe(true)
  })

  it('on a connection that was kept may have arrived as well', async () => {
    let calls = 0
    const { url } = await serve((_, response) => {
      if (++calls === 1) json(response, { ok: true, result: true })
      else response.socket?.destroy()
    })
    const { api: opened } = await api(url)
    await opened.call('getMe')
    expect((await broken(opened.call('getMe'))).sent).toBe(true)
  })

  it('that is answered with something else may have had its effect', async () => {
    for (const body of ['<html>', '', 'null', '{}', '{"ok":"yes"}', '{"ok":true}', '{"ok":false}']) {
      const { url } = await serve((_, response) => {
        response.writeHead(502)
        response.end(body)
      })
      const error = await broken((await api(url)).api.call('getMe'))
      expect(error, body).toMatchObject({ sent: true, code: 'HTTP_502' })
    }
  })

  it('is given up after its time, by the clock, or when it is told to', async () => {
    const { url, requests } = await serve(() => {})
    const { api: opened, clock } = await api(url)
    const late = broken(opened.call('getMe', {}, { timeoutMs: 20_000 }))
    await until(() => requests.length > 0, 'it is asked')
    clock.advance(20_000)
    expect((await late).sent).toBe(true)
    const abort = new AbortController()
    const told = broken(opened.call('getMe', {}, { signal: abort.signal }))
    abort.abort()
    expect((await told).sent).toBe(false)
    expect((await broken(opened.call('getMe', {}, { signal: abort.signal }))).sent).toBe(false)
  })
})

describe('through a proxy', () => {
  it('calls go where the proxy leads', async () => {
    const target = await serve((_, response) => json(response, { ok: true, result: 'there' }))
    const asked: string[] = []
    const proxy = createServer((socket) => {
      socket.once('data', (head) => {
        asked.push(head.toString('latin1').split('\r\n')[0] ?? '')
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        const upstream = new URL(target.url)
        const through = connect(Number(upstream.port), upstream.hostname)
        socket.pipe(through).pipe(socket)
        socket.on('error', () => through.destroy())
        through.on('error', () => socket.destroy())
      })
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    const { port } = proxy.address() as AddressInfo
    const { api: opened } = await api(target.url, `http://127.0.0.1:${port}`)
    expect(await opened.call('getMe')).toBe('there')
    expect(asked).toEqual([`CONNECT ${new URL(target.url).host} HTTP/1.1`])
  })

  it('that refuses nothing was sent', async () => {
    const proxy = createServer((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'),
      )
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void proxy.close())
    const { port } = proxy.address() as AddressInfo
    for (const root of ['http://api.example', 'https://api.example']) {
      const error = await broken((await api(root, `http://127.0.0.1:${port}`)).api.call('getMe'))
      expect(error.sent).toBe(false)
    }
  })
})
