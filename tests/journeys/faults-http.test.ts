/** Requests that are none or too large, over plain sockets, against one daemon. */
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, TEAM } from './daemon.js'

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(TEAM)
})
const port = () => Number(new URL(daemon.url).port)

/** Sends these bytes, and resolves with all that comes back until the daemon closes the line. */
function raw(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port(), '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
  })
}

const head = (line: string, ...headers: string[]) =>
  `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`
const get = (target: string, ...more: string[]) => head(`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1', ...more)
const post = (body: string, ...more: string[]) =>
  `${head('POST /api/local/rooms/lobby/messages HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json', ...more)}${body}`

describe('a malformed request is refused in the one shape, and the next one is answered', () => {
  it.each([
    ['GET //', get('//'), 400],
    ['GET ///', get('///'), 400],
    ['GET //evil.example/', get('//evil.example/'), 400],
    ['GET without a path', get(''), 400],
    ['GET with a relative path', get('health'), 400],
    ['GET in absolute form', get('http://127.0.0.1/health'), 400],
    ['GET *', get('*'), 400],
    ['a broken escape', get('/api/messages/%/receipt'), 400],
    ['an escape that is no UTF-8', get('/api/messages/%ff%fe/receipt'), 400],
    ['an escaped NUL', get('/api/messages/%00/receipt'), 400],
    ['an escaped line break', get('/api/messages/a%0d%0ab/receipt'), 400],
    ['a backslash', get('/\\evil'), 400],
    ['dots', get('/assets/../../etc/passwd'), 400],
    ['escaped dots', get('/%2e%2e/%2e%2e/etc/passwd'), 400],
    ['dots behind an escaped slash', get('/..%2f..%2fetc%2fpasswd'), 400],
    ['raw bytes in the path', Buffer.from(get('/\u00e9'), 'latin1'), 400],
    ['a fragment', get('/health#x'), 400],
    ['no Host', head('GET /health HTTP/1.1'), 400],
    ['two Hosts', get('/health', 'Host: evil.example'), 400],
    ['a foreign Host', head('GET /health HTTP/1.1', 'Host: evil.example'), 403],
    ['a foreign Origin', get('/api/rooms', 'Origin: https://evil.example'), 403],
    ['a token in the address', get('/api/rooms?token=abc'), 400],
    ['a header without a colon', get('/health', 'nonsense'), 400],
    ['a header with a NUL', get('/health', 'X-A: a\u0000b'), 400],
    ['an unknown method', head('BREW / HTTP/1.1', 'Host: 127.0.0.1'), 400],
    ['a method that is not for this path', head('DELETE /health HTTP/1.1', 'Host: 127.0.0.1'), 405],
    ['an unknown version', head('GET / HTTP/9.9', 'Host: 127.0.0.1'), 400],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a TLS hello', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 0x0d, 0x0a, 0x0d, 0x0a]), 400],
    ['CONNECT', head('CONNECT evil.example:443 HTTP/1.1', 'Host: evil.example'), 400],
    ['an expectation nobody knows', get('/health', 'Expect: tea'), 417],
    ['a negative length', post('', 'Content-Length: -1'), 400],
    ['two lengths', post('{', 'Content-Length: 1', 'Content-Length: 2'), 400],
    ['length and chunks together', post('0\r\n\r\n', 'Content-Length: 4', 'Transfer-Encoding: chunked'), 400],
    ['a broken chunk', post('zz\r\n', 'Transfer-Encoding: chunked'), 400],
    ['a body that is no JSON', post('{"author": ', 'Content-Length: 11'), 400],
    [
      'a body that is no UTF-8',
      Buffer.concat([Buffer.from(post('', 'Content-Length: 4')), Buffer.from([0x22, 0xff, 0xfe, 0x22])]),
      400,
    ],
    ['an empty body', post('', 'Content-Length: 0'), 400],
    ['huge headers', get('/health', `X-Big: ${'a'.repeat(40_000)}`), 431],
    ['a huge address', get(`/${'a'.repeat(9_000)}`), 414],
    ['a path that is not there', get('/api/nothing'), 404],
    ['a room that cannot be', get('/api/local/rooms/a%20b/messages'), 400],
  ])('%s', async (_, bytes, status) => {
    const answer = await raw(bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
    const { error } = JSON.parse(/\{[\s\S]*\}/.exec(body)?.[0] ?? '{}') as { error?: { message: string } }
    expect(error?.message).toMatch(/\S/)
    expect(error?.message).not.toMatch(/\n|node_modules|\/src\//)
    expect((await daemon.request('GET', '/health')).status).toBe(200)
  })
})

describe('a body that is too large', () => {
  it.each([
    ['by its own word', post('x', 'Content-Length: 300000')],
    ['in chunks', post(`${'10000\r\n'}${'x'.repeat(65_536)}\r\n`.repeat(6), 'Transfer-Encoding: chunked')],
  ])('%s is refused without being kept', async (_, bytes) => {
    expect(await raw(bytes)).toMatch(/^HTTP\/1\.1 413 [\s\S]*larger than 262144 bytes/)
  })

  it('100 MB for a file is cut off at its limit, and nothing of it stays', async () => {
    const response = await fetch(`${daemon.url}/api/local/rooms/lobby/files?name=big`, {
      method: 'POST',
      body: new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)),
      }),
      duplex: 'half',
    } as RequestInit).then(
      ({ status }) => status,
      // The daemon hangs up on a sender who does not stop.
      () => 413,
    )
    expect(response).toBe(413)
    expect(daemon.list('.golem/local-files')).toEqual([])
  })

  it('deeply nested JSON and odd values are refused by name', async () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(await raw(post(nested, `Content-Length: ${nested.length}`))).toMatch(/^HTTP\/1\.1 400 /)
    for (const body of [
      [],
      null,
      { text: 'x' },
      { author: 'A', text: 7 },
      { author: '', text: 'x' },
      { author: 'A', text: 'x', more: 1 },
    ])
      expect(await daemon.request('POST', '/api/local/rooms/lobby/messages', body)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid' } },
      })
  })

  it('a text of half characters and NULs is taken and answered', async () => {
    expect(await daemon.ask('@Golem \ud83d hello \u0000 \u202e there')).toHaveLength(1)
  })
})

describe('all of it', () => {
  it('a thousand idle lines do not keep anybody out', async () => {
    const idle = Array.from({ length: 1_000 }, () =>
      connect(port(), '127.0.0.1').on('error', () => undefined),
    )
    expect((await daemon.request('GET', '/health')).status).toBe(200)
    for (const socket of idle) socket.destroy()
  })

  it('nothing of it is a fault in the log', () => {
    expect(daemon.warnings).toEqual([])
    expect(daemon.log).not.toMatch(/\n\s+at |stack/)
  })
})
