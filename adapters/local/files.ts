/** The bytes of uploaded files: one file each, under a generated id. Names are data in the database, never paths. */
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'

const ID = /^[a-f0-9]{32}$/

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge'
  constructor(readonly max: number) {
    super(`the file is larger than ${max} bytes`)
  }
}

export class Files {
  constructor(private readonly dir: string) {}

  newId(): string {
    return randomBytes(16).toString('hex')
  }

  /** Durable when it resolves. Nothing stays behind when it rejects. Returns the size. */
  async save(id: string, chunks: AsyncIterable<Uint8Array>, max: number): Promise<number> {
    const path = this.#path(id)
    await mkdir(this.dir, { recursive: true })
    const part = `${path}.part`
    const handle = await open(part, 'w', 0o600)
    try {
      let bytes = 0
      for await (const chunk of chunks) {
        bytes += chunk.byteLength
        if (bytes > max) throw new FileTooLarge(max)
        await handle.writeFile(chunk)
      }
      await handle.sync()
      await handle.close()
      await rename(part, path)
      return bytes
    } catch (error) {
      await handle.close().catch(() => {})
      await rm(part, { force: true }).catch(() => {})
      throw error
    }
  }

  /** Takes a copy of a file of this machine. */
  async take(id: string, from: string, max: number): Promise<number> {
    const info = await stat(from)
    if (!info.isFile()) throw new Error(`${from} is no file`)
    if (info.size > max) throw new FileTooLarge(max)
    return this.save(id, createReadStream(from), max)
  }

  async read(id: string): Promise<ReadableStream<Uint8Array>> {
    const handle = await open(this.#path(id), 'r')
    return Readable.toWeb(handle.createReadStream()) as ReadableStream<Uint8Array>
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await rm(this.#path(id), { force: true })
  }

  #path(id: string): string {
    if (!ID.test(id)) throw new Error('a file id is 32 hexadecimal digits')
    return join(this.dir, id)
  }
}

/** Never a path, never a line break, never hidden; what a person called the file otherwise. */
export function safeFileName(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? ''
  const clean = Buffer.from(base, 'utf8')
    .toString('utf8')
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069"]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\.+/, '')
  const characters = Array.from(clean)
  if (characters.length === 0) return 'file'
  if (characters.length <= 120) return clean
  const dot = clean.lastIndexOf('.')
  const ending = dot > 0 && clean.length - dot <= 12 ? clean.slice(dot) : ''
  return characters.slice(0, 120 - ending.length).join('') + ending
}

const BY_ENDING: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  zip: 'application/zip',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
}
/** What a browser would run. It is kept and given out as plain bytes. */
const ACTIVE = /html|xml|svg|javascript|ecmascript|css|wasm|xsl/

/** What programs say when they do not know, such as `curl --data-binary`. */
const GENERIC: ReadonlySet<string> = new Set([
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'text/plain',
])

/** The type a file is given out with. */
export function safeMime(stated: string | null | undefined, name: string): string {
  const plain = (stated ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const meant = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,80}$/.test(plain) && !GENERIC.has(plain) ? plain : ''
  const mime =
    meant || (BY_ENDING[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? (plain === 'text/plain' ? plain : ''))
  return mime === '' || ACTIVE.test(mime) ? 'application/octet-stream' : mime
}
