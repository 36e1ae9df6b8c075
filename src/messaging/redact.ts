/**
 * Keeps secrets out of logs, receipts, prompts and posts: by the values that golem.yaml and the environment brought, in
 * every form in which they travel, and by the shapes that tokens have.
 */
import type { Logger } from './ambient.js'

/** What stands in a secret's place. */
export const REDACTED = '[redacted]'
/** Shorter values are no secrets worth the name: they would black out ordinary words. */
export const SECRET_CHARACTERS = 6
/** How far a chain of causes is followed. */
const CAUSES = 8
const DEPTH = 12

/**
 * Shapes of tokens, with what must stand in front of them kept. Each with a hint that is quick to look for: most texts
 * hold none, and a shape is slow on megabytes.
 */
const SHAPES: readonly { hint: RegExp; shape: RegExp }[] = [
  {
    hint: /-----BEGIN/,
    shape: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  },
  // Slack
  { hint: /xox/, shape: /\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{6,}/g },
  { hint: /xapp-/, shape: /\bxapp-[A-Za-z0-9-]{6,}/g },
  {
    hint: /hooks\.slack/,
    shape: /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_-]{8,}/g,
  },
  // Telegram; the colon may be URL-encoded
  { hint: /bot\d/i, shape: /(?<=\bbot)\d{5,12}(?::|%3A)[A-Za-z0-9_-]{16,}/gi },
  { hint: /\d(?::|%3A)\w/i, shape: /\b\d{6,12}(?::|%3A)[A-Za-z0-9_-]{30,}/gi },
  // Discord
  {
    hint: /\.[\w-]{6,7}\.[\w-]{27}/,
    shape: /\b[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}/g,
  },
  {
    hint: /api\/webhooks/,
    shape: /(?<=discord(?:app)?\.com\/api\/webhooks\/\d{1,25}\/)[A-Za-z0-9_-]{16,}/g,
  },
  // Model providers and code hosts
  { hint: /sk-/, shape: /\bsk-(?=[\w-]*\d)[A-Za-z0-9_-]{16,}/g },
  { hint: /gh[pousr]_/, shape: /\bgh[pousr]_[A-Za-z0-9]{20,}/g },
  { hint: /github_pat_/, shape: /\bgithub_pat_[A-Za-z0-9_]{20,}/g },
  { hint: /glpat-/, shape: /\bglpat-[A-Za-z0-9_-]{16,}/g },
  { hint: /npm_/, shape: /\bnpm_[A-Za-z0-9]{30,}/g },
  { hint: /AIza/, shape: /\bAIza[A-Za-z0-9_-]{30,}/g },
  { hint: /AKIA|ASIA/, shape: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { hint: /eyJ/, shape: /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g },
  // Golem's own, by which a turn's tools are reached
  { hint: /gmcp_/, shape: /\bgmcp_[A-Za-z0-9_-]{16,}/g },
  // Headers and URLs
  {
    hint: /authorization/i,
    shape:
      /(?<=\bauthorization["']?\s{0,3}[:=]\s{0,3}["']?(?:(?:bearer|basic|bot|token)\s{1,3})?)[A-Za-z0-9._~+/=:-]{6,}/gi,
  },
  { hint: /bearer\s/i, shape: /(?<=\bbearer\s{1,3})[A-Za-z0-9._~+/=-]{16,}/gi },
  {
    hint: /:\/\/[^\s/:@]{0,100}:/,
    shape: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)/gi,
  },
  {
    hint: /[?&][a-z_]+=/i,
    shape:
      /(?<=[?&](?:access_token|refresh_token|token|api_?key|key|secret|client_secret|app_secret|signature|sig|password)=)[^\s&#"'<>]{4,}/gi,
  },
]

/** The start of a token whose rest may not have arrived yet. */
const OPEN_SHAPE =
  /(?:xox[a-z]-|xapp-|\bsk-|\bgh[pousr]_|github_pat_|glpat-|gmcp_|\bAIza|\bAKIA|\bASIA|\beyJ|\b\d{6,12}(?::|%3A)|-----BEGIN)[^\s]*$/i
/** No token whose shape is known is longer; what is before that is whole. */
const OPEN_LENGTH = 2_000
/** A known secret's first characters are held back from this length on. */
const OPEN_CHARACTERS = 4

export interface Redactor {
  /** The text without secrets. */
  text(text: string): string
  /** The text so far of a longer one: as {@link text}, without an end that may be the start of a secret. */
  partial(text: string): string
  /** An error with its causes, on one line; code and operation stay readable. */
  error(error: unknown): string
  /** Plain data of any shape, e.g. the fields of a log line. Errors become plain objects. */
  value(value: unknown): unknown
}

/** @param secrets values from configuration and environment; those under {@link SECRET_CHARACTERS} are left out */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const known = forms(secrets)

  function text(input: string): string {
    let output = input
    for (const form of known) if (output.includes(form)) output = output.replaceAll(form, REDACTED)
    for (const { hint, shape } of SHAPES) if (hint.test(output)) output = output.replace(shape, REDACTED)
    return output
  }

  function partial(input: string): string {
    const output = text(input)
    let cut = output.length
    for (const form of known) {
      for (let length = Math.min(form.length - 1, output.length); length >= OPEN_CHARACTERS; length -= 1) {
        if (!output.endsWith(form.slice(0, length))) continue
        cut = Math.min(cut, output.length - length)
        break
      }
    }
    const edge = Math.max(0, cut - OPEN_LENGTH)
    return output.slice(0, edge) + output.slice(edge, cut).replace(OPEN_SHAPE, '')
  }

  function error(value: unknown): string {
    return text(chain(value).join(': '))
  }

  function plain(value: unknown, depth: number, seen: ReadonlySet<object>): unknown {
    if (typeof value === 'string') return text(value)
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value) || depth > DEPTH) return '[…]'
    if (value instanceof Date || ArrayBuffer.isView(value)) return value
    const inside = new Set([...seen, value])
    if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1, inside))
    const entries = Object.entries(value).map(([key, item]) => [text(key), plain(item, depth + 1, inside)])
    if (!(value instanceof Error)) return Object.fromEntries(entries)
    return {
      type: value.name,
      message: text(value.message),
      stack: text(value.stack ?? ''),
      ...Object.fromEntries(entries),
      ...(value.cause === undefined ? {} : { cause: plain(value.cause, depth + 1, inside) }),
    }
  }

  return { text, partial, error, value: (value) => plain(value, 0, new Set()) }
}

