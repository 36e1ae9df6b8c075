/** The page's address: `#/rooms`, `#/r/<room>`, `#/r/<room>/t/<thread>`, each with `/m/<id>` for an open receipt. */
export interface Route {
  /** The room's key, e.g. `local:lobby`; null: the list of rooms. */
  room: string | null
  /** Root message of the open thread. */
  thread: string | null
  /** Message whose receipt is open. */
  message: string | null
}

export const ROOMS: Route = { room: null, thread: null, message: null }

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Reads a hash. What it does not know is the list of rooms. A room without a platform is a local one. */
export function readRoute(hash: string): Route {
  const parts = hash.replace(/^#\/?/, '').split('/').map(decode)
  const room = parts[0] === 'r' ? parts[1] : undefined
  if (room === undefined || room === '') return ROOMS
  const route: Route = { room: room.includes(':') ? room : `local:${room}`, thread: null, message: null }
  for (let at = 2; at + 1 < parts.length; at += 2) {
    const value = parts[at + 1] || null
    if (parts[at] === 't') route.thread = value
    if (parts[at] === 'm') route.message = value
  }
  return route
}

/** Colons stay readable: they are allowed in a fragment. */
function encode(part: string): string {
  return encodeURIComponent(part).replaceAll('%3A', ':')
}

export function writeRoute(route: Route): string {
  if (route.room === null) return '#/rooms'
  const thread = route.thread === null ? '' : `/t/${encode(route.thread)}`
  const message = route.message === null ? '' : `/m/${encode(route.message)}`
  return `#/r/${encode(route.room)}${thread}${message}`
}

/** Id of a local room, or null when another platform keeps the room. */
export function localId(key: string): string | null {
  return key.startsWith('local:') ? key.slice('local:'.length) : null
}
