/**
 * What no schema of a single key can see: names that meet, names that nobody has, rooms of connections that do not
 * exist. Works on unchecked data, so that these problems are reported together with all others.
 */
import { checkAccountAgents } from './accounts.js'
import { ALWAYS_ON, entriesOf } from './connections.js'
import { type Finding, type Path, showPath } from './errors.js'
import { foldName, isReserved, RESPONDER_WORDS } from './names.js'
import { checkPlaces } from './places.js'
import { checkSchedules } from './schedules.js'
import { listOf, type Mapping, mappingOf } from './shape.js'
import { nearest } from './suggest.js'

interface Named {
  name: string
  path: Path
  agent: number
}

type Origin = (path: Path) => Path

/** @param origin where a path of `root` stands in the file */
export function checkRules(root: Mapping, platforms: readonly string[], origin: Origin): Finding[] {
  const names = namesOf(root, origin)
  return [
    ...checkNames(root, names),
    ...checkAgents(root, origin),
    ...checkAccounts(root),
    ...checkAccountAgents(root, entriesOf(mappingOf(root.channels), platforms)),
    ...checkConnections(root, platforms),
    ...checkRooms(root, names, platforms),
    ...checkGateway(root),
    ...checkPlaces(
      root,
      entriesOf(mappingOf(root.channels), platforms).map(({ connection }) => connection),
    ),
    ...checkSchedules(
      root,
      names,
      entriesOf(mappingOf(root.channels), platforms).map(({ connection }) => connection),
    ),
  ]
}

function namesOf(root: Mapping, origin: Origin): Named[] {
  return listOf(root.agents).flatMap((value, agent) => {
    const { name, aliases } = mappingOf(value)
    const own: Named[] =
      typeof name === 'string' ? [{ name, path: origin(['agents', agent, 'name']), agent }] : []
    const others = listOf(aliases).flatMap((alias, index): Named[] =>
      typeof alias === 'string'
        ? [{ name: alias, path: origin(['agents', agent, 'aliases', index]), agent }]
        : [],
    )
    return [...own, ...others]
  })
}

function checkNames(root: Mapping, names: readonly Named[]): Finding[] {
  const first = new Map<string, Named>()
  const bot: Named[] = typeof root.name === 'string' ? [{ name: root.name, path: ['name'], agent: -1 }] : []
  const reserved = [...bot, ...names].filter(({ name }) => isReserved(name))
  const findings = reserved.map(({ name, path }): Finding => {
    return {
      path,
      message: `${showPath(path)}: the name ${name} is reserved, because it has a meaning of its own. Choose another.`,
    }
  })
  for (const named of names) {
    const earlier = first.get(foldName(named.name))
    if (earlier === undefined) first.set(foldName(named.name), named)
    else {
      const message = `${showPath(named.path)}: the name ${named.name} is already ${showPath(earlier.path)}. Give each agent names of its own.`
      findings.push({ path: named.path, message })
    }
  }
  return findings
}

function checkAgents(root: Mapping, origin: Origin): Finding[] {
  const agents = listOf(root.agents)
  if (agents.length === 0 || agents.some((agent) => mappingOf(agent).archived !== true)) return []
  const path = origin(['agents'])
  return [
    {
      path,
      at: 'key',
      message: 'agents: every agent is archived, so nobody can answer. Keep one that is not.',
    },
  ]
}

function checkAccounts(root: Mapping): Finding[] {
  return Object.entries(mappingOf(root.channels)).flatMap(([platform, value]) => {
    const seen = new Set<string>()
    return listOf(value).flatMap((account, index): Finding[] => {
      const { id } = mappingOf(account)
      if (typeof id !== 'string') return []
      const path = ['channels', platform, index, 'id']
      if (!seen.has(id)) {
        seen.add(id)
        return []
      }
      return [
        {
          path,
          message: `${showPath(path)}: another account is named ${id} already. Give each account its own id.`,
        },
      ]
    })
  })
}

function checkConnections(root: Mapping, platforms: readonly string[]): Finding[] {
  const channels = mappingOf(root.channels)
  // An unknown platform is reported as such; that nothing is left then is no news.
  if (Object.keys(channels).some((platform) => !platforms.includes(platform))) return []
  if (entriesOf(channels, platforms).length > 0) return []
  const cure = platforms.includes(ALWAYS_ON)
    ? 'Switch one on; `local: {}` needs no account.'
    : `Add one of ${platforms.join(', ')}.`
  return [{ path: ['channels'], at: 'key', message: `channels: nothing is connected. ${cure}` }]
}

function checkGateway(root: Mapping): Finding[] {
  const { host, token } = mappingOf(root.gateway)
  if (typeof host !== 'string' || isLoopback(host) || token !== undefined) return []
  const message = `gateway.host: ${host} can be reached from other machines, so gateway.token must be set as well.`
  return [{ path: ['gateway', 'host'], message }]
}

