import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { McpRelay } from './relay.js'

let server: Server
let heard: string[]
let url: string
const relay = { current: new McpRelay() }
beforeEach(async () => {
  heard = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += String(chunk)
    })
    request.on('end', () => {
      heard.push(
        `${request.method} ${request.headers.authorization} ${request.headers.cookie ?? '-'} ${body}`,
      )
      if (body === 'wait') response.write('data: first\n\n')
      else response.writeHead(202, { 'content-type': 'text/plain', 'x-other': 'y' }).end('answer')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  relay.current = new McpRelay()
})
afterEach(async () => {
  await relay.current.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function seat() {
  const opened = await relay.current.open()
  const [authorization] = opened.server.headers
  const ask = (body: string, key = authorization?.value ?? '') =>
    fetch(opened.server.url, { method: 'POST', headers: { authorization: key, cookie: 'a=b' }, body })
  return { opened, ask }
}

test('leads to the tools of the turn that runs, with its token, and to nothing between turns', async () => {
  const { opened, ask } = await seat()
  expect((await ask('x')).status).toBe(503)
  opened.lend({ url, token: 'one' })
  const response = await ask('x')
  expect([response.status, await response.text(), response.headers.get('x-other')]).toEqual([
    202,
    'answer',
    null,
  ])
  opened.lend({ url, token: 'two' })
  await ask('y')
  opened.lend(null)
  expect((await ask('z')).status).toBe(503)
  expect(heard).toEqual(['POST Bearer one - x', 'POST Bearer two - y'])
})

test('a key is of its own session, and of none once that is over', async () => {
  const [one, two] = [await seat(), await seat()]
  one.opened.lend({ url, token: 'one' })
  expect((await one.ask('x', two.opened.server.headers[0]?.value)).status).toBe(503)
  for (const key of ['', 'Bearer', 'Bearer nothing']) expect((await one.ask('x', key)).status).toBe(401)
  one.opened.close()
  expect((await one.ask('x')).status).toBe(401)
  expect(heard).toEqual([])
})

test('passes a stream on as it comes, and says when the tools are gone', async () => {
  const { opened, ask } = await seat()
  opened.lend({ url, token: 'one' })
  const response = await ask('wait')
  const reader = response.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: first\n\n')
  await reader?.cancel()
  opened.lend({ url: 'http://127.0.0.1:1/mcp', token: 'one' })
  expect((await ask('x')).status).toBe(502)
})
