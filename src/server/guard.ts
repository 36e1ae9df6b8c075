/**
 * What a request must look like before anything parses its URL. Runs on the raw request line and headers, so that no
 * odd form can reach a parser that throws, or mean one path to the check and another to the route.
 */
import type { IncomingMessage } from 'node:http'
import { hostName } from './address.js'
import { HttpError } from './error.js'

const LONGEST_TARGET = 8_192
const BAD = 'bad-request'

/** What {@link checkRequest} reads of a request. */
export type RawRequest = Pick<IncomingMessage, 'url' | 'headers' | 'rawHeaders'>

/** Printable ASCII without blanks, quotes, backslashes and "#": all that a request may hold unescaped. */
const TARGET = /^\/(?!\/)[!$-[\]-~]*$/

function checkTarget(target: string): void {
  if (target.length > LONGEST_TARGET)
    throw new HttpError(414, 'uri-too-long', `The address is longer than ${LONGEST_TARGET} characters.`)
  if (!TARGET.test(target))
    throw new HttpError(400, BAD, 'The request must name a path that begins with one "/".')
  const path = target.split('?', 1)[0] ?? ''
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    throw new HttpError(400, BAD, 'The path holds a "%" that is not followed by valid UTF-8 in hexadecimal.')
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f\\]/.test(decoded))
    throw new HttpError(400, BAD, 'The path holds a control character or a backslash.')
  if (decoded.split('/').some((segment) => segment === '.' || segment === '..'))
    throw new HttpError(400, BAD, 'The path must not hold "." or ".." segments.')
}

function count(rawHeaders: readonly string[], name: string): number {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === name) found++
  return found
}

/**
 * Throws an {@link HttpError} for a request that is malformed or meant for another host.
 *
 * @param cure what to do about a foreign name
 * @param ours whether this server answers to a name; not asked for webhooks, which arrive by a tunnel's name
 */
export function checkRequest(request: RawRequest, ours: (name: string) => boolean, cure: string): void {
  const target = request.url ?? ''
  checkTarget(target)
  const { host } = request.headers
  if (host === undefined || count(request.rawHeaders, 'host') !== 1)
    throw new HttpError(400, BAD, 'The request needs exactly one Host header.')
  const name = hostName(host)
  if (name === null) throw new HttpError(400, BAD, 'The Host header is not a host name.')
  if (!ours(name) && !target.startsWith('/webhooks/'))
    throw new HttpError(
      403,
      'foreign-host',
      `This server does not answer to the host name "${name}"; ${cure}.`,
    )
}

/**
 * Refuses what another site's page sends. Browsers put `Origin` on every request that changes something and on every
 * cross-site read by script; there is no CORS here, so only our own pages may send one at all.
 */
export function checkOrigin(headers: Headers, path: string): void {
  const origin = headers.get('origin')
  const webhook = path.startsWith('/webhooks/')
  if (origin !== null && (webhook || !sameHost(origin, headers.get('host'))))
    throw new HttpError(403, 'foreign-origin', 'Pages of other sites may not talk to this server.')
  const site = headers.get('sec-fetch-site')
  if (path.startsWith('/api/') && (site === 'cross-site' || site === 'same-site'))
    throw new HttpError(403, 'foreign-origin', 'Pages of other sites may not talk to this server.')
}

/** The scheme is not compared: a proxy may speak TLS to the browser and plain HTTP to us. */
function sameHost(origin: string, host: string | null): boolean {
  if (host === null) return false
  try {
    const { protocol, host: from } = new URL(origin)
    if (protocol !== 'http:' && protocol !== 'https:') return false
    return from === new URL(`${protocol}//${host}`).host
  } catch {
    return false
  }
}
