import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { safeFileName, safeMime } from './files.js'
import { Rooms } from './harness.fixture.js'

let rooms: Rooms
beforeEach(async () => {
  rooms = await Rooms.open()
})
afterEach(() => rooms.dispose())

const stored = () => readdir(join(rooms.dir, 'local-files')).catch(() => [])
const upload = async (query: string, init: RequestInit) => {
  const response = await rooms.raw('POST', `rooms/lobby/files${query}`, init)
  const body = (await response.json()) as { id: string; error: { code: string } }
  return { status: response.status, body }
}

describe('uploading', () => {
  it('takes raw bytes, and a message takes the file', async () => {
    const { status, body } = await upload('?name=notes.txt', { body: 'hello' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'notes.txt',
      mime: 'text/plain',
      bytes: 5,
      url: `/api/local/files/${body.id}`,
    })
    const id = await rooms.say('', { files: [body.id] })
    expect(rooms.host.accepted).toMatchObject([
      { kind: 'message', files: [{ id: body.id, name: 'notes.txt', mime: 'text/plain', bytes: 5 }] },
    ])
    expect((await rooms.call('GET', `rooms/lobby/messages/${id}`)).body.files).toEqual([body])
    const again = { author: 'Bob', text: 'mine now', files: [body.id] }
    expect((await rooms.call('POST', 'rooms/lobby/messages', again)).status).toBe(404)
  })

  it('takes one part of a form', async () => {
    const form = new FormData()
    form.append('comment', 'text is passed over')
    form.append('file', new Blob(['<script>'], { type: 'text/html' }), '../../../etc/cron.d/x.html')
    const { body } = await upload('', { body: form })
    expect(body).toMatchObject({ name: 'x.html', mime: 'application/octet-stream', bytes: 8 })
    form.append('second', new Blob(['x']), 'y')
    expect((await upload('', { body: form })).status).toBe(400)
    const broken = { body: 'no form', headers: { 'content-type': 'multipart/form-data; boundary=x' } }
    expect((await upload('', broken)).body.error.code).toBe('malformed-form')
  })

  it('gives bytes out so that no browser runs them', async () => {
    const { body } = await upload(`?name=${encodeURIComponent('报告 "1".svg')}`, {
      body: '<svg onload="x"/>',
      headers: { 'content-type': 'image/svg+xml' },
    })
    const response = await rooms.raw('GET', `files/${body.id}`)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition':
        `attachment; filename="__ _1_.svg"; filename*=UTF-8''%E6%8A%A5%E5%91%8A%20_1_.svg`
          .replace('%20_1_', '%201%20')
          .replace('__ _1_', '__ 1 '),
      'content-length': '17',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    await response.body?.cancel()
  })

  it('is limited, and leaves nothing of what it refused', async () => {
    const large = new Uint8Array(20 * 1024 * 1024 + 1)
    expect((await upload('', { body: large })).status).toBe(413)
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1 << 20
        controller.enqueue(new Uint8Array(1 << 20))
      },
    })
    expect((await upload('', { body: endless, duplex: 'half' } as RequestInit)).status).toBe(413)
    expect(sent).toBeLessThan(25 << 20)
    expect((await upload('', { body: '' })).body.error.code).toBe('empty-file')
    expect((await rooms.raw('POST', 'rooms/nowhere/files', { body: 'x' })).status).toBe(404)
    expect(await stored()).toEqual([])
  })

  it('loses the bytes when their message is deleted', async () => {
    const { body } = await upload('?name=a.txt', { body: 'secret' })
    const id = await rooms.say('see', { files: [body.id] })
    await rooms.call('DELETE', `rooms/lobby/messages/${id}?author=Alice`)
    expect(await stored()).toEqual([])
    expect((await rooms.raw('GET', `files/${body.id}`)).status).toBe(404)
  })

  it('is forgotten after a day without a message', async () => {
    const { body } = await upload('?name=a.txt', { body: 'never sent' })
    await rooms.connection.close(0)
    const host = await rooms.connect()
    expect(await stored()).toEqual([body.id])
    host.clock.advance(25 * 60 * 60 * 1_000)
    await rooms.connection.close(0)
    await rooms.connect({}, undefined, host)
    await rooms.connection.close(0)
    expect(await stored()).toEqual([])
  })
})

describe('file names', () => {
  it('never hold a path, a quote, a line break or a leading dot', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const safe = safeFileName(name)
        expect(safe).not.toMatch(/[/\\"\r\n\0]|^\./)
        expect(safe.length).toBeGreaterThan(0)
        expect(Array.from(safe).length).toBeLessThanOrEqual(120)
        expect(safeFileName(safe)).toBe(safe)
      }),
    )
    expect(safeFileName(`${'长'.repeat(200)}.tar.gz`)).toMatch(/长\.gz$/)
  })

  it('never give a type that a browser runs', () => {
    for (const mime of [
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'text/javascript',
      'nonsense',
      '',
    ]) {
      expect(safeMime(mime, 'x')).toBe('application/octet-stream')
    }
    expect(safeMime('image/PNG; x=y', 'x.html')).toBe('image/png')
    expect(safeMime(null, 'x.html')).toBe('application/octet-stream')
    expect(safeMime('application/x-www-form-urlencoded', 'a.csv')).toBe('text/csv')
    expect(safeMime('text/plain', 'LICENSE')).toBe('text/plain')
    expect(safeMime(null, 'x.JPG')).toBe('image/jpeg')
  })
})
