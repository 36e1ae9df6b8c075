import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { VirtualClock } from '../../tests/simulators/kit/clock.js'
import { openWorld, type World } from './harness.fixture.js'
import { Socket } from './socket.js'
import { Web } from './web.js'

let world: World | undefined
const closers: (() => unknown)[] = []
const rejections: unknown[] = []
const note = (reason: unknown): void => void rejections.push(reason)
process.on('unhandledRejection', note)
afterEach(async () => {
  await world?.close()
  world = undefined
  for (const close of closers.splice(0).reverse()) await close()
  expect(rejections).toEqual([])
})
const open = async (...args: Parameters<typeof openWorld>): Promise<World> => {
  world = await openWorld(...args)
  return world
}

/** A Slack that opens sockets and does with them what the test says. */
async function fake(
  onSocket: (socket: import('ws').WebSocket, count: number) => void,
  answer: () => object | number = () => ({ ok: true }),
): Promise<{ url: string; server: Server; opened: () => number }> {
  let opened = 0
  const server = createServer((_, response) => {
    const found = answer()
    const { port } = server.address() as AddressInfo
    if (typeof found === 'number') response.writeHead(found).end()
    else {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...found, url: `ws://127.0.0.1:${port}/link?ticket=${opened}` }))
    }
  })
  const sockets = new WebSocketServer({ server, autoPong: false })
  sockets.on('connection', (socket) => {
    opened++
    onSocket(socket, opened)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    for (const client of sockets.clients) client.terminate()
    sockets.close()
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    server,
    opened: () => opened,
  }
}

interface Given {
  socket: Socket
  troubles: (string | null)[]
  fatal: { reason: string; cure: string }[]
  taken: unknown[]
  clock: VirtualClock
  /** Resolves when it holds, asked every few milliseconds. `pace`: what passes on the clock meanwhile. */
  until(holds: () => boolean, pace?: number): Promise<void>
}

