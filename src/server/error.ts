/** The two exceptions of this layer: one that ends a start, one that ends a request. */

export type ServerErrorCode =
  | 'port-in-use'
  | 'port-forbidden'
  | 'port-invalid'
  | 'host-unknown'
  | 'open-to-network'
  | 'bad-token'
  | 'listen'

/** The server could not start. `message` is one sentence with the cure. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  constructor(
    readonly code: ServerErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options)
  }
}

/** An answer other than 2xx, thrown from wherever it is noticed. `message` is shown to the client. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 414 | 415 | 417 | 429 | 431 | 500 | 503,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/** The one shape of every error: `{error: {code, message}}`. */
export function errorBody(code: string, message: string): { error: { code: string; message: string } } {
  return { error: { code, message } }
}

export function errorResponse(error: HttpError): Response {
  return Response.json(errorBody(error.code, error.message), { status: error.status, headers: error.headers })
}

/** Said for everything that is our own fault; the reason is in the log and nowhere else. */
export const INTERNAL = new HttpError(
  500,
  'internal',
  "Golem could not answer this request; the daemon's log says why.",
)
