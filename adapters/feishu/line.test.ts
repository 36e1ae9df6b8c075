import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { lineTo } from './line.js'

const closers: (() => unknown)[] = []
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close()
})

/** A server that says something in the very packet that opens the connection. */
async function eager(text: string): Promise<string> {
  const server = createServer()
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
    const frame = Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)])
    socket.write(Buffer.concat([Buffer.from(head), frame]))
    socket.on('error', () => undefined)
    closers.push(() => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

it('keeps what comes with the handshake until the SDK listens', async () => {
  const url = await eager('at once')
  const line = await lineTo(url, undefined, { sign: () => undefined, ended: () => undefined })
  closers.push(() => line.cut())
  const socket = new WebSocket(url, { agent: line.agent })
  await new Promise<void>((resolve) => socket.once('open', resolve))
  // As many turns as the SDK takes, and some more.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  const heard = await new Promise((resolve) => socket.once('message', resolve))
  expect(String(heard)).toBe('at once')
})

it('tells of every sign of life, and of the end', async () => {
  const url = await eager('x')
  let signs = 0
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const line = await lineTo(url, undefined, { sign: () => signs++, ended: () => end() })
  const socket = new WebSocket(url, { agent: line.agent })
  socket.on('error', () => undefined)
  await new Promise<void>((resolve) => socket.once('open', resolve))
  expect(signs).toBeGreaterThan(0)
  line.cut()
  await ended
})
