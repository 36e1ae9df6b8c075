import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { alive, FakeClock, realClock } from '../../../tests/fixtures/agents/kit.js'
import type { Clock } from '../../messaging/ambient.js'
import { STOP_GRACE } from '../../messaging/limits.js'
import { createTranscriber, TRANSCRIPT_CHARACTERS, type TranscribeOptions } from './transcriber.js'

let dir: string
const servers: Server[] = []
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'golem-voice-'))
  await writeFile(join(dir, 'note.ogg'), 'sound')
})
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  await rm(dir, { recursive: true, force: true })
})

const note = () => ({ path: join(dir, 'note.ogg'), name: 'note.ogg', mime: 'audio/ogg' })
function transcriber(options: Partial<TranscribeOptions>, clock: Clock = realClock, env: object = {}) {
  return createTranscriber(
    { timeout: 60_000, ...options },
    { clock, mark: `test:${process.pid}:`, environment: { PATH: process.env.PATH, ...env } },
  )
}
const running = () => new AbortController().signal

async function script(text: string): Promise<string> {
  const path = join(dir, 'hear.sh')
  await writeFile(path, `#!/bin/sh\n${text}\n`)
  await chmod(path, 0o755)
  return path
}

describe('a program', () => {
  test('is given the file’s path last, or where it is wanted, and nothing of Golem’s environment', async () => {
    const program = await script('echo "$# $1 $2"; cat "$1"; echo; echo "token=$TOKEN key=$KEY"')
    const words = await transcriber({ command: [program], env: { KEY: 'k' } }, realClock, {
      TOKEN: 'xoxb',
    }).transcribe(note(), running())
    expect(words).toBe(`1 ${dir}/note.ogg sound token= key=k`)
    const placed = await script('echo "$1 $2"')
    expect(await transcriber({ command: [placed, '--in={file}', '-x'] }).transcribe(note(), running())).toBe(
      `--in=${dir}/note.ogg -x`,
    )
  })

  test('that says nothing has heard nothing', async () => {
    expect(await transcriber({ command: [await script('exit 0')] }).transcribe(note(), running())).toBe('')
  })

  test('that fails is named, without its last words', async () => {
    const program = await script('echo "secret path" >&2; exit 3')
    const error = await transcriber({ command: [program] })
      .transcribe(note(), running())
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'TranscribeError', message: expect.stringMatching(/exit code 3$/) })
  })

  test('that is not there is named', async () => {
    await expect(
      transcriber({ command: ['golem-no-such-program'] }).transcribe(note(), running()),
    ).rejects.toThrow(/could not be started/)
  })

  test.each(['time', 'stop'])('that hangs is ended: %s', async (how) => {
    const clock = new FakeClock()
    const pidFile = join(dir, 'pid')
    const program = await script(`trap "" TERM; echo $$ > ${pidFile}; while :; do sleep 0.05; done`)
    const stop = new AbortController()
    const hearing = transcriber({ command: [program], timeout: 5_000 }, clock)
      .transcribe(note(), stop.signal)
      .catch((reason: unknown) => reason)
    let pid = Number.NaN
    while (!(pid > 0)) pid = Number(await readFile(pidFile, 'utf8').catch(() => ''))
    if (how === 'time') clock.advance(5_000)
    else stop.abort()
    let error: unknown
    void hearing.then((reason) => {
      error = reason
    })
    while (error === undefined) {
      clock.advance(STOP_GRACE)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await alive(pid)).toBe(false)
    if (how === 'time') expect(error).toMatchObject({ message: 'it took longer than 5 s' })
  })

  test('that talks without end is cut, in whole characters', async () => {
    const words = await transcriber({
      command: [await script(`head -c 90000 /dev/zero | tr '\\0' 'x'`)],
    }).transcribe(note(), running())
    expect(words).toHaveLength(TRANSCRIPT_CHARACTERS + 4)
    await expect(
      transcriber({ command: [await script('yes')] }).transcribe(note(), running()),
    ).rejects.toThrow(/no text/)
  })
})

describe('a model', () => {
  interface Seen {
    path: string
    authorization: string | undefined
    body: string
  }
  async function server(answer: { status?: number; body: string } | 'hang') {
    const seen: Seen[] = []
    const made = createServer((request: IncomingMessage, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => {
        body += String(chunk)
      })
      request.on('end', () => {
        seen.push({ path: request.url ?? '', authorization: request.headers.authorization, body })
        if (answer === 'hang') return
        response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
        response.end(answer.body)
      })
    })
    servers.push(made)
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
    return { seen, baseUrl: `http://127.0.0.1:${(made.address() as AddressInfo).port}/v1/` }
  }

  test('gets the file, its own name and the language; the key only in a header', async () => {
    const { seen, baseUrl } = await server({ body: '{"text":" 你好， \\n世界 "}' })
    const words = await transcriber({
      model: 'openai-compatible/whisper-large',
      baseUrl,
      apiKey: 'key-123456',
      language: 'zh',
    }).transcribe(note(), running())
    expect(words).toBe('你好， 世界')
    expect(seen).toMatchObject([{ path: '/v1/audio/transcriptions', authorization: 'Bearer key-123456' }])
    for (const part of ['filename="note.ogg"', 'audio/ogg', 'sound', 'whisper-large', 'zh'])
      expect(seen[0]?.body).toContain(part)
    expect(seen[0]?.body).not.toContain('key-123456')
  })

  test('of openai takes its usual variable; a server of one’s own is sent no key of others', async () => {
    const { seen, baseUrl } = await server({ body: '{"text":"x"}' })
    const env = { OPENAI_API_KEY: 'sk-from-environment' }
    await transcriber({ model: 'openai/whisper-1', baseUrl }, realClock, env).transcribe(note(), running())
    await transcriber({ model: 'openai-compatible/w', baseUrl }, realClock, env).transcribe(note(), running())
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer sk-from-environment', undefined])
  })

  test.each([
    [{ status: 401, body: '{"error":"sk-1234"}' }, /does not take the key/],
    [{ status: 429, body: '' }, /too much to do/],
    [{ status: 500, body: '/secret/path' }, /answered 500$/],
    [{ status: 302, body: '' }, /answered 302|could not be reached/],
    [{ body: 'no json' }, /something else/],
    [{ body: '{"words":[]}' }, /something else/],
    [{ body: `{"text":"${'x'.repeat(1_000_001)}"}` }, /something else/],
  ])('%# that answers otherwise is named, without its words', async (answer, message) => {
    const { baseUrl } = await server(answer)
    await expect(
      transcriber({ model: 'openai-compatible/w', baseUrl }).transcribe(note(), running()),
    ).rejects.toThrow(message)
  })

  test('that never answers is given up', async () => {
    const { seen, baseUrl } = await server('hang')
    const clock = new FakeClock()
    const hearing = transcriber({ model: 'openai-compatible/w', baseUrl, timeout: 5_000 }, clock)
      .transcribe(note(), running())
      .catch((reason: unknown) => reason)
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve))
    clock.advance(5_000)
    expect(await hearing).toMatchObject({ message: 'it took longer than 5 s' })
  })

  test('that is not there is named', async () => {
    await expect(
      transcriber({ model: 'openai-compatible/w', baseUrl: 'http://127.0.0.1:1' }).transcribe(
        note(),
        running(),
      ),
    ).rejects.toThrow(/could not be reached/)
  })
})
