/** One place that talks to the daemon: JSON in, JSON out, and errors a person can read. */

/** What went wrong with a request. `status` 0: the daemon was not reached at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Id of the message that was stored in spite of the error. */
    readonly stored: string | null = null,
  ) {
    super(message)
  }
}

const UNREACHED = 'Golem cannot be reached. Is the daemon running? Nothing was lost: try again.'

/** Reads `{error: {code, message}}`; anything else becomes a sentence with the status in it. */
export function errorFrom(status: number, body: unknown): ApiError {
  if (typeof body === 'object' && body !== null && 'error' in body) {
    const { error } = body
    if (
      typeof error === 'object' &&
      error !== null &&
      'message' in error &&
      typeof error.message === 'string'
    ) {
      const code = 'code' in error && typeof error.code === 'string' ? error.code : 'error'
      const stored = 'id' in body && typeof body.id === 'string' ? body.id : null
      return new ApiError(status, code, error.message, stored)
    }
  }
  return new ApiError(status, 'error', `Golem answered with status ${status} and no reason.`)
}

let onUnauthorized: () => void = () => {}

/** Called whenever the daemon answers 401. Returns its own undo. */
export function whenUnauthorized(run: () => void): () => void {
  onUnauthorized = run
  return () => {
    onUnauthorized = () => {}
  }
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  json?: unknown
  body?: BodyInit
  headers?: Record<string, string>
  signal?: AbortSignal
  /** The log-in form itself asks: a 401 is then its answer and not a reason to show the form. */
  loggingIn?: boolean
}

async function parse(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * Asks the daemon. Rejects with {@link ApiError} only, or with the signal's own reason when it was aborted.
 * The answer's shape is the caller's claim: it is described by the same schemas on the other side.
 */
export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers }
  if (options.json !== undefined) headers['content-type'] = 'application/json'
  const body = options.json === undefined ? options.body : JSON.stringify(options.json)
  let response: Response
  try {
    response = await fetch(path, {
      method: options.method ?? 'GET',
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new ApiError(0, 'unreachable', UNREACHED)
  }
  const answer = await parse(response)
  if (response.ok) return answer as Answer
  if (response.status === 401 && !options.loggingIn) onUnauthorized()
  throw errorFrom(response.status, answer)
}

/** The sentence to show for whatever was thrown. */
export function sentence(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'Something went wrong.'
}
