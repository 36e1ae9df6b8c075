import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { download, isSlacks } from './download.js'
import { Web } from './web.js'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A Slack with one file, and what it answers to a request for its bytes. */
async function slackWith(
  file: (url: string) => object,
  bytes: (response: ServerResponse, path: string) => void,
) {
  const authorized: (string | undefined)[] = []
  const server: Server = createServer((request, response) => {
    if (request.url === '/api/files.info') {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ok: true, file: { id: 'F1', ...file(url) } }))
      return
    }
    authorized.push(request.headers.authorization)
    bytes(response, request.url ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const web = await Web.open('xoxb-secret', { apiUrl: `${url}/api/` })
  closers.push(async () => {
    await web.close()
    server.closeAllConnections()
    server.close()
  })
  const get = async (maxBytes = 100): Promise<string> =>
    new Response(await download(web, { id: 'F1', name: 'a.txt', mime: 'text/plain' }, maxBytes, 0)).text()
  return { get, authorized, url }
}

describe('bytes of a file', () => {
  it('come with the token, from Slack', async () => {
    const { get, authorized } = await slackWith(
      (url) => ({ url_private_download: `${url}/files/a.txt`, mimetype: 'text/plain' }),
      (response) => response.end('hello'),
    )
    expect(await get()).toBe('hello')
    expect(authorized).toEqual(['Bearer xoxb-secret'])
  })

  it('never from elsewhere, whoever says so', async () => {
    const elsewhere = await slackWith(
      () => ({}),
      (response) => response.end('stolen'),
    )
    const named = await slackWith(
      () => ({ url_private: `${elsewhere.url}/a.txt` }),
      (response) => response.end(),
    )
    await expect(named.get()).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'file' } })
    const sent = await slackWith(
      (url) => ({ url_private: `${url}/a.txt` }),
      (response) => response.writeHead(302, { location: `${elsewhere.url}/login` }).end(),
    )
    await expect(sent.get()).rejects.toMatchObject({ failure: { kind: 'forbidden' } })
    expect(elsewhere.authorized).toEqual([])
  })

  it('a page to log in means a missing scope', async () => {
    const { get } = await slackWith(
      (url) => ({ url_private: `${url}/a.txt`, mimetype: 'text/plain' }),
      (response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<html>'),
    )
    await expect(get()).rejects.toThrow('files:read')
  })

  it('not more than is wanted, whatever was announced', async () => {
    const { get } = await slackWith(
      (url) => ({ url_private: `${url}/a.txt` }),
      (response) => {
        response.writeHead(200, { 'content-type': 'text/plain' })
        for (let count = 0; count < 50; count++) response.write('x'.repeat(10))
        response.end()
      },
    )
    await expect(get()).rejects.toThrow('more than the 100')
    const announced = await slackWith(
      (url) => ({ url_private: `${url}/a.txt`, size: 101 }),
      (response) => response.end('x'),
    )
    await expect(announced.get()).rejects.toMatchObject({ failure: { kind: 'invalid', field: 'file' } })
  })

  it('a file that is gone, and one that cannot be had just now', async () => {
    const status = async (code: number) =>
      slackWith(
        (url) => ({ url_private: `${url}/a.txt` }),
        (response) => response.writeHead(code).end(),
      )
    await expect((await status(404)).get()).rejects.toMatchObject({ failure: { kind: 'gone' } })
    await expect((await status(500)).get()).rejects.toMatchObject({ failure: { kind: 'unreachable' } })
  })
})

describe('hosts that may have the token', () => {
  it.each([
    ['https://files.slack.com/a', true],
    ['https://acme.slack.com/a', true],
    ['http://files.slack.com/a', false],
    ['https://slack.com.evil.example/a', false],
    ['https://evilslack.com/a', false],
    ['https://docs.google.com/a', false],
    ['not an address', false],
  ])('%s: %s', (address, may) => {
    expect(isSlacks(address, 'https://slack.com/api/')).toBe(may)
  })

  it('behind a relay only the relay', () => {
    expect(isSlacks('https://relay.example/files/a', 'https://relay.example/api/')).toBe(true)
    expect(isSlacks('https://files.slack.com/a', 'https://relay.example/api/')).toBe(false)
  })
})
