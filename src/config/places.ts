/** `rooms.<key>.places`: the other chats that agents of a room may post to. */
import { z } from 'zod'
import { type Finding, showPath } from './errors.js'
import { listOf, type Mapping, mappingOf } from './shape.js'
import { nearest } from './suggest.js'

export const places = z
  .array(
    z
      .string()
      .max(300)
      .regex(
        /^[a-z0-9.]+:\S+$/,
        'must be a chat key, "connection:chat", or "connection:*" for all its groups',
      ),
  )
  .max(100)
  .meta({
    description:
      'Chats that agents may post to from this room, by chat key: `"slack:C123"` one chat, `"slack:*"` all groups of a connection. What is said here may then be said there, so name only chats whose people may know. Default: none.',
    examples: [['slack:C0456', 'local:lobby']],
  })

/** A place of a connection that there is not would never be reached. */
export function checkPlaces(root: Mapping, connections: readonly string[]): Finding[] {
  return Object.entries(mappingOf(root.rooms)).flatMap(([room, value]) =>
    listOf(mappingOf(value).places).flatMap((place, index): Finding[] => {
      if (typeof place !== 'string' || !place.includes(':')) return []
      const connection = place.slice(0, place.indexOf(':'))
      if (connections.includes(connection)) return []
      const path = ['rooms', room, 'places', index]
      const near = nearest(connection, connections)
      const cure = near === undefined ? `Connected: ${connections.join(', ')}.` : `Did you mean ${near}?`
      const message = `${showPath(path)}: no connection is named ${connection}. ${cure}`
      return [near === undefined ? { path, message } : { path, message, nearest: near }]
    }),
  )
}
