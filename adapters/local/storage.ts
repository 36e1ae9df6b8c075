/** What is wrong with the storage of the local rooms, as a sentence with its cure, and when it works again. */
import type { Clock, Logger, Millis } from '../../src/messaging/contract.js'
import type { Db } from './db.js'
import type { StoreFailed } from './protocol.js'
import { NEWER } from './store/schema.js'

/** As the command line's exit codes and `--json` name it. */
export type TroubleCode = 'corrupt' | 'full' | 'read-only' | 'in-use' | 'newer' | 'failed'

export interface Trouble {
  code: TroubleCode
  reason: string
  cure: string
}

/** @param what the file, by its path or in words */
export function troubleOf(error: unknown, what: string): Trouble {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = error instanceof Error ? error.message : String(error)
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return {
      code: 'corrupt',
      reason: `${what} is damaged (${message})`,
      cure: 'stop Golem and put a backup in its place, or move it away to begin with empty rooms',
    }
  }
  if (/^SQLITE_FULL/.test(code) || code === 'ENOSPC' || code === 'EDQUOT') {
    return { code: 'full', reason: `the disk that holds ${what} is full`, cure: 'free some space' }
  }
  if (/^SQLITE_IOERR/.test(code)) {
    return {
      code: 'full',
      reason: `${what} cannot be read or written (${code})`,
      cure: "check its disk's free space and health",
    }
  }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM)/.test(code) || /^E(ACCES|PERM|ROFS|NOTDIR|ISDIR|EXIST)$/.test(code)) {
    return {
      code: 'read-only',
      reason: `${what} cannot be opened for writing (${code})`,
      cure: 'give the user that runs Golem write access to the data folder, or set another dataDir',
    }
  }
  if (/^SQLITE_BUSY/.test(code)) {
    return {
      code: 'in-use',
      reason: `${what} is locked by another program`,
      cure: 'close that program (a database viewer?)',
    }
  }
  if (code === NEWER) {
    return {
      code: 'newer',
      reason: message,
      cure: 'start that version, or move the file away to begin with empty rooms',
    }
  }
  return { code: 'failed', reason: `${what} does not work: ${message}`, cure: 'look at the log' }
}

/** How often a storage that failed is tried. */
const PROBE_EVERY: Millis = 2_000
/** More than a message has, so that a disk with a few bytes left does not pass for a free one. */
const PROBE_BYTES = 64 * 1024

/** Failures of the disk, not of a single step. */
const OF_THE_DISK = /^SQLITE_(FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|PERM|BUSY)/

/** Notices when the storage fails, and tries it by a real write until it works again: nobody has to speak for that. */
export class StorageWatch {
  #trouble: Trouble | null = null
  #cancel: (() => void) | null = null
  #stopped = false

  constructor(
    private readonly options: {
      db: Db
      clock: Clock
      log: Logger
      file: string
      changed(trouble: Trouble | null): void
    },
  ) {}

  failed(error: StoreFailed): void {
    const { log, file, changed } = this.options
    if (this.#stopped || this.#trouble !== null || !OF_THE_DISK.test(error.code)) return
    this.#trouble = troubleOf(error, file)
    const { reason, cure } = this.#trouble
    log.warn({ file }, `the local rooms take nothing: ${reason}; ${cure}`)
    changed(this.#trouble)
    this.#probeLater()
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  #probeLater(): void {
    const { clock } = this.options
    this.#cancel = clock.at(clock.now() + PROBE_EVERY, () => {
      this.#probe().catch(() => {
        if (!this.#stopped) this.#probeLater()
      })
    })
  }

  async #probe(): Promise<void> {
    const { db, log, file, changed } = this.options
    // Two commits: what is made and removed within one may never reach the disk.
    await db.call('probe', { bytes: PROBE_BYTES })
    await db.call('probe', { bytes: 0 })
    this.#trouble = null
    log.info({ file }, 'the local rooms work again')
    if (!this.#stopped) changed(null)
  }
}
