/** Addresses of links in messages, as the server accepts and keeps them. */
import type { Entity } from './entities.js'

/** Top-level domains that are known here; the server knows all of them. */
const TLDS =
  /\.(com|org|net|edu|gov|io|dev|app|me|co|info|biz|tv|ai|eu|us|uk|de|fr|it|es|nl|ch|at|se|no|pl|ru|cn|jp|kr|in|br|au|ca|dog|example|test|local|software|tk|ws|py|sh|rs|xyz|site|online|рф|xn--[a-z0-9-]+)$/i

/** The host has a known top-level domain, or is an IPv4 address. */
export function isHost(host: string): boolean {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return host.split('.').every((part) => Number(part) < 256)
  return TLDS.test(host)
}

/**
 * The address as the server keeps it (a scheme in front, a path behind the host), or null where it refuses: the
 * formatting is then dropped and the text stays.
 */
export function checkedLink(source: string): string | null {
  const link = source.trim()
  const scheme = /^([a-z][a-z0-9+.-]*):(\/\/)?/i.exec(link)?.[1]?.toLowerCase()
  if (scheme === 'tg' || scheme === 'ton' || scheme === 'tonsite') return link
  if (scheme !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(link) && !/^(https?|ftp)$/.test(scheme))
    return null
  try {
    const url = new URL(scheme === undefined || !link.includes('://') ? `http://${link}` : link)
    if (!isHost(url.hostname.replace(/\.$/, '')) && url.hostname !== 'localhost') return null
    // Kept as it was written, but for the scheme, the host's case and an empty path.
    const [, head = '', host = '', tail = ''] = /^([a-z]+:\/\/)?([^/?#]*)(.*)$/is.exec(link) ?? []
    const path = tail === '' || tail.startsWith('/') ? tail || '/' : `/${tail}`
    return `${(head || 'http://').toLowerCase()}${host.toLowerCase()}${path}`
  } catch {
    return null
  }
}

/** `tg://user?id=…` mentions that account (https://core.telegram.org/bots/api#formatting-options). */
export function linkedUser(link: string): number | null {
  const id = /^tg:(?:\/\/)?user\/?\?(?:[^#]*&)?id=(\d+)/i.exec(link.trim())?.[1]
  return id === undefined ? null : Number(id)
}

/** A link's entity; null where the address is none. */
export function linkEntity(link: string, offset: number, length: number): Entity | null {
  const user = linkedUser(link)
  if (user !== null) return { type: 'text_mention', offset, length, user }
  const url = checkedLink(link)
  return url === null ? null : { type: 'text_link', offset, length, url }
}
