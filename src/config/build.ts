/** Makes the {@link Config} of values that have passed every check. */
import { isAbsolute, join, resolve } from 'node:path'
import type { Access, DefaultResponder } from '../messaging/roster.js'
import type { AgentConfig, Config, ConnectionConfig, RoomConfig } from './config.js'
import { entriesOf } from './connections.js'
import type { EngineChoice, EngineSchemas } from './engines.js'
import type { Environment } from './env.js'
import { foldName } from './names.js'
import { chainOf } from './rules.js'
import { schedulesOf } from './schedules.js'
import { agentKeys, type FileValues, type PlatformSchemas } from './schema.js'
import { type Mapping, mappingOf } from './shape.js'
import type { TranscribeConfig } from './transcribe.js'

export interface Surroundings<E extends EngineSchemas> {
  file: string
  folder: string
  env: Environment
  platforms: PlatformSchemas
  engines: E
  secrets: ReadonlySet<string>
}

export function buildConfig<E extends EngineSchemas>(values: FileValues, around: Surroundings<E>): Config<E> {
  const at = (path: string) => resolvePath(path, around.folder, around.env)
  const agents = agentsOf<E>(values, at)
  const canonical = new Map(
    agents.flatMap((agent) => [agent.name, ...agent.aliases].map((name) => [foldName(name), agent.name])),
  )
  const orchestrator = agents.find((agent) => agent.orchestrator)?.name ?? ''
  const { coalesceWindow, debounce, ...groupChat } = values.groupChat
  return {
    file: around.file,
    folder: around.folder,
    name: values.name,
    language: values.language,
    groupChat: { ...groupChat, coalesceWindowMs: coalesceWindow, debounceMs: debounce },
    connections: connectionsOf(values.channels, around.platforms, canonical),
    gateway: {
      host: values.gateway.host,
      port: values.gateway.port,
      token: values.gateway.token ?? null,
      hosts: values.gateway.hosts,
    },
    rooms: roomsOf(values.rooms, canonical, orchestrator, at),
    agents,
    defaultResponder: { kind: 'agent', agent: orchestrator },
    schedules: schedulesOf(values.schedules, (written) => canonical.get(foldName(written)) ?? written),
    agentConcurrency: values.agentConcurrency,
    turnLimitMs: values.turnLimit,
    approvals: { expireMs: values.approvals.expire, parkMs: values.approvals.park },
    ...(values.transcribe === undefined ? {} : { transcribe: transcribeOf(values.transcribe, at) }),
    dataDir: at(values.dataDir),
    memoryDir: at(values.memoryDir),
    skillsDir: at(values.skillsDir),
    secrets: around.secrets,
  }
}

/** `~/x` is in the home folder; everything else is relative to golem.yaml's folder. */
function resolvePath(path: string, folder: string, env: Environment): string {
  const home = env.HOME ?? env.USERPROFILE
  if (home !== undefined && (path === '~' || path.startsWith('~/'))) return join(home, path.slice(1))
  return isAbsolute(path) ? path : resolve(folder, path)
}

function commandOf(command: readonly string[], at: (path: string) => string): string[] {
  return command.map((part) => (/^(?:\.{1,2}|~)\//.test(part) ? at(part) : part))
}

function transcribeOf(values: TranscribeConfig, at: (path: string) => string): TranscribeConfig {
  return values.command === undefined ? values : { ...values, command: commandOf(values.command, at) }
}

function agentsOf<E extends EngineSchemas>(
  values: FileValues,
  at: (path: string) => string,
): AgentConfig<E>[] {
  const listed = values.agents ?? []
  const active = listed.filter((agent) => !agent.archived)
  const chief = active.find((agent) => foldName(agent.role.trim()) === 'orchestrator') ?? active[0]
  return listed.map((agent) => {
    const { name, role, aliases, archived, hidden } = agent
    const shared = new Set<string>([...Object.keys(agentKeys), 'engine'])
    const options: Mapping = Object.fromEntries(Object.entries(agent).filter(([key]) => !shared.has(key)))
    // A program and its arguments: only what looks like a path is one.
    if (Array.isArray(options.command)) options.command = commandOf(options.command.map(String), at)
    return {
      name,
      role,
      aliases,
      archived,
      hidden,
      orchestrator: agent === chief,
      // The discriminated union has checked that these options are this engine's.
      engine: { id: agent.engine, options } as unknown as EngineChoice<E>,
      turnLimitMs:
        [options.turnLimit, options.timeout].find((ms) => typeof ms === 'number') ?? values.turnLimit,
    }
  })
}

function connectionsOf(
  channels: Mapping,
  platforms: PlatformSchemas,
  canonical: ReadonlyMap<string, string>,
): ConnectionConfig[] {
  return entriesOf(channels, Object.keys(platforms)).map(({ connection, platform, value }) => {
    const { id: _account, agent, allow, deny, ...settings } = mappingOf(value)
    // A platform that is on by default has not been through the schema yet: its own defaults are filled in here.
    const written = Object.hasOwn(channels, platform)
    return {
      connection,
      platform,
      settings: written ? settings : platforms[platform]?.parse({}),
      access: accessOf(allow, deny),
      ...(typeof agent === 'string' ? { agent: canonical.get(foldName(agent)) ?? agent } : {}),
    }
  })
}

function accessOf(allow: unknown, deny: unknown): Access {
  return {
    ...(allow === undefined ? {} : { allow: allow as NonNullable<Access['allow']> }),
    ...(deny === undefined ? {} : { deny: deny as NonNullable<Access['deny']> }),
  }
}

function roomsOf(
  rooms: FileValues['rooms'],
  canonical: ReadonlyMap<string, string>,
  orchestrator: string,
  at: (path: string) => string,
): Record<string, RoomConfig> {
  const nameOf = (written: string) => canonical.get(foldName(written)) ?? written
  return Object.fromEntries(
    Object.entries(rooms).map(([key, written]) => {
      const { members, defaultResponder, workingFolder, ...same } = written
      const room: RoomConfig = { ...same }
      if (members !== undefined) room.members = members.map(nameOf)
      if (typeof workingFolder === 'string') room.workingFolder = at(workingFolder)
      else if (workingFolder === null) room.workingFolder = null
      if (defaultResponder !== undefined) room.defaultResponder = responderOf(defaultResponder, nameOf)
      else if (
        room.members !== undefined &&
        !chainOf(key).some((each) => rooms[each]?.defaultResponder !== undefined)
      ) {
        // Nobody chose: the orchestrator answers, and where it is no member, the first one does.
        const agent = room.members.includes(orchestrator) ? orchestrator : (room.members[0] ?? orchestrator)
        room.defaultResponder = { kind: 'agent', agent }
      }
      return [key, room]
    }),
  )
}

function responderOf(written: string, nameOf: (name: string) => string): DefaultResponder {
  if (written === 'everyone' || written === 'mentions' || written === 'auto') return { kind: written }
  return { kind: 'agent', agent: nameOf(written) }
}
