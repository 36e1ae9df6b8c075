import { describe, expect, it } from 'vitest'
import type { FileRef } from '../../src/messaging/contract.js'
import { bench, failure, folder, json, serve, TestHost, VirtualClock } from './harness.fixture.js'
import telegram from './index.js'

/** A connection to a server that hands out this path, and these bytes for it. */
async function serving(path: unknown, bytes: Buffer, status = 200) {
  const { url, requests } = await serve((asked, response) => {
    if (asked.startsWith('/file/')) {
      response.writeHead(status)
      return response.end(bytes)
    }
    if (asked.endsWith('/getFile'))
      return json(response, { ok: true, result: { file_id: 'x', file_path: path } })
    if (asked.endsWith('/getMe'))
      return json(response, { ok: true, result: { id: 7, first_name: 'Golem', is_bot: true } })
    if (!asked.endsWith('/getUpdates')) json(response, { ok: true, result: true })
  })
  const clock = new VirtualClock()
  const host = new TestHost('telegram', await folder(), clock)
  const connection = await telegram.connect({ botToken: '7:AAtoken-of-the-test', apiUrl: url }, host)
  const fetched = () => requests.filter((request) => request.path.startsWith('/file/'))
  return { connection, fetched, end: () => connection.close(clock.now()) }
}

const FILE: FileRef = { id: 'x', name: 'x.bin' }
const read = async (stream: Promise<ReadableStream<Uint8Array>>) =>
  Buffer.from(await new Response(await stream).arrayBuffer())

describe('a file', () => {
  it('that was sent is read whole', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => at % 251)
    const id = one.sim.say(chat, ann, 'look', {
      files: [{ name: 'a.bin', mime: 'application/octet-stream', bytes }],
    })
    await one.heard(id)
    const [file] = one.message(id)?.files ?? []
    if (file === undefined) throw new Error('no file')
    expect(await read(one.connection.download(file, 200_000))).toEqual(Buffer.from(bytes))
    expect((await failure(one.connection.download(file, 199_999))).failure).toEqual({
      kind: 'invalid',
      field: 'file',
    })
  })

  it('that grows past what is wanted is cut off with a failure', async () => {
    const { connection, end } = await serving('documents/file_1.bin', Buffer.alloc(10_000))
    const error = await failure(read(connection.download(FILE, 5_000)))
    expect(error.failure).toEqual({ kind: 'invalid', field: 'file' })
    await end()
  })

  it.each(['../secrets', '/etc/passwd', 'a/../../b', 'a b', 'x?y=1', 'https://other.example/', '', 7, null])(
    'whose path is %j is not asked for',
    async (path) => {
      const { connection, fetched, end } = await serving(path, Buffer.from('x'))
      expect((await failure(connection.download(FILE, 5_000))).failure).toEqual({
        kind: 'gone',
        what: 'target',
      })
      expect(fetched()).toEqual([])
      await end()
    },
  )

  it('whose connection breaks on the way is a failure, not a shorter file', async () => {
    const { url } = await serve((asked, response) => {
      if (asked.startsWith('/file/')) {
        response.writeHead(200, { 'content-length': '1000' })
        response.write('half of it')
        setImmediate(() => response.socket?.destroy())
      } else if (asked.endsWith('/getFile'))
        json(response, { ok: true, result: { file_id: 'x', file_path: 'a/b.bin' } })
      else if (asked.endsWith('/getMe'))
        json(response, { ok: true, result: { id: 7, first_name: 'Golem', is_bot: true } })
      else if (!asked.endsWith('/getUpdates')) json(response, { ok: true, result: true })
    })
    const clock = new VirtualClock()
    const host = new TestHost('telegram', await folder(), clock)
    const connection = await telegram.connect({ botToken: '7:AAtoken-of-the-test', apiUrl: url }, host)
    const error = await failure(read(connection.download(FILE, 5_000)))
    expect(error.failure).toEqual({ kind: 'unreachable' })
    await connection.close(clock.now())
  })

  it('that is not there any more is gone', async () => {
    const { connection, end } = await serving('documents/file_1.bin', Buffer.from('x'), 404)
    const error = await failure(connection.download(FILE, 5_000))
    expect(error.failure).toEqual({ kind: 'gone', what: 'target' })
    expect(error.message).not.toContain('AAtoken')
    await end()
  })

  it('that Telegram finds too big is refused in its words', async () => {
    const one = await bench()
    one.sim.fault({
      method: 'getFile',
      do: { kind: 'refuse', code: 400, description: 'Bad Request: file is too big' },
    })
    const error = await failure(one.connection.download(FILE, 100_000_000))
    expect(error.failure).toEqual({ kind: 'invalid', field: 'file' })
    expect(error.message).toContain('20971520')
    one.sim.fault({ method: 'getFile', do: { kind: 'reset' } })
  })
})
