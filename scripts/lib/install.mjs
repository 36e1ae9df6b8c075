import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, runToEnd } from './child.mjs'
import { compilerEnv } from './compiler-cache.mjs'
import { hashFiles, readStamp, writeStamp } from './files.mjs'
import { explainInstallFailure, mayPass, NO_NETWORK } from './install-failure.mjs'
import { SetupError, say, took } from './say.mjs'

const STAMP = 'node_modules/.golem-installed'

/**
 * What an up-to-date node_modules is stamped with. Compiled packages fit one Node only, so its binary interface counts.
 * @param {string} root
 */
function wanted(root) {
  const node = `${process.versions.modules} ${process.platform} ${process.arch}`
  return hashFiles(root, ['package-lock.json'], node)
}

/**
 * Whether node_modules is known to be what package-lock.json asks for. Costs a millisecond: one hash.
 * @param {string} root
 */
export function isInstalled(root) {
  return existsSync(join(root, 'package-lock.json')) && readStamp(join(root, STAMP)) === wanted(root)
}

/**
 * Installs what package-lock.json names and node_modules lacks, and proves that the compiled package loads.
 * @param {string} root the checkout
 * @throws {SetupError} with one sentence: what failed and the cure
 */
export async function install(root) {
  if (!existsSync(join(root, 'package-lock.json'))) {
    throw new SetupError(
      `there is no package-lock.json in ${root}; run this from a full checkout of the project.`,
    )
  }
  const state = installedState(root)
  const since = Date.now()
  if (state !== 'complete') {
    say(
      state === 'missing'
        ? 'installing packages (better-sqlite3 compiles once, about a minute) ...'
        : 'installing the packages that changed ...',
    )
    // Only what differs is fetched where a tree exists: a new lint tool does not compile the database again.
    let result = state === 'differs' ? await callNpm(root, ['install', '--no-save']) : undefined
    if (result?.code !== 0) result = await callNpm(root, ['ci'])
    if (result.code !== 0) fail(result.output)
  }
  if (!(await databaseLoads(root))) {
    // Left uncompiled by `ignore-scripts`, or compiled for another Node.
    say(`compiling better-sqlite3 for Node ${process.versions.node} (once, about a minute) ...`)
    const result = await callNpm(root, ['rebuild', 'better-sqlite3', '--ignore-scripts=false'])
    if (result.code !== 0) fail(result.output)
    if (!(await databaseLoads(root))) {
      throw new SetupError(
        'better-sqlite3 is installed but does not load with this Node; remove node_modules, and run the command again.',
      )
    }
  }
  writeStamp(join(root, STAMP), wanted(root))
  if (state !== 'complete') say(`packages installed in ${took(since)}`)
}

/**
 * Compares the lock with npm's own note of what it installed: `complete` when every package is there in its version.
 * @param {string} root
 * @returns {'missing' | 'differs' | 'complete'}
 */
export function installedState(root) {
  const note = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(note)) return 'missing' // never installed, or an install that was cut off
  const want = readLock(join(root, 'package-lock.json'))
  const have = readLock(note)
  for (const [path, entry] of Object.entries(want)) {
    if (path === '') continue
    const there = have[path]
    // Optional packages are for other platforms, mostly; npm decides which of them belong here.
    if (there === undefined ? entry.optional !== true : there.version !== entry.version) return 'differs'
  }
  return 'complete'
}

/**
 * @param {string} path
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function readLock(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages ?? {}
}

/** @param {string} root */
async function databaseLoads(root) {
  if (!existsSync(join(root, 'node_modules/better-sqlite3'))) return true
  const program = "new (require('better-sqlite3'))(':memory:').close()"
  return (await runToEnd(process.execPath, ['-e', program], { cwd: root })).code === 0
}

/**
 * Calls npm. Where there is no network it is ended at the first sign of it: by itself it would look for each of some
 * hundred packages, for minutes. A network that only stumbled gets a second, patient try, which starts from what the
 * first one downloaded.
 * @param {string} root
 * @param {readonly string[]} args
 */
async function callNpm(root, args) {
  const first = await callNpmOnce(root, [...args, '--fetch-retries=0'])
  return first.code !== 0 && mayPass(first.output) ? await callNpmOnce(root, args) : first
}

/**
 * @param {string} root
 * @param {readonly string[]} args
 */
async function callNpmOnce(root, args) {
  const { program, args: first } = npm()
  // The dev tools build the program, whatever NODE_ENV says. What npm's cache has needs no network.
  const settings = ['--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=http']
  try {
    return await runToEnd(program, [...first, ...args, ...settings], {
      cwd: root,
      env: compilerEnv(),
      stopAt: NO_NETWORK,
    })
  } catch {
    throw new SetupError(
      'npm could not be started; install it (it comes with Node), and run the command again.',
    )
  }
}

/**
 * @param {string} output
 * @returns {never}
 */
function fail(output) {
  // npm's list of requests and its usage text would push the reason off the screen.
  const [words = ''] = output.split(/^npm (?:error|ERR!) (?:Usage:|Clean install a project)/m)
  const lines = words.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('npm http '))
  for (const line of lines.slice(-20)) process.stderr.write(`${line}\n`)
  throw new SetupError(explainInstallFailure(output))
}
