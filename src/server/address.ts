/** Host names: which of them mean this machine, and what a person types to get here. */
import { isIP } from 'node:net'

/** Without the brackets of IPv6, in lower case. */
export function bareHost(host: string): string {
  const name = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  return name.toLowerCase()
}

/** Only programs on this machine can reach a server that is bound to it. */
export function isLoopback(host: string): boolean {
  const name = bareHost(host)
  if (name === 'localhost') return true
  const version = isIP(name)
  if (version === 4) return name.startsWith('127.')
  if (version === 6) return name === '::1' || name.startsWith('::ffff:127.')
  return false
}

/** Bound to every interface: an address to listen on, not one to open. */
function isWildcard(host: string): boolean {
  const name = bareHost(host)
  return name === '0.0.0.0' || name === '::'
}

/** Where a person on this machine opens the console. */
export function urlOf(host: string, port: number): string {
  if (isWildcard(host)) return `http://127.0.0.1:${port}`
  const name = bareHost(host)
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`
}

const HOST = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,253}))(?::(\d{1,5}))?$/i

/** The name in a `Host` header, or null when it is no host at all. */
export function hostName(header: string): string | null {
  const match = HOST.exec(header)
  if (match === null) return null
  const [, six, name, port] = match
  if (port !== undefined && Number(port) > 65_535) return null
  if (six !== undefined) return isIP(six) === 6 ? six.toLowerCase() : null
  return name === undefined ? null : name.toLowerCase()
}

/**
 * Which names this server answers to. A page that has its own name resolve to this machine (DNS rebinding) still
 * sends its own name as `Host`, so it is refused. Behind a loopback socket only loopback names are ours; a server that
 * is open to the network also answers to bare addresses, which cannot be rebound, and to the names it is given.
 */
export function hostGuard(bound: string, names: readonly string[]): (name: string) => boolean {
  const known = new Set([bareHost(bound), ...names.map(bareHost)])
  const loopbackOnly = isLoopback(bound)
  return (name) => known.has(name) || isLoopback(name) || (!loopbackOnly && isIP(name) !== 0)
}
