/** Files that people sent: `getFile`, then the bytes. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { type Clock, type FileRef, PlatformFailure } from '../../src/messaging/contract.js'
import { type Api, ApiError, isUnauthorized } from './api.js'
import { DOWNLOAD_BYTES } from './limits.js'
import { dict, int, text } from './raw.js'
import { TransportError } from './transport.js'

/** A download that brings nothing for so long is dead. */
const STALL_MS = 30_000

/** The file's bytes. @throws PlatformFailure also while it is read, when there are more of them than `maxBytes` */
export async function fetchFile(api: Api, clock: Clock, file: FileRef, maxBytes: number): Promise<Readable> {
  const what = `the file ${file.name}`
  const tooLarge = (bytes: number | string) =>
    new PlatformFailure(
      { kind: 'invalid', field: 'file' },
      `${what} has ${bytes} bytes, more than the ${maxBytes} that are wanted`,
    )
  if ((file.bytes ?? 0) > maxBytes) throw tooLarge(file.bytes ?? 0)
  let answer: IncomingMessage
  try {
    const found = dict(await api.call('getFile', { file_id: file.id }))
    const path = text(found?.file_path)
    const bytes = int(found?.file_size) ?? 0
    if (bytes > maxBytes) throw tooLarge(bytes)
    if (path === undefined || !isPlain(path))
      throw new PlatformFailure({ kind: 'gone', what: 'target' }, `${what} is not kept any more`)
    answer = await api.download(path)
  } catch (error) {
    throw failureOf(error, what, clock)
  }
  if (answer.statusCode !== 200) {
    answer.resume()
    const status = answer.statusCode ?? 0
    const failure =
      status === 404 ? ({ kind: 'gone', what: 'target' } as const) : ({ kind: 'unreachable' } as const)
    throw new PlatformFailure(failure, `${what} could not be fetched (HTTP status ${status})`)
  }
  return Readable.from(limited(answer, maxBytes, tooLarge, what), { objectMode: false })
}

/** A path below the server's own folder, as `getFile` gives it: it goes into an address as it is. */
function isPlain(path: string): boolean {
  return /^[\w.-]+(?:\/[\w.-]+)*$/.test(path) && !path.split('/').some((part) => /^\.+$/.test(part))
}

/** The bytes, until there are too many of them or no more come. */
async function* limited(
  answer: IncomingMessage,
  maxBytes: number,
  tooLarge: (bytes: string) => PlatformFailure,
  what: string,
): AsyncGenerator<Buffer> {
  let size = 0
  answer.setTimeout(STALL_MS, () => answer.destroy(new Error('no more bytes came')))
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(`at least ${size}`)
      yield chunk
    }
  } catch (error) {
    if (error instanceof PlatformFailure) throw error
    const message = `${what}: the connection broke after ${size} bytes`
    throw new PlatformFailure({ kind: 'unreachable' }, message, { cause: error })
  }
}

function failureOf(error: unknown, what: string, clock: Clock): PlatformFailure {
  if (error instanceof PlatformFailure) return error
  const message = `${what}: ${error instanceof Error ? error.message : 'failed'}`
  if (error instanceof ApiError) {
    if (error.status === 429) {
      const retryAt = clock.now() + (error.parameters.retryAfter ?? 1) * 1_000
      return new PlatformFailure({ kind: 'rate-limited', retryAt, scope: 'kind' }, message, { cause: error })
    }
    if (isUnauthorized(error)) return new PlatformFailure({ kind: 'unauthorized' }, message)
    if (/too big/i.test(error.description)) {
      const sentence = `${what} is larger than the ${DOWNLOAD_BYTES} bytes that Telegram lets a bot fetch`
      return new PlatformFailure({ kind: 'invalid', field: 'file' }, sentence, { cause: error })
    }
    if (error.status < 500)
      return new PlatformFailure({ kind: 'gone', what: 'target' }, message, { cause: error })
  }
  const known = error instanceof TransportError || error instanceof ApiError
  return new PlatformFailure({ kind: 'unreachable' }, known ? message : `${what} could not be fetched`, {
    cause: error,
  })
}
