/** HTTP with an own pool of connections, and what it means when a request came to nothing. */
import type { Dispatcher } from 'undici'

/** Where another SDK in this process replaces the global dispatcher, this one stays. */
export function dispatcherOf(undici: typeof import('undici'), proxy: string | undefined): Dispatcher {
  const connect = { timeout: 8_000 }
  return proxy === undefined
    ? new undici.Agent({ connect })
    : new undici.ProxyAgent({ uri: proxy, requestTls: connect, proxyTls: connect })
}

/** Codes of a connection that did not come about: nothing was written. */
const BEFORE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

export function neverArrived(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    const { code, message } = at as NodeJS.ErrnoException
    if (code !== undefined && BEFORE.has(code)) return true
    // The proxy did not let the request through, or `fetch` did not because of the port.
    if (/Proxy response \(\d+\)|^bad port$/.test(message)) return true
    if (at instanceof AggregateError && at.errors.length > 0 && at.errors.every(neverArrived)) return true
  }
  return false
}

/** The innermost reason, without addresses. */
export function reasonOf(error: unknown): string {
  let reason = 'unknown'
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    // A `DOMException` has a number there.
    const { code } = at as { code?: unknown }
    reason = typeof code === 'string' ? code : at.message
  }
  return withoutAddresses(reason)
}

export function withoutAddresses(text: string): string {
  return text.replace(/\b[a-z]+:\/\/\S+/gi, '(address)').slice(0, 300)
}