async function socketTo(
  url: string,
  take: (body: unknown) => Promise<void> = async () => undefined,
): Promise<Given> {
  const web = await Web.open('xoxb-test', { apiUrl: url })
  const clock = new VirtualClock()
  const given: Omit<Given, 'socket'> = {
    troubles: [],
    fatal: [],
    taken: [],
    clock,
    until: async (holds, pace = 0) => {
      const end = performance.now() + 10_000
      while (!holds()) {
        if (performance.now() > end) throw new Error(`in vain; troubles: ${given.troubles.join(' | ')}`)
        clock.advance(pace)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const socket = new Socket({
    appToken: 'xapp-test',
    web,
    clock,
    log,
    take: async (body) => {
      given.taken.push(body)
      await take(body)
    },
    trouble: (reason) => void given.troubles.push(reason),
    fatal: (reason, cure) => void given.fatal.push({ reason, cure }),
  })
  closers.push(async () => {
    await socket.close(clock.now() + 200)
    await web.close()
    clock.close()
  })
  return { ...given, socket }
}

const hello = JSON.stringify({ type: 'hello', num_connections: 1 })
const envelope = (id: string, event: object = { type: 'message', channel: 'C1' }): string =>
  JSON.stringify({ envelope_id: id, type: 'events_api', payload: { type: 'event_callback', event } })

describe('named cases', () => {
  it('sl-half-open-socket: a line that says nothing is told of, and replaced', async () => {
    const slack = await fake((socket) => socket.send(hello))
    const { socket, troubles, until } = await socketTo(slack.url)
    await socket.open()
    expect(slack.opened()).toBe(1)
    let passed = 0
    await until(() => {
      passed += 1_000
      return troubles.some((reason) => reason?.includes('silent'))
    }, 1_000)
    await until(() => {
      passed += 200
      return slack.opened() === 2
    }, 200)
    // By the clock that the connection is given.
    expect(passed).toBeLessThan(120_000)
  })
})

describe('the socket', () => {
  it('is acknowledged only after the core has it', async () => {
    const acks: string[] = []
    let store: () => void = () => undefined
    const stored = new Promise<void>((resolve) => {
      store = resolve
    })
    const slack = await fake((socket) => {
      socket.send(hello)
      socket.send(envelope('e1'))
      socket.on('message', (data) => acks.push(String(data)))
    })
    const { socket, taken, until } = await socketTo(slack.url, () => stored)
    await socket.open()
    await until(() => taken.length === 1)
    expect(acks).toEqual([])
    store()
    await until(() => acks.length === 1)
    expect(JSON.parse(acks[0] ?? '')).toMatchObject({ envelope_id: 'e1' })
  })

  it('what cannot be stored is not acknowledged', async () => {
    const acks: string[] = []
    const slack = await fake((socket) => {
      socket.send(hello)
      socket.send(envelope('bad'))
      socket.send(envelope('good', { type: 'message', channel: 'C2' }))
      socket.on('message', (data) => acks.push(String(JSON.parse(String(data)).envelope_id)))
    })
    const { socket, until } = await socketTo(slack.url, async (body) => {
      if (JSON.stringify(body).includes('C1')) throw new Error('the disk is full')
    })
    await socket.open()
    await until(() => acks.length > 0)
    expect(acks).toEqual(['good'])
  })

  it('without hello it gives up in time', async () => {
    const slack = await fake(() => undefined)
    const { socket, clock, until } = await socketTo(slack.url)
    const opening = socket.open().then(
      () => null,
      (error: unknown) => error,
    )
    await until(() => slack.opened() === 1)
    clock.advance(15_000)
    expect(String(await opening)).toContain('no_hello')
  })

  it('frames that are none break nothing', async () => {
    const slack = await fake((socket) => {
      socket.send(hello)
      socket.send('no json')
      socket.send('{"type":"events_api","envelope_id":"x"}')
      socket.send('null')
      socket.send(Buffer.from([1, 2, 3]))
      socket.send(envelope('e1'))
    })
    const { socket, taken, until } = await socketTo(slack.url)
    await socket.open()
    await until(() => taken.length === 1)
  })

  it('a polite disconnect is followed at once, and is no trouble', async () => {
    const slack = await fake((socket, count) => {
      socket.send(hello)
      if (count === 1) setTimeout(() => socket.send('{"type":"disconnect","reason":"refresh_requested"}'), 20)
    })
    const { socket, troubles, until } = await socketTo(slack.url)
    await socket.open()
    await until(() => slack.opened() === 2)
    expect(troubles.filter((reason) => reason !== null)).toEqual([])
  })

  it('one that breaks comes again by itself, with growing pauses while Slack is away', async () => {
    let status = 200
    const slack = await fake(
      (socket) => socket.send(hello),
      () => (status === 200 ? { ok: true } : status),
    )
    const { socket, troubles, until, clock } = await socketTo(slack.url)
    await socket.open()
    status = 503
    slack.server.closeAllConnections()
    await until(() => troubles.filter((reason) => reason !== null).length >= 3, 500)
    status = 200
    clock.advance(60_000)
    await until(() => slack.opened() === 2, 1_000)
    await until(() => troubles.at(-1) === null)
  })

  it('a token that was revoked meanwhile is fatal, and no unhandled rejection', async () => {
    let error: object = { ok: true }
    const slack = await fake(
      (socket) => socket.send(hello),
      () => error,
    )
    const { socket, fatal, until } = await socketTo(slack.url)
    await socket.open()
    error = { ok: false, error: 'invalid_auth' }
    slack.server.closeAllConnections()
    await until(() => fatal.length === 1, 500)
    expect(fatal[0]).toMatchObject({
      reason: expect.stringContaining('invalid_auth'),
      cure: expect.stringContaining('xapp'),
    })
  })
})

describe('with the workspace', () => {
  it('a revoked app token ends the connection, its cure shown', async () => {
    const { sim, connection, host } = await open()
    sim.revoke('app')
    sim.cut('close')
    sim.clock.advance(2_000)
    expect(await connection.done).toMatchObject({ fatal: true, cure: expect.stringContaining('xapp') })
    expect(host.states.at(-1)).toMatchObject({ phase: 'failed' })
  })

  it('events of a break are heard after it, each once', async () => {
    const { sim, chat, ann, host } = await open()
    sim.cut('close')
    const ids = [1, 2, 3].map((at) => sim.say(chat, ann, `while away ${at}`))
    await host.until(() => host.phase === 'degraded')
    sim.clock.advance(3_000)
    await host.until(() => host.all('message').length === 3)
    expect(host.all('message').map(({ id }) => id)).toEqual(ids)
    await host.until(() => host.phase === 'ready')
  })

  it('what is repeated is acknowledged again, and known', async () => {
    const { sim, chat, ann, host } = await open()
    sim.say(chat, ann, 'once')
    await sim.until(() => sim.acknowledged.length === 1, 'it is acknowledged')
    sim.redeliver(1)
    await sim.until(() => sim.acknowledged.length === 2, 'it is acknowledged again')
    expect(host.all('message')).toHaveLength(1)
  })

  it('app_uninstalled ends it', async () => {
    const { sim, connection } = await open()
    sim.inject({ type: 'app_uninstalled' })
    expect(await connection.done).toMatchObject({ fatal: true, cure: expect.stringContaining('install') })
  })

  it('goes through the proxy, socket and calls alike', async () => {
    const asked: string[] = []
    const { connect } = await import('node:net')
    const proxy = createServer()
    proxy.on('connect', (request, client, head) => {
      asked.push(request.url ?? '')
      const [host = '', port = ''] = (request.url ?? '').split(':')
      const upstream = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        upstream.write(head)
        upstream.pipe(client)
        client.pipe(upstream)
      })
      upstream.on('error', () => client.destroy())
      client.on('error', () => upstream.destroy())
      closers.push(() => {
        upstream.destroy()
        client.destroy()
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    closers.push(() => proxy.close())
    const { sim, chat, ann, host } = await open(
      {},
      { proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` },
    )
    sim.say(chat, ann, 'hello')
    await host.until(() => host.all('message').length === 1)
    // The API and the socket have a tunnel each.
    expect(asked.length).toBeGreaterThanOrEqual(2)
    expect(new Set(asked)).toEqual(new Set([new URL(sim.url).host]))
  })
})
