/** A file on its way in: no more of it than is wanted, whatever its host announces. */
import { PlatformFailure } from '../src/messaging/contract.js'

/** @throws PlatformFailure where the body is announced to be larger than `maxBytes`; the stream fails where it becomes so */
export async function boundedBody(
  body: ReadableStream<Uint8Array>,
  announced: string | null,
  maxBytes: number,
): Promise<ReadableStream<Uint8Array>> {
  const size = Number(announced ?? 0)
  if (size > maxBytes) {
    await body.cancel()
    throw tooLarge(size, maxBytes)
  }
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

/** A file that cannot be had, and asking again changes nothing. */
export function refusedFile(sentence: string): PlatformFailure {
  return new PlatformFailure({ kind: 'invalid', field: 'file' }, sentence)
}

export function tooLarge(bytes: number, maxBytes: number): PlatformFailure {
  return refusedFile(`the file has ${bytes} bytes, more than the ${maxBytes} that are wanted`)
}
