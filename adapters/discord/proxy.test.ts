import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import type { Logger } from '../../src/messaging/contract.js'
import { never, openWorld, post, type World } from './harness.fixture.js'
import { Tunnel } from './tunnel.js'

/** A proxy that notes where it is asked to connect to. */
async function openProxy(refuse = false): Promise<{ url: string; asked: string[]; close(): void }> {
  const asked: string[] = []
  const sockets = new Set<Duplex>()
  const server: Server = createServer((_, response) => response.writeHead(405).end())
  server.on('connect', (incoming: IncomingMessage, near: Duplex) => {
    asked.push(incoming.url ?? '')
    sockets.add(near)
    near.on('error', () => near.destroy())
    if (refuse) {
      near.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    const [host = '', port = ''] = (incoming.url ?? '').split(':')
    const far = connect(Number(port), host, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n')
      near.pipe(far).pipe(near)
    })
    sockets.add(far)
    far.on('error', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

describe('behind a proxy', () => {
  it('dc-proxy-covers-websocket: the gateway’s socket goes through it as the requests do, new ones too', async () => {
    const proxy = await openProxy()
    closers.push(() => proxy.close())
    const world: World = await openWorld({}, null)
    closers.push(() => world.close())
    const { sim, host, chat, ann } = world
    await world.connect({ proxy: proxy.url })
    const { host: discord } = new URL(sim.url)
    const before = proxy.asked.length
    expect(new Set(proxy.asked)).toEqual(new Set([discord]))
    // One connection at least for requests, and one for the socket.
    expect(before).toBeGreaterThanOrEqual(2)
    sim.say(chat, ann, 'hello')
    await host.until(() => host.all('message').length === 1)
    sim.reconnect()
    await world.passing(() => proxy.asked.length > before && sim.connections === 1, 'it comes again', 0)
    sim.say(chat, ann, 'again')
    await host.until(() => host.all('message').length === 2)
    const op = post(chat, 'through it')
    expect((await world.connection.perform(op, 'k', never())).id).toBeDefined()
  })

  it('that lets nothing through the connection is tried again, and the secret stays one', async () => {
    const proxy = await openProxy(true)
    closers.push(() => proxy.close())
    const world: World = await openWorld({}, null)
    closers.push(() => world.close())
    const error: unknown = await world
      .connect({ proxy: proxy.url })
      .then(() => null)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'CallFailed', kind: 'unreachable' })
    expect(String(error)).not.toContain(String(world.sim.settings('socket').botToken))
  })
})

describe('the tunnel', () => {
  const log: Logger = { debug() {}, info() {}, warn() {}, error() {} }
  const upgrade = (url: string): Promise<number> =>
    new Promise((resolve) => {
      const headers = { connection: 'upgrade', upgrade: 'websocket' }
      const asking = request(url.replace(/^ws/, 'http'), { headers })
      asking.once('response', (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      asking.once('error', () => resolve(0))
      asking.end()
    })

  it('lets in nobody who does not know the path, and leads only where it was told to', async () => {
    const proxy = await openProxy()
    closers.push(() => proxy.close())
    const tunnel = await Tunnel.open(proxy.url, log)
    closers.push(() => tunnel.close())
    const address = tunnel.through('wss://gateway.discord.gg/')
    expect(tunnel.through('wss://gateway.discord.gg/')).toBe(address)
    expect(address).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/)
    const root = address.replace(/[0-9a-f]{32}$/, '')
    for (const path of ['', 'abc', `${'0'.repeat(32)}?v=10`])
      expect(await upgrade(`${root}${path}`)).toBe(404)
    expect(proxy.asked).toEqual([])
  })

  it('says so when the proxy refuses', async () => {
    const proxy = await openProxy(true)
    closers.push(() => proxy.close())
    const tunnel = await Tunnel.open(proxy.url, log)
    closers.push(() => tunnel.close())
    expect(await upgrade(`${tunnel.through('ws://gateway.example:1/')}?v=10`)).toBe(502)
    expect(proxy.asked).toEqual(['gateway.example:1'])
  })
})
