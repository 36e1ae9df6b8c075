/**
 * Uploads. Slack has three requests for one: a place to put the bytes, the bytes, and the message that shows them. The
 * first two can be repeated, nobody sees them; the third makes the message. So whatever fails before it "surely did not
 * happen", and before it is made the file's id is written down durably under the operation's key: after a doubtful third
 * request, also of an earlier life of this process, the chat is looked through for that file.
 * https://docs.slack.dev/messaging/working-with-files#upload
 */
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { type Clock, PlatformFailure, type Receipt, type Upload } from '../../src/messaging/contract.js'
import { CallFailed } from './failures.js'
import { fields, list, nativeId, number, text, timestamp } from './shape.js'
import { threadOf } from './threads.js'
import type { Web } from './web.js'

/** Longer than an operation is ever tried. */
const KEEP = 7 * 24 * 60 * 60_000

export interface Begun {
  key: string
  file: string
  at: number
}

export class Uploader {
  /** File ids by key; null until the journal is read. */
  #begun: Map<string, Begun> | null = null
  #journal: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly web: Web,
    private readonly clock: Clock,
    private readonly file: string,
    private readonly maxBytes: number,
  ) {}

  async upload(op: Upload, key: string, signal: AbortSignal): Promise<Receipt> {
    const bytes = await this.#sizeOf(op)
    const id = await this.#bytesThere(op, bytes, signal)
    await this.#remember({ key, file: id, at: this.clock.now() })
    const thread = threadOf(op)
    const answer = await this.web.call(
      'files.completeUploadExternal',
      {
        files: [{ id, title: op.name }],
        channel_id: op.place.chat,
        ...(thread !== undefined && { thread_ts: thread }),
      },
      { signal },
    )
    const ts = sharedAs(fields(list(answer.files)[0]), op.place.chat)
    return ts === undefined ? { at: this.clock.now() } : { id: ts, at: this.clock.now() }
  }

  /** The file of an upload whose third request was not answered; undefined: that request was never made. */
  async begun(key: string): Promise<Begun | undefined> {
    return (await this.#load()).get(key)
  }

  async #sizeOf(op: Upload): Promise<number> {
    let size: number
    try {
      const found = await stat(op.path)
      if (!found.isFile()) throw new Error('not a file')
      size = found.size
    } catch (error) {
      throw new PlatformFailure({ kind: 'invalid', field: 'file' }, `${op.name} cannot be read`, {
        cause: error,
      })
    }
    if (size === 0)
      throw new PlatformFailure(
        { kind: 'invalid', field: 'file' },
        `${op.name} is empty; Slack takes no empty file`,
      )
    if (size > this.maxBytes) {
      const sentence = `${op.name} has ${size} bytes, more than the ${this.maxBytes} that are posted`
      throw new PlatformFailure({ kind: 'invalid', field: 'file' }, sentence)
    }
    return size
  }

  /** The first two requests: nobody has seen anything yet, so a doubt about them is none. */
  async #bytesThere(op: Upload, bytes: number, signal: AbortSignal): Promise<string> {
    try {
      const place = await this.web.call(
        'files.getUploadURLExternal',
        { filename: op.name, length: bytes },
        { signal },
      )
      const url = text(place.upload_url)
      const id = nativeId(place.file_id)
      if (url === undefined || id === undefined)
        throw new CallFailed('unanswered', 'files.getUploadURLExternal')
      await this.#send(url, op, bytes, signal)
      return id
    } catch (error) {
      const failed = this.web.failed('upload', error)
      throw failed.code === 'unanswered'
        ? new CallFailed('unreachable', failed.method, { ...failed.details, cause: failed })
        : failed
    }
  }

  async #send(url: string, op: Upload, bytes: number, signal: AbortSignal): Promise<void> {
    const body = Readable.toWeb(createReadStream(op.path)) as ReadableStream<Uint8Array>
    // The address carries its own right; the token has no business there.
    const response = await this.web.request(url, { method: 'POST', authorized: false, body, bytes, signal })
    await response.body?.cancel()
    if (response.status !== 200)
      throw new CallFailed('unreachable', 'upload', { reason: `status ${response.status}` })
  }

  async #load(): Promise<Map<string, Begun>> {
    if (this.#begun !== null) return this.#begun
    const begun = new Map<string, Begun>()
    const written = await readFile(this.file, 'utf8').catch(() => '')
    const oldest = this.clock.now() - KEEP
    for (const line of written.split('\n')) {
      const entry = entryOf(line)
      if (entry !== undefined && entry.at >= oldest) begun.set(entry.key, entry)
    }
    this.#begun ??= begun
    return this.#begun
  }

  /** Durable when it resolves: the third request comes after it. */
  async #remember(entry: Begun): Promise<void> {
    const begun = await this.#load()
    begun.set(entry.key, entry)
    const oldest = this.clock.now() - KEEP
    for (const [key, { at }] of begun) if (at < oldest) begun.delete(key)
    const written = this.#journal.then(() => writeDurably(this.file, [...begun.values()]))
    this.#journal = written.catch(() => undefined)
    await written
  }
}

async function writeDurably(file: string, entries: readonly Begun[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.new`
  const handle = await open(fresh, 'w', 0o600)
  try {
    await handle.writeFile(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, file)
  const folder = await open(dirname(file), 'r')
  await folder.sync().finally(() => folder.close())
}

function entryOf(line: string): Begun | undefined {
  try {
    const entry = fields(JSON.parse(line))
    const key = text(entry.key)
    const file = nativeId(entry.file)
    const at = number(entry.at)
    return key === undefined || file === undefined || at === undefined ? undefined : { key, file, at }
  } catch {
    return undefined
  }
}

/** `shares.public.C1[0].ts`: the message that shows a file. It may come a moment after the file. */
function sharedAs(file: Record<string, unknown>, channel: string): string | undefined {
  const shares = fields(file.shares)
  for (const kind of ['public', 'private']) {
    const ts = timestamp(fields(list(fields(shares[kind])[channel])[0]).ts)
    if (ts !== undefined) return ts
  }
  return undefined
}