/** Whether an address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

// ---- rooms --------------------------------------------------------------------------------------------------------

function checkRooms(root: Mapping, names: readonly Named[], platforms: readonly string[]): Finding[] {
  const rooms = mappingOf(root.rooms)
  const connections = entriesOf(mappingOf(root.channels), platforms).map((entry) => entry.connection)
  const roster = new Roster(root, names)
  return Object.entries(rooms).flatMap(([key, value]) => [
    ...checkRoomKey(key, connections),
    ...roster.checkMembers(key, value),
    ...roster.checkResponder(key, value, rooms),
  ])
}

function checkRoomKey(key: string, connections: readonly string[]): Finding[] {
  if (key === '*') return []
  const path = ['rooms', key]
  const shown = showPath(path)
  const colon = key.indexOf(':')
  const connection = key.slice(0, colon)
  if (colon < 1 || colon === key.length - 1 || /\s/.test(key)) {
    const message = `${shown}: the key of a room is "connection:chat", "connection:*" or "*". Write it like "local:lobby".`
    return [{ path, at: 'key', message }]
  }
  if (connections.includes(connection)) return []
  const near = nearest(connection, connections)
  const list = `Connected: ${connections.join(', ')}.`
  const message = `${shown}: no connection is named ${connection}. ${near === undefined ? list : `Did you mean ${near}?`}`
  return [near === undefined ? { path, at: 'key', message } : { path, at: 'key', message, nearest: near }]
}

class Roster {
  readonly #byName = new Map<string, number>()
  readonly #agents: readonly Mapping[]

  constructor(
    root: Mapping,
    readonly names: readonly Named[],
  ) {
    this.#agents = listOf(root.agents).map(mappingOf)
    for (const { name, agent } of names)
      if (!this.#byName.has(foldName(name))) this.#byName.set(foldName(name), agent)
  }

  checkMembers(key: string, room: unknown): Finding[] {
    const seen = new Set<number>()
    return listOf(mappingOf(room).members).flatMap((member, index): Finding[] => {
      if (typeof member !== 'string') return []
      const path = ['rooms', key, 'members', index]
      const agent = this.#find(member)
      if (agent === undefined) return [this.#nobody(path, member, [])]
      if (!seen.has(agent)) {
        seen.add(agent)
        return []
      }
      return [{ path, message: `${showPath(path)}: ${member} is a member already. Name each agent once.` }]
    })
  }

  checkResponder(key: string, room: unknown, rooms: Mapping): Finding[] {
    const { defaultResponder, members } = mappingOf(room)
    const path = ['rooms', key, 'defaultResponder']
    if (typeof defaultResponder === 'string' && !RESPONDER_WORDS.includes(defaultResponder)) {
      const agent = this.#find(defaultResponder)
      if (agent === undefined) return [this.#nobody(path, defaultResponder, RESPONDER_WORDS)]
      if (this.#agents[agent]?.archived === true) {
        return [
          {
            path,
            message: `${showPath(path)}: ${defaultResponder} is archived and answers nobody. Name another agent.`,
          },
        ]
      }
    }
    if (defaultResponder === undefined && members === undefined) return []
    return this.#checkMembership(key, rooms)
  }

  /** An agent that answers by default must be in the room, also when the two keys come from different entries. */
  #checkMembership(key: string, rooms: Mapping): Finding[] {
    const chain = chainOf(key).filter((each) => Object.hasOwn(rooms, each))
    const from = (name: string) => chain.findLast((each) => mappingOf(rooms[each])[name] !== undefined)
    const [named, listed] = [from('defaultResponder'), from('members')]
    if (named === undefined || listed === undefined) return []
    const responder = mappingOf(rooms[named]).defaultResponder
    const members = listOf(mappingOf(rooms[listed]).members)
    if (typeof responder !== 'string' || RESPONDER_WORDS.includes(responder)) return []
    const agent = this.#find(responder)
    if (agent === undefined || members.some((each) => typeof each === 'string' && this.#find(each) === agent))
      return []
    const path = named === key ? ['rooms', key, 'defaultResponder'] : ['rooms', key, 'members']
    const message = `${showPath(path)}: ${responder} answers here when nobody is named, but is no member of the room. Add it to members.`
    return [{ path, message }]
  }

  #find(name: string): number | undefined {
    return this.#byName.get(foldName(name))
  }

  #nobody(path: Path, name: string, words: readonly string[]): Finding {
    const known = [...words, ...this.names.map((each) => each.name)]
    const near = nearest(name, known)
    const message = `${showPath(path)}: no agent is named ${name}. ${near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${near}?`}`
    return near === undefined ? { path, message } : { path, message, nearest: near }
  }
}

/** The entries of `rooms` that may speak for a key, from the least to the most specific. */
export function chainOf(key: string): string[] {
  if (key === '*') return ['*']
  const wildcard = `${key.slice(0, key.indexOf(':'))}:*`
  return wildcard === key ? ['*', key] : ['*', wildcard, key]
}
