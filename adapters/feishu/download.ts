/** Bytes of a message's picture or file. https://open.feishu.cn/document/server-docs/im-v1/message/get-2 */
import { type FileRef, type Millis, PlatformFailure } from '../../src/messaging/contract.js'
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
    if (resource === undefined) throw refused('the file has no id of Feishu')
    const { message, key, type } = resource
    const path = `im/v1/messages/${idPath(message)}/resources/${idPath(key)}`
    const response = await api.open(path, { type })
    if (response.body === null) throw new CallFailed('unreachable', 'download')
    const announced = Number(response.headers.get('content-length') ?? 0)
    if (announced > maxBytes) {
      await response.body.cancel()
      throw tooLarge(announced, maxBytes)
    }
    return bounded(response.body, maxBytes)
  } catch (error) {
    throw failureOf(error, file, now)
  }
}

function failureOf(error: unknown, file: FileRef, now: Millis): PlatformFailure {
  if (error instanceof CallFailed) {
    switch (error.code) {
      case 234001:
      case 234003:
      case 230110:
      case 230011:
        return new PlatformFailure({ kind: 'gone', what: 'target' }, 'the file is not there any more', {
          cause: error,
        })
      case 234037:
        return refused(`the file is larger than the ${DOWNLOAD_BYTES} bytes that Feishu gives out`)
      case 234038:
        return new PlatformFailure({ kind: 'forbidden' }, 'the group lets nobody take files out of it', {
          cause: error,
        })
      case 234043:
        return refused('files in forwarded messages and cards are given to nobody')
      // Nothing was changed by asking.
      case 'unanswered':
        return new PlatformFailure({ kind: 'unreachable' }, error.message, { cause: error })
    }
  }
  const place = { chat: `file ${file.id.slice(0, 60)}` }
  return asFailure(error, { kind: 'typing', place, on: false }, now)
}

function bounded(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > maxBytes) controller.error(tooLarge(bytes, maxBytes))
        else controller.enqueue(chunk)
      },
    }),
  )
}

const refused = (sentence: string): PlatformFailure =>
  new PlatformFailure({ kind: 'invalid', field: 'file' }, sentence)

const tooLarge = (bytes: number, maxBytes: number): PlatformFailure =>
  refused(`the file has ${bytes} bytes, more than the ${maxBytes} that are wanted`)
