/** Where a misplaced key belongs, and what keys of other tools are called here. */

import type { EngineSchemas } from './engines.js'
import type { Path } from './errors.js'
import { roomOverride } from './room-keys.js'
import { agentKeys, gatewayKeys, groupChatKeys } from './schema.js'

/** Keys that people bring along, and their names here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  timeout: 'Golem calls it turnLimit, in minutes.',
  maxConcurrent: 'Golem calls it agentConcurrency.',
  systemPrompt: 'Standing instructions are the bulletin of a room: rooms: {"*": {bulletin: …}}.',
  botName: 'The name stands at the top of the file, as name.',
}

/** @returns what to say about `key`, which is unknown at `path`; undefined when nothing is known about it. */
export function hintsFor(
  top: readonly string[],
  engines: EngineSchemas,
): (path: Path, key: string) => string | undefined {
  const places: [string, Iterable<string>][] = [
    ['the top of the file', top],
    ['groupChat', groupChatKeys],
    ['gateway', gatewayKeys],
    ['an entry of rooms', Object.keys(roomOverride.shape)],
    ['an entry of agents', Object.keys(agentKeys)],
    ...Object.entries(engines).map(([id, options]): [string, string[]] => [
      `the engine ${id}`,
      Object.keys(options.shape),
    ]),
  ]
  return (path, key) => {
    const homes = places.filter(([, keys]) => [...keys].includes(key)).map(([place]) => place)
    const here = path[0]
    if (homes.length > 0 && here !== 'channels') return `It belongs to ${homes.join(' or ')}.`
    return Object.hasOwn(ELSEWHERE, key) ? ELSEWHERE[key] : undefined
  }
}
