/** How large a request may be and what it may be made of. */
import { HttpError } from './error.js'

/** JSON of any route. */
export const BODY_BYTES = 256 * 1024
/** Events of platforms: larger than anything they are known to send. */
export const WEBHOOK_BYTES = 1024 * 1024

/** Paths of platforms that take a file as it is, whatever its type. */
const UPLOADS = /\/files$/

const CHANGES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

function mediaType(headers: Headers): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function hasBody(headers: Headers): boolean {
  return headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0'
}

/** Whether the body is a file: `POST .../files`. */
export function isUpload(method: string, path: string): boolean {
  return method === 'POST' && UPLOADS.test(path)
}

/**
 * Requests that change something must say `application/json`: a form on another site cannot, and a script there would
 * have to ask first (and be refused). A DELETE without a body, which no form can send, needs no type.
 */
export function checkType(method: string, headers: Headers): void {
  if (!CHANGES.has(method) || mediaType(headers) === 'application/json') return
  if (method === 'DELETE' && !hasBody(headers)) return
  throw new HttpError(415, 'unsupported-media-type', 'Send this with "Content-Type: application/json".')
}

function tooLarge(max: number): HttpError {
  return new HttpError(
    413,
    'too-large',
    `The request is larger than ${max} bytes, the most this path takes.`,
    {
      connection: 'close',
    },
  )
}

export interface Limited {
  request: Request
  /** Throws 413 when the body turned out to be too long, whatever its reader made of the broken stream. */
  check(): void
}

/** A request whose body cannot be read past `max` bytes, however its length is (or is not) declared. */
export function limitBody(request: Request, max: number): Limited {
  const declared = request.headers.get('content-length')
  if (declared !== null) {
    if (Number(declared) > max) throw tooLarge(max)
    return { request, check: () => {} } // node itself cuts a body at its declared length
  }
  if (!request.headers.has('transfer-encoding') || request.body === null) return { request, check: () => {} }
  let seen = 0
  let exceeded: HttpError | null = null
  const counted = request.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength
        if (seen > max) {
          exceeded = tooLarge(max)
          controller.error(exceeded)
        } else controller.enqueue(chunk)
      },
    }),
  )
  const init: RequestInit & { duplex: 'half' } = {
    method: request.method,
    headers: request.headers,
    body: counted,
    signal: request.signal,
    duplex: 'half',
  }
  return {
    request: new Request(request.url, init),
    check: () => {
      if (exceeded !== null) throw exceeded
    },
  }
}
