import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { SetupError, say } from './say.mjs'

/** A lock file that has stayed empty for this long belongs to a process that died while it wrote its id. */
const EMPTY_FOR_MS = 5000

/**
 * Runs `work` while no other process of this checkout installs or builds. A lock whose owner is dead is taken over.
 * @template T
 * @param {string} path the lock file
 * @param {() => Promise<T>} work
 * @param {{ pollMs?: number }} [options]
 * @returns {Promise<T>}
 */
export async function withLock(path, work, { pollMs = 250 } = {}) {
  let told = false
  while (!take(path)) {
    const owner = ownerOf(path)
    if (owner === 'dead') {
      rmSync(path, { force: true })
      continue
    }
    if (owner !== 'unknown' && !told) {
      say(`waiting for process ${owner}, which is installing or building here ...`)
      told = true
    }
    await wait(pollMs)
  }
  // A signal ends this process without running `finally`: the next one finds a dead owner.
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** @param {string} path */
function take(path) {
  try {
    mkdirSync(dirname(path), { recursive: true })
  } catch (error) {
    throw notWritable(path, error)
  }
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw notWritable(path, error)
  }
}

/**
 * @param {string} path
 * @param {unknown} error
 */
function notWritable(path, error) {
  return new SetupError(
    `something must be installed or built, and ${dirname(path)} cannot be written (${codeOf(error)}); ` +
      'make the folder writable for the user who runs the command, and run it again.',
  )
}

/**
 * Who holds the lock: a living process, a dead one, or one that cannot be told yet (it is just being written).
 * @param {string} path
 * @returns {number | 'dead' | 'unknown'}
 */
function ownerOf(path) {
  try {
    const owner = Number(readFileSync(path, 'utf8'))
    if (Number.isInteger(owner) && owner > 0) return isAlive(owner) ? owner : 'dead'
    return Date.now() - statSync(path).mtimeMs > EMPTY_FOR_MS ? 'dead' : 'unknown'
  } catch {
    return 'unknown' // released this moment
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return codeOf(error) === 'EPERM'
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
