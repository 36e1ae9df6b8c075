/** Headers of every answer: what a browser may do with it. */

/** Scripts and styles from our own files only. Style attributes are allowed: the UI kit positions with them. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "media-src 'self' blob:",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Data is no page: a file that somebody uploaded and somebody opens runs nothing in our name. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

const COMMON: readonly [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['x-frame-options', 'DENY'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['permissions-policy', 'camera=(), geolocation=(), microphone=()'],
]

/** Whether a path answers with data of people rather than with the console's own files. */
export function isData(path: string): boolean {
  return path === '/health' || path === '/mcp' || path.startsWith('/api/') || path.startsWith('/webhooks/')
}

/** Every header of an answer under `path`, to be set over whatever the handler set. */
export function securityHeaders(path: string): readonly [string, string][] {
  return [...COMMON, ['content-security-policy', isData(path) ? DATA_POLICY : PAGE_POLICY]]
}
