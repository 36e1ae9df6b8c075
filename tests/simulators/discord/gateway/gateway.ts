/**
 * The gateway: HELLO, IDENTIFY or RESUME, heartbeats, sessions that outlive their connection, and every way in which
 * one ends. https://docs.discord.com/developers/events/gateway
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Hub } from '../hub.js'
import { ALL_INTENTS, INTENTS, type PrivilegedIntent } from '../options.js'
import { guildCreated, memberWithUser, userOf } from '../wire.js'
import type { Fields, Guild } from '../world.js'
import { CLOSE, Connection, type ConnectionHandlers } from './connection.js'
import { Session } from './session.js'

const HEARTBEAT_MS = 41_250
const SESSION_MS = 180_000
const BUFFER = 10_000
/** One IDENTIFY in five seconds: https://docs.discord.com/developers/events/gateway#identifying */
const IDENTIFY_MS = 5_000
/** A client that waits exactly as long by its own clock is let in. */
const SLACK_MS = 500
const IDENTIFIES = 1_000
const DAY_MS = 24 * 60 * 60_000
/** Intents that the developer portal must grant. */
export const PRIVILEGED: readonly PrivilegedIntent[] = ['GuildMembers', 'GuildPresences', 'MessageContent']
/** Members of one answer to op 8. */
const CHUNK = 1_000

export interface GatewayOptions {
  hub: () => Hub
  onAcknowledged: (id: string) => void
  /** Events that no client will ever say to have had: their session is gone. */
  onLost: (ids: readonly string[]) => void
}

export class Gateway implements ConnectionHandlers {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  readonly #options: GatewayOptions
  readonly #connections = new Set<Connection>()
  readonly #sessions = new Map<string, Session>()
  #identifiedAt: number | undefined
  readonly #zombies: NodeJS.Timeout
  #count = 0
  #starts = { used: 0, until: 0 }

  constructor(options: GatewayOptions, heartbeatMs?: number) {
    this.#options = options
    const interval = heartbeatMs ?? HEARTBEAT_MS
    this.#zombies = setInterval(() => this.#endZombies(interval), Math.max(50, interval / 2))
    this.#zombies.unref()
  }

