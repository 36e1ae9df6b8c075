import { mkdir, open, realpath, rm } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { FileRef } from '../../messaging/contract.js'
import { size } from '../bytes.js'
import { uniqueName } from './names.js'
import { FILE_BYTES } from './outgoing.js'

/** Files of one turn that are fetched. */
export const FETCHED_PER_TURN = 20

export interface FetchedFile {
  name: string
  /** Absolute. */
  path: string
  mime?: string
  /** Its place among the files that were asked for. */
  index?: number
  /** Told to the agent beside its name: what was made of it. */
  remark?: string
}

export interface Incoming {
  files: FetchedFile[]
  /** Named to the agent, so that it knows of them. */
  missing: { name: string; why: string }[]
}

export interface FetchOptions {
  files: readonly FileRef[]
  /** Working folder of the turn. */
  cwd: string
  turn: number
  download(file: FileRef, maxBytes: number): Promise<ReadableStream<Uint8Array>>
  signal: AbortSignal
  maxBytes?: number
  /** For the log; the agent is told no details of a failed download. */
  failed(name: string, error: unknown): void
}

/**
 * People's files into the turn's own folder, under names that are safe and unique: `<cwd>/files/<turn>/`. A file that
 * cannot be had is named and the turn goes on.
 */
export async function fetchFiles(options: FetchOptions): Promise<Incoming> {
  const { files, cwd, turn, signal, maxBytes = FILE_BYTES } = options
  const result: Incoming = { files: [], missing: [] }
  if (files.length === 0) return result
  const taken = new Set<string>()
  const folder = join(cwd, 'files', String(turn))
  const usable = await prepare(cwd, folder)
  for (const [index, file] of files.entries()) {
    if (signal.aborted) return result
    const name = uniqueName(file.name, taken)
    const why = !usable
      ? 'its folder could not be made'
      : index >= FETCHED_PER_TURN
        ? `only the first ${FETCHED_PER_TURN} files are fetched`
        : (file.bytes ?? 0) > maxBytes
          ? `it is larger than ${size(maxBytes)}`
          : await fetchOne(file, join(folder, name), maxBytes, options)
    if (why === null) {
      result.files.push({
        name,
        path: join(folder, name),
        index,
        ...(file.mime === undefined ? {} : { mime: file.mime }),
      })
    } else {
      result.missing.push({ name, why })
    }
  }
  return result
}

async function fetchOne(
  file: FileRef,
  path: string,
  maxBytes: number,
  { download, signal, failed }: FetchOptions,
): Promise<string | null> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const stop = (): void => void reader?.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  try {
    reader = (await untilAborted(download(file, maxBytes), signal)).getReader()
    const target = await open(path, 'wx', 0o600)
    try {
      let total = 0
      for (;;) {
        const { done, value } = await untilAborted(reader.read(), signal)
        if (done) return null
        total += value.length
        if (total > maxBytes) {
          await rm(path, { force: true })
          return `it is larger than ${size(maxBytes)}`
        }
        await target.writeFile(value)
      }
    } finally {
      await target.close()
    }
  } catch (error) {
    await rm(path, { force: true }).catch(() => {})
    if (!signal.aborted) failed(file.name, error)
    return 'it could not be fetched'
  } finally {
    signal.removeEventListener('abort', stop)
    void reader?.cancel().catch(() => {})
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new Error('stopped'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Makes the folder, empty. A link that an agent put in its way leads nowhere. */
async function prepare(cwd: string, folder: string): Promise<boolean> {
  try {
    const parent = join(cwd, 'files')
    await mkdir(parent, { recursive: true })
    const way = relative(await realpath(cwd), await realpath(parent))
    if (way === '..' || way.startsWith(`..${sep}`)) return false
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { mode: 0o700 })
    return true
  } catch {
    return false
  }
}
