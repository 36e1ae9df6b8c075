/** Where a misplaced key belongs, and what keys of other tools are called here. */

import type { EngineSchemas } from './engines.js'
import type { Path } from './errors.js'
import { belongsAtMargin, SECTIONS } from './left-margin.js'
import { roomOverride } from './room-keys.js'
import { agentKeys, gatewayKeys, groupChatKeys } from './schema.js'

const TOP = 'the top of the file'

/** Keys that people bring along, and their names here. Some coding agents take them all the same. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  timeout: 'Golem calls it turnLimit, in minutes.',
  maxConcurrent: 'Golem calls it agentConcurrency.',
  systemPrompt: 'Standing instructions are the bulletin of a room: rooms: {"*": {bulletin: …}}.',
  botName: 'The name stands at the top of the file, as name.',
}

/**
 * @param lineOf where a key stands at the left margin, if it does
 * @returns what to say about `key`, which is unknown at `path`; undefined when nothing is known about it.
 */
export function hintsFor(
  top: readonly string[],
  engines: EngineSchemas,
  lineOf: (key: string) => number | undefined,
): (path: Path, key: string) => string | undefined {
  const places: [string, Iterable<string>][] = [
    [TOP, top],
    ['groupChat', groupChatKeys],
    ['gateway', gatewayKeys],
    ['an entry of rooms', Object.keys(roomOverride.shape)],
    ['an entry of agents', Object.keys(agentKeys)],
  ]
  const ofEngines = (key: string): string[] => {
    const ids = Object.entries(engines).flatMap(([id, { shape }]) => (Object.hasOwn(shape, key) ? [id] : []))
    return ids.length === 0 ? [] : [`the engine${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`]
  }
  return (path, key) => {
    const here = path[0]
    const general = places.filter(([, keys]) => [...keys].includes(key)).map(([place]) => place)
    if (general.length === 0 && here !== 'channels' && Object.hasOwn(ELSEWHERE, key)) return ELSEWHERE[key]
    const homes = [...general, ...ofEngines(key)]
    const isPlatform = here === 'channels' && path.length === 1
    // A platform's own keys may be called as those of the top of the file, but not as its sections.
    const atTop = path.length > 0 && homes.includes(TOP)
    const only = here === 'channels' ? isPlatform || SECTIONS.includes(key) : homes.length === 1
    if (atTop && only) return belongsAtMargin(key, lineOf(key))
    if (homes.length > 0 && here !== 'channels') return `It belongs to ${homes.join(' or ')}.`
    return Object.hasOwn(ELSEWHERE, key) ? ELSEWHERE[key] : undefined
  }
}
