/** The edges of HTTP: errors, bounded bodies, JSON. */
import type { ZodType } from 'zod'
import { type RefusalCode, Refused, StoreFailed } from './protocol.js'
import { troubleOf } from './storage.js'

const MOST_JSON = 256 * 1024

/** An answer that is no success. `more` joins the body beside `error`. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly more: Readonly<Record<string, unknown>> = {},
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

const STATUS: Readonly<Record<RefusalCode, number>> = {
  'unknown-room': 404,
  'unknown-message': 404,
  'unknown-file': 404,
  'unknown-button': 409,
  archived: 409,
  'not-yours': 403,
  deleted: 410,
  'key-reused': 409,
  'room-exists': 409,
  'too-many': 409,
}

export function jsonResponse(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  })
}

/** Null for what is nobody's expectation: a defect, to be logged. */
export function errorResponse(error: unknown): Response | null {
  if (error instanceof HttpError) {
    const { status, code, message, headers, more } = error
    return jsonResponse(status, { error: { code, message }, ...more }, headers)
  }
  if (error instanceof Refused) {
    return jsonResponse(STATUS[error.code], { error: { code: error.code, message: error.message } })
  }
  if (error instanceof StoreFailed) {
    const { reason, cure } = troubleOf(error, 'the database of the local rooms')
    const message = `nothing was stored: ${reason}; ${cure}, then send it again`
    return jsonResponse(503, { error: { code: 'storage', message } }, { 'retry-after': '5' })
  }
  return null
}

/** The body as JSON, checked. Its size is limited before a byte of it is kept. */
export async function jsonBody(request: Request, schema: ZodType, optional: boolean): Promise<unknown> {
  const text = (await readAll(request, MOST_JSON)).toString('utf8')
  if (text === '' && optional) return undefined
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json')) {
    // A page of another site can send text/plain and forms without asking first; JSON it cannot.
    throw new HttpError(
      415,
      'not-json',
      `send JSON with "content-type: application/json", not ${type.slice(0, 60)}`,
    )
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new HttpError(
      400,
      'malformed-json',
      text === '' ? 'the body is empty: send JSON' : 'the body is no JSON',
    )
  }
  return check(schema, value, 'the body')
}

/** The parsed value, or a 400 that names the field. */
export function check<Value>(schema: ZodType<Value>, value: unknown, what: string): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.slice(0, 3).map((issue) => {
    const path = issue.path.map(String).join('.')
    return path === '' ? issue.message : `${path}: ${issue.message}`
  })
  throw new HttpError(400, 'invalid', `${what} is not right: ${problems.join('; ')}`)
}

/** Chunks of the body; a 413 as soon as there are more than `max` bytes. */
export async function* bodyChunks(request: Request, max: number): AsyncGenerator<Uint8Array> {
  const tooLarge = () => new HttpError(413, 'too-large', `the body is larger than ${max} bytes`)
  if (Number(request.headers.get('content-length') ?? 0) > max) throw tooLarge()
  if (request.body === null) return
  let bytes = 0
  const chunks = request.body[Symbol.asyncIterator]()
  try {
    for (;;) {
      // A sender who hangs up, or a limit further out: no fault of ours, whatever it is called there.
      const { done, value } = await chunks.next().catch((cause: unknown) => {
        throw new HttpError(400, 'broken-body', 'the body broke off: send it again', {}, {}, { cause })
      })
      if (done) return
      bytes += value.byteLength
      if (bytes > max) throw tooLarge()
      yield value
    }
  } finally {
    // Nobody reads the rest.
    await chunks.return?.().catch(() => {})
  }
}

export async function readAll(request: Request, max: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bodyChunks(request, max)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
