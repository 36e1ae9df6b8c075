/** The store, read-only and from outside the daemon: `golem why`, `status` and `queue`, whether it runs or not. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Policy } from '../messaging/roster.js'
import type { Store } from '../messaging/store.js'
import { wrap } from './db.js'
import { StoreError, storeError } from './error.js'
import { factsOf } from './facts.js'
import { MIGRATIONS } from './migrations.js'
import { DATABASE } from './open.js'
import * as queries from './queries.js'
import { findMessage, receiptOf } from './receipts.js'

export interface Reader extends Pick<Store, 'receipt' | 'queue' | 'status' | 'rooms' | 'factsOf'> {
  close(): Promise<void>
}

/**
 * Opens a data folder for reading.
 *
 * @throws {StoreError} missing, corrupt, or written by another version
 */
export function openReader(dataDir: string, policy: Policy | null = null): Reader {
  const file = join(dataDir, DATABASE)
  if (!existsSync(file))
    throw new StoreError(
      'missing',
      `There is no store at ${file} yet. Start golem once, or point --config at the golem.yaml it runs with.`,
    )
  try {
    const raw = new Database(file, { readonly: true, fileMustExist: true, timeout: 2_000 })
    const version = raw.pragma('user_version', { simple: true }) as number
    if (version !== MIGRATIONS.length) {
      raw.close()
      throw new StoreError(
        'newer',
        `${file} has schema ${version}, this golem reads ${MIGRATIONS.length}. Use the golem that wrote it, or start this one once.`,
      )
    }
    const db = wrap(raw)
    const guard = async <T>(read: () => T): Promise<T> => {
      try {
        return read()
      } catch (error) {
        throw storeError(error, file)
      }
    }
    return {
      receipt: (reference) =>
        guard(() => {
          const row = findMessage(db, reference)
          return row === null ? null : receiptOf(db, row.id)
        }),
      queue: () => guard(() => queries.queue(db)),
      status: () => guard(() => queries.status(db)),
      rooms: () => guard(() => queries.rooms(db, policy)),
      factsOf: (chatKey, now) => guard(() => factsOf(db, chatKey, now)),
      async close() {
        raw.close()
      },
    }
  } catch (error) {
    throw storeError(error, file)
  }
}
