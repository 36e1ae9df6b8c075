/** Opens and migrates the database. Runs in the store's worker. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Db, wrap } from './db.js'
import { oneLine, StoreError, storeError } from './error.js'
import { MIGRATIONS } from './migrations.js'

export const DATABASE = 'golem.db'
const LOCK = 'golem.lock'
const OWNER = 'golem.pid'
/** Up to this size the whole file is checked at start; above it that would hold up the start. */
const CHECK_BYTES = 64 * 1024 * 1024

export interface Opened {
  db: Db
  close(): void
}

/**
 * Opens `<dataDir>/golem.db` for the one daemon that owns the folder.
 *
 * @throws {StoreError} in use, read-only, full, corrupt, or written by a newer Golem
 */
export function openDatabase(dataDir: string, boot: string): Opened {
  const file = join(dataDir, DATABASE)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw storeError(error, dataDir)
  }
  const lock = takeLock(dataDir, boot)
  try {
    const raw = new Database(file)
    try {
      prepare(raw, file)
      return {
        db: wrap(raw),
        close() {
          try {
            raw.pragma('wal_checkpoint(TRUNCATE)')
          } catch {
            // A full disk: the log stays beside the file and is read at the next start.
          }
          raw.close()
          lock.close()
        },
      }
    } catch (error) {
      raw.close()
      throw error
    }
  } catch (error) {
    lock.close()
    throw storeError(error, file)
  }
}

function prepare(raw: Database.Database, file: string): void {
  raw.pragma('journal_mode = WAL')
  // A commit is on the disk before anybody hears of it.
  raw.pragma('synchronous = FULL')
  raw.pragma('foreign_keys = ON')
  raw.pragma('temp_store = MEMORY')
  raw.pragma('cache_size = -8000')
  // Small checkpoints: one that writes back much at once would hold up every answer meanwhile.
  raw.pragma('wal_autocheckpoint = 1000')
  if (statSync(file).size <= CHECK_BYTES) {
    const verdict = raw.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok')
      throw new StoreError(
        'corrupt',
        `${file} is damaged (${oneLine(String(verdict))}). Nothing was changed. Move it aside and restore a backup, or start with a new dataDir.`,
      )
  }
  migrate(raw, file)
  raw
    .prepare("INSERT INTO meta (key, value) VALUES ('secret', ?) ON CONFLICT (key) DO NOTHING")
    .run(randomBytes(32).toString('base64url'))
}

function migrate(raw: Database.Database, file: string): void {
  const from = raw.pragma('user_version', { simple: true }) as number
  if (from > MIGRATIONS.length)
    throw new StoreError(
      'newer',
      `${file} was written by a newer Golem (schema ${from}, this one knows ${MIGRATIONS.length}). Start the newer Golem, or use another dataDir.`,
    )
  for (let step = from; step < MIGRATIONS.length; step++)
    raw.transaction(() => {
      raw.exec(MIGRATIONS[step] ?? '')
      raw.pragma(`user_version = ${step + 1}`)
    })()
}

/**
 * One daemon a data folder. The lock is a SQLite file held exclusively: the kernel drops it with the process, however
 * that ends, so there is never a stale one. `golem.pid` only tells people who holds it.
 */
function takeLock(dataDir: string, boot: string): Database.Database {
  const path = join(dataDir, LOCK)
  const owner = join(dataDir, OWNER)
  let lock: Database.Database
  try {
    lock = new Database(path, { timeout: 0 })
  } catch (error) {
    throw storeError(error, path)
  }
  try {
    lock.pragma('journal_mode = MEMORY')
    lock.pragma('locking_mode = EXCLUSIVE')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    const wrapped = storeError(error, path)
    if (wrapped.code === 'corrupt')
      throw new StoreError(
        'corrupt',
        `${path} is no lock file of Golem. It holds nothing: remove it, and start again.`,
        { cause: error },
      )
    if (wrapped.code !== 'in-use') throw wrapped
    throw new StoreError(
      'in-use',
      `The data folder ${dataDir} is in use by another golem${describe(owner)}. Stop it, or give this one a dataDir of its own.`,
      { cause: error },
    )
  }
  try {
    writeFileSync(owner, `${JSON.stringify({ pid: process.pid, boot, since: new Date().toISOString() })}\n`)
  } catch (error) {
    lock.close()
    throw storeError(error, owner)
  }
  return lock
}

function describe(owner: string): string {
  try {
    if (!existsSync(owner)) return ''
    const { pid } = JSON.parse(readFileSync(owner, 'utf8')) as { pid?: number }
    return pid === undefined ? '' : ` (process ${pid})`
  } catch {
    return ''
  }
}
