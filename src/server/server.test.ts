import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { raw, start } from './harness.fixture.js'

const events = (onCancel: () => void) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('id: 1\ndata: {}\n\n')),
      cancel: onCancel,
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  )

/** A promise that something else keeps. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describe('starting', () => {
  it('takes a free port and says where it is', async () => {
    const golem = await start()
    expect(golem.server.port).toBeGreaterThan(0)
    expect(golem.server.url).toBe(`http://127.0.0.1:${golem.server.port}`)
    await golem.close()
  })

  it('says which port is in use and what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await expect(start({ port })).rejects.toMatchObject({
      name: 'ServerError',
      code: 'port-in-use',
      message: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
    })
    other.close()
  })

  it.each([
    [{ port: 70_000 }, 'port-invalid'],
    [{ host: '203.0.113.7', token: 'x'.repeat(20) }, 'host-unknown'],
  ])('refuses %j', async (settings, code) => {
    await expect(start(settings)).rejects.toMatchObject({ code })
  })

  it('warns of a token that can be guessed when the network can try', async () => {
    const golem = await start({ host: '0.0.0.0', token: 'guess' })
    expect(golem.log.lines).toMatchObject([{ level: 'warn' }])
    await golem.close()
  })
})

describe('closing', () => {
  it('ends event streams properly and tells their source', async () => {
    const cancelled = gate()
    const golem = await start({ serve: async () => events(cancelled.open) })
    const response = await golem.get('/api/local/events')
    const reader = response.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    await golem.server.close(golem.clock.now() + 60_000)
    expect(await reader?.read()).toMatchObject({ done: true })
    await cancelled.opened
  })

  it('tells the source of a stream that its reader has gone', async () => {
    const cancelled = gate()
    const golem = await start({ serve: async () => events(cancelled.open) })
    const leave = new AbortController()
    const response = await golem.get('/api/local/events', { signal: leave.signal })
    await response.body?.getReader().read()
    leave.abort()
    await cancelled.opened
    await golem.close()
  })

  it('says nothing of why a stream broke, but logs it', async () => {
    const golem = await start({
      serve: async (_connection, _request, path) => {
        let pulls = 0
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (path === '/ends') controller.close()
            else if (path === '/late' && pulls++ === 0) controller.enqueue(new Uint8Array(8))
            else controller.error(new Error('lost /srv/secret'))
          },
        })
        return new Response(
          body,
          path === '/ends' ? { headers: { 'content-type': 'text/event-stream' } } : {},
        )
      },
    })
    expect(await (await golem.get('/api/local/ends')).text()).toBe('')
    const early = await golem.get('/api/local/early')
    expect([early.status, await early.json()]).toMatchObject([500, { error: { code: 'internal' } }])
    await expect(golem.get('/api/local/late').then((response) => response.text())).rejects.toThrow()
    expect((await golem.get('/health')).status).toBe(200)
    expect(golem.log.lines.map(({ fields }) => JSON.stringify(fields))).toEqual([
      expect.stringContaining('/srv/secret'),
      expect.stringContaining('/srv/secret'),
    ])
    await golem.close()
  })

  it('lets answers under way finish, takes nothing new, and waits for no idle connection', async () => {
    const asked = gate()
    const go = gate()
    const golem = await start({
      serve: async () => {
        asked.open()
        await go.opened
        return new Response('done')
      },
    })
    const idle = raw(golem.server.port, '')
    await golem.get('/health') // leaves a kept-alive connection behind
    const answer = golem.get('/api/local/slow')
    await asked.opened
    const closed = golem.server.close(golem.clock.now() + 60_000)
    expect(await idle).toBe('')
    await expect(golem.get('/health')).rejects.toThrow()
    go.open()
    expect(await (await answer).text()).toBe('done')
    await closed
  })

  it('cuts what is left at the deadline', async () => {
    const asked = gate()
    const golem = await start({
      serve: () => {
        asked.open()
        return new Promise(() => {})
      },
    })
    const answer = golem.get('/api/local/never')
    const failed = expect(answer).rejects.toThrow()
    await asked.opened
    const closed = golem.server.close(golem.clock.now() + 5_000)
    golem.clock.forward(5_000)
    await closed
    await failed
  })

  it('may be asked for twice', async () => {
    const golem = await start()
    await Promise.all([golem.close(), golem.close()])
  })
})
