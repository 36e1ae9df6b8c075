import { randomBytes } from 'node:crypto'
import type Database from 'better-sqlite3'
import {
  type Delivery,
  type LogEvent,
  type LogType,
  type MessageView,
  Refused,
  type RoomView,
} from '../protocol.js'
import type { LocalRaw } from '../raw.js'

/** Changes that a client which was away can still catch up on. */
export const LOG_KEPT = 10_000
/** The log is cut once in so many changes, so that no single one pays for it. */
const CUT_EVERY = 256

type Value = string | number | null

export interface RoomRow {
  id: string
  kind: 'group' | 'dm'
  title: string
  archived: number
  at: number
}
export interface MessageRow {
  id: number
  room: string
  thread: number | null
  author: string
  agent: string | null
  text: string
  mentions: string | null
  buttons: string | null
  reply_to: number | null
  silent: number
  at: number
  edited: number | null
  rev: number
  deleted: number
}

/** How rows are shown to people. Handed in: what is shown is made from a context itself. */
export interface Views {
  message(ctx: Context, row: MessageRow): MessageView
  room(ctx: Context, row: RoomRow): RoomView
}

/** The database with its prepared statements, and what the running batch has to tell when it is committed. */
export class Context {
  readonly birth: string
  #statements = new Map<string, Database.Statement<Value[]>>()
  #events: LogEvent[] = []
  #deliveries: Delivery[] = []

  constructor(
    readonly db: Database.Database,
    private readonly views: Views,
    private readonly logKept = LOG_KEPT,
  ) {
    this.birth = this.get<{ value: string }>(`select value from meta where key = 'birth'`)?.value ?? '0'
  }

  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined
  }
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[]
  }
  run(sql: string, ...values: Value[]): { changes: number; id: number } {
    const result = this.#statement(sql).run(...values)
    return { changes: result.changes, id: Number(result.lastInsertRowid) }
  }

  room(id: string): RoomRow {
    const row = this.get<RoomRow>('select * from rooms where id = ?', id)
    if (row === undefined) throw new Refused('unknown-room', `there is no room ${id}`)
    return row
  }

  /** A room that takes new things. */
  openRoom(id: string): RoomRow {
    const row = this.room(id)
    if (row.archived !== 0)
      throw new Refused('archived', `the room ${id} is archived: restore it to write in it`)
    return row
  }

  message(room: string, id: string): MessageRow {
    const row = this.get<MessageRow>('select * from messages where id = ? and room = ?', Number(id), room)
    if (row === undefined)
      throw new Refused('unknown-message', `there is no message ${id} in the room ${room}`)
    return row
  }

  liveMessage(room: string, id: string): MessageRow {
    const row = this.message(room, id)
    if (row.deleted !== 0) throw new Refused('deleted', `the message ${id} was deleted`)
    return row
  }

  /** Numbers a change and keeps it for those who listen. */
  publish(type: LogType, room: string, message?: number): void {
    const { id } = this.run(
      'insert into log (type, room, message) values (?, ?, ?)',
      type,
      room,
      message ?? null,
    )
    if (id % CUT_EVERY === 0) this.run('delete from log where id <= ?', id - this.logKept)
    const data = this.logData(room, message ?? null)
    if (data !== undefined) this.#events.push({ id, type, room, data })
  }

  logData(room: string, message: number | null): LogEvent['data'] | undefined {
    if (message === null) {
      const row = this.get<RoomRow>('select * from rooms where id = ?', room)
      return row && this.views.room(this, row)
    }
    const row = this.get<MessageRow>('select * from messages where id = ?', message)
    return row && this.views.message(this, row)
  }

  /** Puts an event on its way to the core, in the same transaction as what it tells. */
  deliver(raw: LocalRaw): Delivery {
    const { id } = this.run(
      'insert into deliveries (room, event, raw) values (?, ?, ?)',
      raw.room.id,
      raw.event,
      JSON.stringify(raw),
    )
    const delivery = { seq: id, room: raw.room.id, raw }
    this.#deliveries.push(delivery)
    return delivery
  }

  /** An identity for what has no row of its own. */
  occurrence(kind: string): string {
    return `${this.birth}:${kind}:${randomBytes(9).toString('base64url')}`
  }

  /** What the batch has to tell; the next one begins with nothing. */
  take(): { events: LogEvent[]; deliveries: Delivery[] } {
    const told = { events: this.#events, deliveries: this.#deliveries }
    this.#events = []
    this.#deliveries = []
    return told
  }
  told(): readonly [number, number] {
    return [this.#events.length, this.#deliveries.length]
  }
  /** A step was undone: what it wanted to tell did not happen. */
  untell([events, deliveries]: readonly [number, number]): void {
    this.#events.length = events
    this.#deliveries.length = deliveries
  }

  #statement(sql: string): Database.Statement<Value[]> {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.db.prepare<Value[]>(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}
