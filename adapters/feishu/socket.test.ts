import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { key, never, openWorld, post, type World } from './harness.fixture.js'

let world: World | undefined
const closers: (() => unknown)[] = []
const rejections: unknown[] = []
process.on('unhandledRejection', (reason) => void rejections.push(reason))
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
/** Lets time pass until it holds. */
async function meanwhile(one: World, holds: () => boolean, ms = 1_000): Promise<void> {
  const pass = setInterval(() => one.sim.clock.advance(ms), 20)
  const either = Promise.race([one.host.until(holds), one.sim.until(holds, 'it comes about')])
  await either.finally(() => clearInterval(pass))
}

describe('the long connection', () => {
  it('hears what waited for it, however soon that comes', async () => {
    const one = await open({}, null)
    const ids = Array.from({ length: 30 }, (_, at) => one.sim.say(one.chat, one.ann, `waiting ${at}`))
    await one.connect()
    await one.host.until(() => one.host.all('message').length === ids.length)
    expect(one.host.all('message').map(({ id }) => id)).toEqual(ids)
    await one.sim.until(() => one.sim.pending === 0, 'all is acknowledged')
  })

  it('puts fragments together', async () => {
    const one = await open({ fragmentBytes: 200 })
    const text = '汉'.repeat(1_000)
    const heard = await one.host.heard(one.sim.say(one.chat, one.ann, text))
    expect(JSON.stringify(heard.doc)).toContain(text)
  })

  it('bears frames that are none', async () => {
    const one = await open()
    for (const bytes of [
      [],
      [0xff],
      [8, 1, 16, 1, 24, 1, 32, 1, 66, 3, 1, 2, 3],
      [10, 255, 255, 255, 255, 15],
    ])
      one.sim.garble(Uint8Array.from(bytes))
    await one.host.heard(one.sim.say(one.chat, one.ann, 'still there?'))
  })

  it('acknowledges nothing that could not be stored: it comes again', async () => {
    const one = await open()
    one.host.refuse = 1
    const id = one.sim.say(one.chat, one.ann, 'again')
    await meanwhile(one, () => one.host.all('message').some((message) => message.id === id))
    expect(one.host.offered.filter((event) => event.event === id).length).toBe(2)
    expect(one.host.lines.join('\n')).toContain('it will come again')
  })

  it('is opened again at once when it ends, and a state says so meanwhile', async () => {
    const one = await open()
    one.sim.cut('close')
    await one.host.until(() => one.host.phase === 'degraded')
    await meanwhile(one, () => one.host.phase === 'ready', 100)
    await one.host.heard(one.sim.say(one.chat, one.ann, 'back?'))
  })

  it('is opened again after seven refusals and more, where the SDK would have given up', async () => {
    const one = await open()
    const undo = one.sim.fault({ method: 'ws.endpoint', do: { kind: 'status', status: 502, body: '<html>' } })
    one.sim.cut('close')
    const tries = (): number => one.sim.calls.filter(({ method }) => method === 'ws.endpoint').length
    await meanwhile(one, () => tries() > 10, 30_000)
    expect(one.host.phase).toBe('degraded')
    undo()
    await meanwhile(one, () => one.host.phase === 'ready', 30_000)
    await one.host.heard(one.sim.say(one.chat, one.ann, 'at last'))
  })

  it('waits where there are too many of them', async () => {
    const one = await open()
    const fault = { kind: 'refuse', code: 1_000_040_350 } as const
    one.sim.fault({ method: 'ws.endpoint', times: 2, do: fault })
    one.sim.cut('close')
    await meanwhile(
      one,
      () => one.host.states.some((state) => JSON.stringify(state).includes('1000040350')),
      100,
    )
    await meanwhile(one, () => one.host.phase === 'ready')
  })

  it('ends for good where the secret is no longer good', async () => {
    const one = await open()
    one.sim.revoke()
    one.sim.cut('close')
    await meanwhile(one, () => one.host.phase === 'failed', 100)
    expect(await one.connection.done).toMatchObject({
      fatal: true,
      cure: expect.stringContaining('App Secret'),
    })
  })

  it('goes through the proxy, and so do calls', async () => {
    const asked: string[] = []
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
    const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const one = await open({}, { proxy: at })
    await one.host.heard(one.sim.say(one.chat, one.ann, 'hello'))
    await one.connection.perform(post(one.chat, 'hi'), key(), never())
    // The API and the long connection have a tunnel each.
    expect(asked.length).toBeGreaterThanOrEqual(2)
    expect(new Set(asked)).toEqual(new Set([new URL(one.sim.url).host]))
  })
})