  get #hub(): Hub {
    return this.#options.hub()
  }

  get sessions(): Iterable<Session> {
    return this.#sessions.values()
  }

  /** Connections with a session, live ones. */
  get count(): number {
    return [...this.#connections].filter(({ session, isMute }) => session !== null && !isMute).length
  }

  get pending(): number {
    let count = 0
    for (const { pending } of this.#sessions.values()) count += pending
    return count
  }

  /** https://docs.discord.com/developers/events/gateway#session-start-limit-object */
  startLimit(): Fields {
    const { now } = this.#renewStarts()
    const total = this.#hub.options.identifies ?? IDENTIFIES
    return {
      total,
      remaining: Math.max(0, total - this.#starts.used),
      reset_after: Math.max(0, this.#starts.until - now),
      max_concurrency: 1,
    }
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (ws) => this.#greet(ws, request.url ?? '/'))
  }

  heartbeat(connection: Connection, seq: number | null): void {
    const { session } = connection
    if (session !== null && seq !== null && !session.acknowledge(seq)) {
      connection.close(CLOSE.invalidSeq, 'Invalid seq.')
      return
    }
    connection.op(11)
    this.#hub.changes.changed()
  }

  identify(connection: Connection, data: Fields): void {
    const hub = this.#hub
    if (!this.#isGood(data.token))
      return connection.close(CLOSE.authenticationFailed, 'Authentication failed.')
    const { intents } = data
    if (typeof intents !== 'number' || !Number.isInteger(intents) || (intents & ~ALL_INTENTS) !== 0)
      return connection.close(CLOSE.invalidIntents, 'Invalid intent(s).')
    const missing = PRIVILEGED.some((name) => (intents & INTENTS[name]) !== 0 && !hub.granted.has(name))
    if (missing) return connection.close(CLOSE.disallowedIntents, 'Disallowed intent(s).')
    const shard = shardOf(data.shard)
    if (shard === null) return connection.close(CLOSE.invalidShard, 'Invalid shard.')
    if (!this.#mayIdentify()) return connection.op(9, false)
    if (hub.secrets.revoked) return connection.close(CLOSE.authenticationFailed, 'Authentication failed.')
    const session = new Session({
      id: `session${++this.#count}${hub.world.nextId()}`,
      intents,
      shard,
      buffer: hub.options.buffer ?? BUFFER,
      onAcknowledged: this.#options.onAcknowledged,
    })
    this.#sessions.set(session.id, session)
    this.#attach(session, connection)
    this.#ready(session)
    hub.changes.changed()
  }

  resume(connection: Connection, data: Fields): void {
    if (!this.#isGood(data.token))
      return connection.close(CLOSE.authenticationFailed, 'Authentication failed.')
    this.expire()
    const session = this.#sessions.get(String(data.session_id))
    const seq = Number(data.seq)
    if (session === undefined || !Number.isInteger(seq)) return connection.op(9, false)
    if (seq > session.seq) return connection.close(CLOSE.invalidSeq, 'Invalid seq.')
    const old = session.connection
    session.acknowledge(seq, true)
    this.#attach(session, connection)
    if (old !== null) {
      old.session = null
      old.close(CLOSE.unknownError, 'Another connection has resumed this session.')
    }
    if (!session.replay(seq)) {
      this.#end(session)
      connection.session = null
      return connection.op(9, false)
    }
    session.tell('RESUMED', { _trace: ['simulator'] })
    this.#hub.changes.changed()
  }

  /** https://docs.discord.com/developers/events/gateway-events#request-guild-members */
  requestMembers(session: Session, data: Fields): void {
    const { world } = this.#hub
    const guild = world.guilds.get(String(data.guild_id))
    if (guild === undefined || !guild.members.has(world.bot.id)) return
    const ids = [data.user_ids ?? []].flat().map(String)
    const query = String(data.query ?? '').toLowerCase()
    const hasIntent = (session.intents & INTENTS.GuildMembers) !== 0
    if (ids.length === 0 && query === '' && !hasIntent) return
    const found = [...guild.members.values()]
      .filter(({ user }) =>
        ids.length > 0 ? ids.includes(user) : startsWith(world.nameOf(user, guild.id), query),
      )
      .slice(0, ids.length > 0 || Number(data.limit) === 0 ? undefined : Number(data.limit))
    const chunks = Math.max(1, Math.ceil(found.length / CHUNK))
    for (let at = 0; at < chunks; at++) {
      const members = found.slice(at * CHUNK, (at + 1) * CHUNK)
      const chunk = {
        guild_id: guild.id,
        members: members.map((member) => memberWithUser(this.#hub, member)),
        chunk_index: at,
        chunk_count: chunks,
        not_found: ids.filter((id) => !guild.members.has(id)),
        ...(data.nonce !== undefined && { nonce: data.nonce }),
      }
      session.dispatch('GUILD_MEMBERS_CHUNK', JSON.stringify(chunk))
    }
  }

  /** A client that says goodbye by 1000 or 1001 means it: its session ends. */
  closed(connection: Connection, code: number): void {
    this.#connections.delete(connection)
    const { session } = connection
    if (session !== null && session.connection === connection) {
      session.connection = null
      session.since = this.#hub.clock.now()
      if (code === 1000 || code === 1001) this.#end(session)
    }
    this.#hub.changes.changed()
  }

  /** Ends the sessions that have been without a connection for too long; all of them when told so. */
  expire(all = false): void {
    const now = this.#hub.clock.now()
    const most = this.#hub.options.sessionMs ?? SESSION_MS
    for (const session of [...this.#sessions.values()]) {
      if (all || (session.connection === null && now - session.since > most)) this.#end(session)
    }
  }

  /** Asks the clients to come again (op 7). */
  reconnect(): void {
    for (const connection of this.#connections) connection.op(7)
  }

  /** Says that the session is no good (op 9). `resumable` false: it is gone. */
  invalidate(resumable = false): void {
    for (const connection of this.#connections) {
      const { session } = connection
      if (session === null) continue
      if (!resumable) this.#end(session)
      // RESUME is to be said once more on this connection, or IDENTIFY.
      connection.session = null
      session.connection = null
      session.since = this.#hub.clock.now()
      connection.op(9, resumable)
    }
  }

  /** Ends every connection by a close code. Sessions stay, but for codes that end them. */
  closeAll(code: number, reason = ''): void {
    for (const connection of [...this.#connections]) {
      const { session } = connection
      const ends = [CLOSE.authenticationFailed, CLOSE.invalidSeq, CLOSE.sessionTimedOut] as readonly number[]
      if (session !== null && (ends.includes(code) || code >= CLOSE.invalidShard)) this.#end(session)
      connection.close(code, reason)
    }
  }

  /** Asks for a heartbeat at once (op 1). */
  askForHeartbeat(): void {
    for (const connection of this.#connections) connection.op(1)
  }

  redeliver(count: number): void {
    for (const session of this.#sessions.values()) {
      if (session.rewind(count) > 0) session.connection?.op(7)
    }
  }

  cut(how: 'close' | 'half-open'): void {
    for (const connection of [...this.#connections]) {
      if (how === 'close') connection.terminate()
      else connection.mute()
    }
  }

  close(): void {
    clearInterval(this.#zombies)
    for (const connection of this.#connections) connection.terminate()
    this.#server.close()
  }

  #greet(socket: WebSocket, path: string): void {
    const url = new URL(path, 'http://127.0.0.1')
    const connection = new Connection(socket, this)
    this.#connections.add(connection)
    const version = url.searchParams.get('v') ?? '10'
    if (version !== '10' && version !== '9') {
      connection.close(CLOSE.invalidVersion, 'Invalid API version.')
      return
    }
    if ((url.searchParams.get('encoding') ?? 'json') !== 'json' || url.searchParams.has('compress')) {
      connection.close(CLOSE.decodeError, 'The simulator speaks JSON without compression only.')
      return
    }
    connection.op(10, {
      heartbeat_interval: this.#hub.options.heartbeatMs ?? HEARTBEAT_MS,
      _trace: ['simulator'],
    })
  }

  #isGood(token: unknown): boolean {
    const { botToken, revoked } = this.#hub.secrets
    return !revoked && typeof token === 'string' && token.replace(/^Bot /i, '') === botToken
  }

  #renewStarts(): { now: number } {
    const now = this.#hub.clock.now()
    if (now >= this.#starts.until) this.#starts = { used: 0, until: now + DAY_MS }
    return { now }
  }

  /** False: too soon after another of the same kind. One too many a day: the token is reset. */
  #mayIdentify(): boolean {
    const { now } = this.#renewStarts()
    if (this.#hub.options.limits !== 'off') {
      const last = this.#identifiedAt
      if (last !== undefined && now - last < IDENTIFY_MS - SLACK_MS) return false
      this.#identifiedAt = now
    }
    if (++this.#starts.used > (this.#hub.options.identifies ?? IDENTIFIES)) this.#hub.secrets.revoked = true
    return true
  }

  #attach(session: Session, connection: Connection): void {
    session.connection = connection
    connection.session = session
  }

  #end(session: Session): void {
    this.#sessions.delete(session.id)
    if (session.pending > 0) this.#options.onLost(session.open)
  }

  /** READY names the guilds; each comes by itself afterwards. */
  #ready(session: Session): void {
    const hub = this.#hub
    const { world } = hub
    const guilds = [...world.guilds.values()].filter(
      (guild) => guild.members.has(world.bot.id) && isOnShard(guild.id, session.shard),
    )
    const hasGuilds = (session.intents & INTENTS.Guilds) !== 0
    session.tell('READY', {
      v: 10,
      user: { ...userOf(world.bot), verified: true, mfa_enabled: false, email: null },
      user_settings: {},
      session_type: 'normal',
      session_id: session.id,
      resume_gateway_url: `${hub.url.replace('http:', 'ws:')}/resume`,
      relationships: [],
      private_channels: [],
      presences: [],
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      guild_join_requests: [],
      geo_ordered_rtc_regions: [],
      game_relationships: [],
      auth: {},
      application: { id: world.bot.id, flags: applicationFlags(hub.granted) },
      shard: session.shard,
      _trace: ['simulator'],
    })
    if (!hasGuilds) return
    for (const guild of guilds) if (!guild.unavailable) this.#tellGuild(session, guild)
  }

  #tellGuild(session: Session, guild: Guild): void {
    const withMembers = (session.intents & INTENTS.GuildMembers) !== 0
    session.dispatch('GUILD_CREATE', JSON.stringify(guildCreated(this.#hub, guild, withMembers)))
  }

  /** A client that has not sent a heartbeat for two intervals is taken for dead. */
  #endZombies(interval: number): void {
    for (const connection of this.#connections) {
      if (Date.now() - connection.lastBeat <= interval * 2 || connection.isMute) continue
      const { session } = connection
      if (session !== null) this.#end(session)
      connection.close(CLOSE.sessionTimedOut, 'Session timed out.')
    }
  }
}

/** https://docs.discord.com/developers/events/gateway#sharding */
export const isOnShard = (guildId: string | undefined, [shard, count]: readonly [number, number]): boolean =>
  guildId === undefined ? shard === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === shard

function shardOf(value: unknown): readonly [number, number] | null {
  if (value === undefined) return [0, 1]
  if (!Array.isArray(value) || value.length !== 2) return null
  const [shard, count] = value.map(Number) as [number, number]
  return Number.isInteger(shard) && Number.isInteger(count) && shard >= 0 && shard < count
    ? [shard, count]
    : null
}

const startsWith = (name: string, query: string) => name.toLowerCase().startsWith(query)

/** The `_LIMITED` kinds are those of apps that are not verified. https://docs.discord.com/developers/resources/application#application-object-application-flags */
export function applicationFlags(granted: ReadonlySet<PrivilegedIntent>): number {
  return (
    (granted.has('GuildPresences') ? 1 << 13 : 0) |
    (granted.has('GuildMembers') ? 1 << 15 : 0) |
    (granted.has('MessageContent') ? 1 << 19 : 0)
  )
}
