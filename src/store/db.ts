/** The open database and its prepared statements, as every part of the store uses them. Runs in the worker (or a reader). */
import type Database from 'better-sqlite3'
import type { Policy } from '../messaging/roster.js'

export interface Db {
  readonly raw: Database.Database
  /**
   * A prepared statement, made and planned once.
   *
   * @throws Error for a bare `LIMIT ?`. SQLite looks at its value to plan the statement, and so plans it anew each time one
   *   is bound: ten times the work of most of these statements. `LIMIT ? + 0` is planned once. The same goes for a bound
   *   value in the place of one that a partial index names (`queue = ?`): such values are written out.
   */
  sql(text: string): Database.Statement
  /** Outbox lanes whose head must be looked for again, and the time it was noticed. See `lanes.ts`. */
  readonly stale: Map<string, number>
  /** The earliest time at which an operation that the present command added may go out. */
  readyAt: number | null
  /** When it was last looked what may start. Earlier than that, and the clock was set back. */
  lookedAt: number
}

const BARE_LIMIT = /\bLIMIT \?(?! \+ 0)/

export function wrap(raw: Database.Database): Db {
  const cache = new Map<string, Database.Statement>()
  return {
    raw,
    stale: new Map(),
    readyAt: null,
    lookedAt: 0,
    sql(text) {
      let statement = cache.get(text)
      if (statement === undefined) {
        if (BARE_LIMIT.test(text)) throw new Error(`write LIMIT ? + 0, see Db.sql: ${text}`)
        statement = raw.prepare(text)
        cache.set(text, statement)
      }
      return statement
    },
  }
}

/** What a command may use: the database, the policy it decides with, and the boot it runs in. */
export interface Room extends Db {
  readonly policy: Policy
  /** Id of this process's life: a running turn of another boot is dead. */
  readonly boot: string
}

/** First row, typed. */
export function one<Row>(statement: Database.Statement, ...args: unknown[]): Row | undefined {
  return statement.get(...args) as Row | undefined
}

export function all<Row>(statement: Database.Statement, ...args: unknown[]): Row[] {
  return statement.all(...args) as Row[]
}

export function parse<T>(text: string | null | undefined, otherwise: T): T {
  return text === null || text === undefined ? otherwise : (JSON.parse(text) as T)
}
