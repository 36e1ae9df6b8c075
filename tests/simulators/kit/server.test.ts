import { afterEach, expect, it } from 'vitest'
import { readParams, type ServerOptions, SimulatorServer } from './server.js'

const open: SimulatorServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function start(options: ServerOptions): Promise<SimulatorServer> {
  const server = await SimulatorServer.start(options)
  open.push(server)
  return server
}

it('reads parameters of every form', async () => {
  const server = await start({ handle: (request) => ({ status: 200, body: readParams(request).params }) })
  const post = async (body: string, type: string) =>
    (await fetch(`${server.url}/x?q=1`, { method: 'POST', body, headers: { 'content-type': type } })).json()
  expect(await post('{"a": [1]}', 'application/json; charset=utf-8')).toEqual({ q: '1', a: [1] })
  expect(await post('a=b+c', 'application/x-www-form-urlencoded')).toEqual({ q: '1', a: 'b c' })
  expect(await post('whatever', 'text/plain')).toEqual({ q: '1' })
})

it('bounds bodies, and says when it is itself at fault', async () => {
  const server = await start({
    maxBodyBytes: 10,
    handle: () => {
      throw new Error('broken rule')
    },
  })
  expect((await fetch(server.url, { method: 'POST', body: 'x'.repeat(11) })).status).toBe(413)
  const failed = await fetch(server.url)
  expect(failed.status).toBe(500)
  expect(await failed.text()).toContain('The simulator failed: Error: broken rule')
})

it('cuts, hangs, and ends at once', async () => {
  const server = await start({ handle: ({ url }) => (url.pathname === '/cut' ? 'cut' : 'hang') })
  await expect(fetch(`${server.url}/cut`)).rejects.toThrow()
  const hung = fetch(`${server.url}/hang`).catch(() => 'ended')
  await server.close()
  expect(await hung).toBe('ended')
  expect(server.connections).toBe(0)
})

it('tells a handler that its client went away', async () => {
  let gone = (_: string) => {}
  const left = new Promise<string>((resolve) => {
    gone = resolve
  })
  let arrived = () => {}
  const here = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const server = await start({
    handle: (request) => {
      request.gone.addEventListener('abort', () => gone('gone'))
      arrived()
      return new Promise(() => {})
    },
  })
  const abort = new AbortController()
  const request = fetch(server.url, { signal: abort.signal }).catch(() => 'aborted')
  await here
  abort.abort()
  expect(await left).toBe('gone')
  expect(await request).toBe('aborted')
})

it.each(['close', 'half-open'] as const)(
  'whoever cuts (%s) behind the scenes is not cut off',
  async (how) => {
    const server = await start({
      handle: ({ url }) => {
        if (url.pathname !== '/_sim/cut') return 'hang'
        server.cut(how)
        return { status: 200, body: {} }
      },
    })
    const waits = fetch(`${server.url}/getUpdates`).catch(() => 'ended')
    const ask = () => fetch(`${server.url}/_sim/cut`, { method: 'POST' })
    expect(await (await ask()).json()).toEqual({})
    expect(await (await ask()).json()).toEqual({})
    await server.close()
    expect(await waits).toBe('ended')
  },
)
