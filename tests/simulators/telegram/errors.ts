/** What the Bot API says when it refuses (https://core.telegram.org/bots/api#making-requests, #responseparameters). */

export interface ErrorParameters {
  migrate_to_chat_id?: number
  /** Seconds. */
  retry_after?: number
}

/** A refusal in the platform's own shape: `{ok: false, error_code, description, parameters}`. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    readonly description: string,
    readonly parameters?: ErrorParameters,
  ) {
    super(description)
  }

  body(): Record<string, unknown> {
    return {
      ok: false,
      error_code: this.code,
      description: this.description,
      ...(this.parameters && { parameters: this.parameters }),
    }
  }
}

export const badRequest = (what: string): ApiError => new ApiError(400, `Bad Request: ${what}`)
export const forbidden = (what: string): ApiError => new ApiError(403, `Forbidden: ${what}`)
export const conflict = (what: string): ApiError => new ApiError(409, `Conflict: ${what}`)
export const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized')
export const notFound = (): ApiError => new ApiError(404, 'Not Found')
export const unknownMethod = (): ApiError => new ApiError(404, 'Not Found: method not found')
/** Bodies over 50 MB: https://core.telegram.org/bots/api#sending-files */
export const tooLarge = (): ApiError => new ApiError(413, 'Request Entity Too Large')

/** The wait is given in whole seconds, rounded up. */
export function tooMany(waitMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new ApiError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })
}

const WORDS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  409: 'Conflict',
}

/** A refusal on demand: a number is an error code, a word a reason of the server's own. */
export function refusal(code: string | number, description: string | undefined): ApiError {
  if (typeof code === 'string') return new ApiError(400, description ?? `Bad Request: ${code}`)
  return new ApiError(code, description ?? WORDS[code] ?? 'Internal Server Error')
}
