/** Bytes of a message's picture or file. https://open.feishu.cn/document/server-docs/im-v1/message/get-2 */
import { type FileRef, type Millis, PlatformFailure } from '../../src/messaging/contract.js'
import { boundedBody, refusedFile } from '../bounded-body.js'
import { type Api, idPath } from './api.js'
import { asFailure, CallFailed } from './failures.js'
import { resourceOf } from './file-id.js'
import { DOWNLOAD_BYTES } from './limits.js'

export async function download(
  api: Api,
  file: FileRef,
  maxBytes: number,
  now: Millis,
): Promise<ReadableStream<Uint8Array>> {
  try {
    const resource = resourceOf(file.id)
    if (resource === undefined) throw refusedFile('the file has no id of Feishu')
    const { message, key, type } = resource
    const path = `im/v1/messages/${idPath(message)}/resources/${idPath(key)}`
    const response = await api.open(path, { type })
    if (response.body === null) throw new CallFailed('unreachable', 'download')
    return await boundedBody(response.body, response.headers.get('content-length'), maxBytes)
  } catch (error) {
    throw failureOf(error, file, now)
  }
}

/** The file is not of this message, or the message is gone. */
const GONE: ReadonlySet<number> = new Set([234001, 234003, 230110, 230011])
const REFUSED: ReadonlyMap<number, string> = new Map([
  [234037, `the file is larger than the ${DOWNLOAD_BYTES} bytes that Feishu gives out`],
  [234043, 'files in forwarded messages and cards are given to nobody'],
])

function failureOf(error: unknown, file: FileRef, now: Millis): PlatformFailure {
  if (error instanceof CallFailed) {
    // Nothing was changed by asking.
    if (error.code === 'unanswered')
      return new PlatformFailure({ kind: 'unreachable' }, error.message, { cause: error })
    if (typeof error.code === 'number') {
      if (GONE.has(error.code))
        return new PlatformFailure({ kind: 'gone', what: 'target' }, 'the file is not there any more', {
          cause: error,
        })
      if (error.code === 234038)
        return new PlatformFailure({ kind: 'forbidden' }, 'the group lets nobody take files out of it', {
          cause: error,
        })
      const why = REFUSED.get(error.code)
      if (why !== undefined) return refusedFile(why)
    }
  }
  const place = { chat: `file ${file.id.slice(0, 60)}` }
  return asFailure(error, { kind: 'typing', place, on: false }, now)
}
