import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcp, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type HttpClient, httpClient, NoAnswer, noAnswerIn } from './fetch.js'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

async function client(proxy?: string): Promise<HttpClient> {
  const made = await httpClient(proxy)
  undo.push(() => made.close())
  return made
}

async function listening(server: Server | ReturnType<typeof createTcp>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const echo = () =>
  createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () =>
      response
        .writeHead(request.url === '/teapot' ? 418 : 200, { 'Content-Type': 'application/json', 'X-A': '1' })
        .end(
          JSON.stringify({
            method: request.method,
            url: request.url,
            key: request.headers['x-key'],
            body: Buffer.concat(chunks).toString(),
          }),
        ),
    )
  })

async function failureOf(work: Promise<unknown>): Promise<NoAnswer> {
  const error = await work.then(
    () => new Error('it was answered'),
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(NoAnswer)
  return error as NoAnswer
}

describe('a request', () => {
  it('carries method, headers and body, and brings status, headers and body', async () => {
    const url = await listening(echo())
    const fetch = await client()
    const answer = await fetch(`${url}/x?y=1`, { method: 'POST', headers: { 'x-key': 'k' }, body: 'é' })
    expect([answer.ok, answer.status, answer.headers.get('X-A')]).toEqual([true, 200, '1'])
    expect(Object.fromEntries(answer.headers.entries())['x-a']).toBe('1')
    expect(await answer.json()).toEqual({ method: 'POST', url: '/x?y=1', key: 'k', body: 'é' })
    const other = await fetch(`${url}/teapot`)
    expect([other.ok, other.status, other.statusText]).toEqual([false, 418, "I'm a Teapot"])
    expect(JSON.parse(Buffer.from(await other.arrayBuffer()).toString())).toMatchObject({ method: 'GET' })
  })

  it('streams bodies both ways, and takes any shape of headers', async () => {
    const url = await listening(echo())
    const fetch = await client()
    async function* chunks() {
      for (let index = 0; index < 64; index++) yield Buffer.alloc(16_384, 'x')
    }
    const answer = await fetch(url, { method: 'POST', headers: [['x-key', 'k']], body: chunks() })
    let bytes = 0
    for await (const chunk of answer.body) bytes += chunk.length
    expect(bytes).toBeGreaterThan(64 * 16_384)
    const second = await fetch(url, { method: 'POST', headers: new Map([['x-key', 'm']]), body: chunks() })
    expect(await second.json()).toMatchObject({ key: 'm' })
    await expect(fetch(url, { method: 'POST', body: { not: 'a body' } })).rejects.toThrow(NoAnswer)
  })
})

describe('no answer', () => {
  it('was surely not sent where nobody listens', async () => {
    const server = createTcp()
    const url = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    const fetch = await client()
    expect(await failureOf(fetch(`${url}/botSECRET/x`))).toMatchObject({ sent: false })
  })

  it('may have been sent where the connection ends afterwards, before or within the answer', async () => {
    let how: (socket: Socket) => void = (socket) => socket.destroy()
    const url = await listening(
      createTcp((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () => how(socket))
      }),
    )
    const fetch = await client()
    const failure = await failureOf(fetch(`${url}/botSECRET/x`, { method: 'POST', body: 'x' }))
    expect(failure.sent).toBe(true)
    expect(failure.message).not.toMatch(/SECRET/)
    how = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')
      socket.destroySoon()
    }
    const answer = await fetch(url)
    expect(await failureOf(answer.text())).toMatchObject({ sent: true })
  })

  it('is told when the caller calls it off, before or while it waits', async () => {
    const asked: (() => void)[] = []
    const url = await listening(createServer(() => asked.shift()?.()))
    const fetch = await client()
    expect(await failureOf(fetch(url, { signal: AbortSignal.abort() }))).toMatchObject({ sent: false })
    const abort = new AbortController()
    asked.push(() => abort.abort())
    expect(await failureOf(fetch(url, { signal: abort.signal }))).toMatchObject({ sent: true })
  })

  it('is found inside the errors of the clients that it passed through', () => {
    const cause = new NoAnswer('no answer', true)
    const wrapped = Object.assign(new Error('a'), {
      error: Object.assign(new Error('b'), { original: cause }),
    })
    expect(noAnswerIn(wrapped)).toBe(cause)
    expect(noAnswerIn(new Error('c', { cause }))).toBe(cause)
    expect(noAnswerIn(new Error('d'))).toBeUndefined()
  })
})

describe('a proxy', () => {
  it('carries every request; one that is not there was never sent', async () => {
    const url = await listening(echo())
    const through: string[] = []
    const proxy = createServer()
    proxy.on('connect', (request, socket: Socket) => {
      through.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`)
      const [host, port] = (request.url ?? '').split(':')
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(onward).pipe(socket)
      })
      undo.push(() => {
        onward.destroy()
        socket.destroy()
      })
    })
    const proxyUrl = await listening(proxy)
    const fetch = await client(proxyUrl.replace('//', '//user:pass@'))
    expect(await (await fetch(`${url}/a`)).json()).toMatchObject({ url: '/a' })
    expect(through).toEqual([`${new URL(url).host} Basic ${Buffer.from('user:pass').toString('base64')}`])
    const gone = createTcp()
    const goneUrl = await listening(gone)
    await new Promise((resolve) => gone.close(resolve))
    expect(await failureOf((await client(goneUrl))(url))).toMatchObject({ sent: false })
  })
})
