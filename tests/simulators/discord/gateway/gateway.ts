/**
 * The gateway: HELLO, IDENTIFY or RESUME, heartbeats, sessions that outlive their connection, and every way in which
 * one ends. https://docs.discord.com/developers/events/gateway
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Hub } from '../hub.js'
import { ALL_INTENTS, INTENTS, PRIVILEGED } from '../options.js'
import { memberWithUser } from '../wire.js'
import type { Fields } from '../world.js'
import { CLOSE, Connection, type ConnectionHandlers } from './connection.js'
import { greet, shardOf } from './ready.js'
import { Session } from './session.js'

const HEARTBEAT_MS = 41_250
const SESSION_MS = 180_000
const BUFFER = 10_000
/** One IDENTIFY in five seconds: https://docs.discord.com/developers/events/gateway#identifying */
const IDENTIFY_MS = 5_000
/** A client that waits exactly as long by its own clock is let in. */
const SLACK_MS = 500
const IDENTIFIES = 1_000
/** On top of two intervals, for busy machines and short intervals. */
const PATIENCE_MS = 1_000
const DAY_MS = 24 * 60 * 60_000
/** Members of one answer to op 8. */
const CHUNK = 1_000

const WRONG_TOKEN = [CLOSE.authenticationFailed, 'Authentication failed.'] as const

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
    const sessions = [...this.#sessions.values()]
    const connected = new Set(
      sessions.filter(({ connection }) => connection !== null).map(({ shard: [id] }) => id),
    )
    // Whoever has begun another session will not come back for the one before it.
    const waiting = sessions.filter(
      ({ connection, shard: [id] }) => connection !== null || !connected.has(id),
    )
    return waiting.reduce((sum, { pending }) => sum + pending, 0)
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
    const shard = shardOf(data.shard)
    const refusal = this.#refusal(data)
    if (refusal !== null || shard === null) {
      connection.close(...(refusal ?? ([CLOSE.invalidShard, 'Invalid shard.'] as const)))
      return
    }
    if (!this.#mayIdentify()) {
      connection.op(9, false)
      return
    }
    if (hub.secrets.revoked) {
      connection.close(...WRONG_TOKEN)
      return
    }
    const session = new Session({
      id: `session${++this.#count}${hub.world.nextId()}`,
      intents: Number(data.intents),
      shard,
      buffer: hub.options.buffer ?? BUFFER,
      onAcknowledged: this.#options.onAcknowledged,
    })
    this.#sessions.set(session.id, session)
    this.#attach(session, connection)
    greet(hub, session)
    hub.changes.changed()
  }

  /** By which close code an IDENTIFY is refused; null: it is none. */
  #refusal({ token, intents }: Fields): readonly [code: number, reason: string] | null {
    if (!this.#isGood(token)) return WRONG_TOKEN
    if (typeof intents !== 'number' || !Number.isInteger(intents) || (intents & ~ALL_INTENTS) !== 0)
      return [CLOSE.invalidIntents, 'Invalid intent(s).']
    const { granted } = this.#hub
    const isMissing = PRIVILEGED.some((name) => (intents & INTENTS[name]) !== 0 && !granted.has(name))
    return isMissing ? [CLOSE.disallowedIntents, 'Disallowed intent(s).'] : null
  }

  resume(connection: Connection, data: Fields): void {
    if (!this.#isGood(data.token)) {
      connection.close(...WRONG_TOKEN)
      return
    }
    this.expire()
    const session = this.#sessions.get(String(data.session_id))
    const seq = Number(data.seq)
    if (session === undefined || !Number.isInteger(seq)) {
      connection.op(9, false)
      return
    }
    if (seq > session.seq) {
      connection.close(CLOSE.invalidSeq, 'Invalid seq.')
      return
    }
    this.#takeOver(session, connection)
    session.acknowledge(seq, true)
    if (session.replay(seq)) session.tell('RESUMED', { _trace: ['simulator'] })
    else {
      this.#end(session)
      connection.session = null
      connection.op(9, false)
    }
    this.#hub.changes.changed()
  }

  /** The connection it had until now, if it still has one, is of no use any more. */
  #takeOver(session: Session, connection: Connection): void {
    const old = session.connection
    this.#attach(session, connection)
    if (old === null) return
    old.session = null
    old.close(CLOSE.unknownError, 'Another connection has resumed this session.')
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

  /** A client that says goodbye by 1000 or 1001 means it: its session ends. What a half-open one says nobody hears. */
  closed(connection: Connection, code: number): void {
    this.#connections.delete(connection)
    const { session } = connection
    if (session !== null && session.connection === connection) {
      session.connection = null
      session.since = this.#hub.clock.now()
      if (!connection.isMute && (code === 1000 || code === 1001)) this.#end(session)
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
      else connection.mute(this.#hub.options.lingers === true)
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

  /** A client that is silent for two intervals is taken for dead. Its session waits for it: it is "forced to resume". */
  #endZombies(interval: number): void {
    for (const connection of this.#connections) {
      if (Date.now() - connection.lastBeat <= interval * 2 + PATIENCE_MS || connection.isMute) continue
      connection.close(CLOSE.sessionTimedOut, 'Session timed out.')
    }
  }
}

const startsWith = (name: string, query: string) => name.toLowerCase().startsWith(query)