/** A log whose lines hold no secrets, neither in their words nor in their fields. */
export function redactingLogger(log: Logger, redactor: Redactor): Logger {
  const fields = (given: object): object => redactor.value(given) as object
  return {
    debug: (given, message) => log.debug(fields(given), redactor.text(message)),
    info: (given, message) => log.info(fields(given), redactor.text(message)),
    warn: (given, message) => log.warn(fields(given), redactor.text(message)),
    error: (given, message) => log.error(fields(given), redactor.text(message)),
  }
}

/** Every form in which a secret may appear, longest first, so that no form leaves the rest of a longer one behind. */
function forms(secrets: Iterable<string>): string[] {
  const all = new Set<string>()
  for (const secret of secrets) {
    if (secret.trim().length < SECRET_CHARACTERS) continue
    const encoded = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\uFFFD'))
    const bytes = Buffer.from(secret)
    all.add(secret)
    all.add(encoded)
    all.add(encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
    all.add(JSON.stringify(secret).slice(1, -1))
    all.add(bytes.toString('base64'))
    all.add(bytes.toString('base64url'))
  }
  return [...all].sort((a, b) => b.length - a.length)
}

function chain(error: unknown, depth = 0): string[] {
  if (depth > CAUSES) return []
  if (!(error instanceof Error))
    return [typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error))]
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const own = code !== '' && !error.message.includes(code) ? `${error.message} (${code})` : error.message
  const several =
    error instanceof AggregateError ? error.errors.flatMap((item: unknown) => chain(item, depth + 1)) : []
  return [own, ...several, ...(error.cause === undefined ? [] : chain(error.cause, depth + 1))].filter(
    (part) => part !== '',
  )
}
