/**
 * Loaded before the daemon (`node --import`): finds every durable write and every call of the local platform, numbers
 * them by name, writes them down, and kills the process at the one that is asked for. The product knows nothing of it.
 *
 * GOLEM_CRASH_TRACE  file to which each point's name is appended
 * GOLEM_CRASH_AT     name of the point at which the process dies, e.g. `golem.db commit before #4`
 */
import fs from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { isMainThread } from 'node:worker_threads'

const { appendFileSync } = fs
const trace = process.env.GOLEM_CRASH_TRACE
const target = process.env.GOLEM_CRASH_AT
const counts = new Map()

function point(name) {
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  const id = `${name} #${count}`
  if (trace) appendFileSync(trace, `${id}\n`)
  if (id !== target) return
  process.kill(process.pid, 'SIGKILL')
  // The signal takes the whole process; this thread does not get one step further.
  for (;;);
}

// ---- SQLite: a commit, or a write outside of a transaction ----

const require = createRequire(new URL('../../package.json', import.meta.url))
const Database = require('better-sqlite3')
const CONTROL = /^\s*(BEGIN|SAVEPOINT|RELEASE|ROLLBACK)/i
const { prepare, transaction, exec } = Database.prototype

/** A commit of nothing but reads writes nothing: polls of a test must not make points. */
const seen = new WeakMap()
function hasChanged(db) {
  const total = prepare.call(db, 'SELECT total_changes()').pluck().get()
  const changed = total !== seen.get(db)
  seen.set(db, total)
  return changed
}

Database.prototype.prepare = function patched(sql) {
  const statement = prepare.call(this, sql)
  const commit = /^\s*COMMIT/i.test(sql)
  if (CONTROL.test(sql) || (statement.readonly && !commit)) return statement
  const { run } = statement
  statement.run = (...args) => {
    const durable = commit ? hasChanged(this) : !this.inTransaction
    const name = `${basename(this.name)} commit`
    if (durable) point(`${name} before`)
    const result = run.apply(statement, args)
    if (durable) point(`${name} after`)
    return result
  }
  return statement
}
Database.prototype.exec = function patched(sql) {
  const commit = /^\s*COMMIT/i.test(sql)
  const durable = commit ? hasChanged(this) : !this.inTransaction && !CONTROL.test(sql)
  const name = `${basename(this.name)} commit`
  if (durable) point(`${name} before`)
  const result = exec.call(this, sql)
  if (durable) point(`${name} after`)
  return result
}
Database.prototype.transaction = function patched(work) {
  const name = `${basename(this.name)} commit`
  const made = transaction.call(this, (...args) => {
    const result = work(...args)
    point(`${name} before`)
    return result
  })
  const noted =
    (run) =>
    (...args) => {
      const result = run(...args)
      point(`${name} after`)
      return result
    }
  const { deferred, immediate, exclusive } = made
  return Object.assign(noted(made), {
    default: noted(made),
    deferred: noted(deferred),
    immediate: noted(immediate),
    exclusive: noted(exclusive),
  })
}

// ---- files: what is made durable, and what takes another's place ----

const { fsyncSync, renameSync } = fs
fs.fsyncSync = (fd) => around('file sync', () => fsyncSync(fd))
fs.renameSync = (from, to) => around('file rename', () => renameSync(from, to))
const { link, open, rename } = fs.promises
fs.promises.rename = (from, to) => aroundAsync('file rename', () => rename(from, to))
fs.promises.link = (from, to) => aroundAsync('file link', () => link(from, to))
fs.promises.open = async (...args) => {
  const handle = await open(...args)
  const sync = handle.sync.bind(handle)
  handle.sync = () => aroundAsync('file sync', sync)
  return handle
}
syncBuiltinESMExports()

function around(name, run) {
  point(`${name} before`)
  const result = run()
  point(`${name} after`)
  return result
}

async function aroundAsync(name, run) {
  point(`${name} before`)
  const result = await run()
  point(`${name} after`)
  return result
}

// ---- the local platform: what it hands in, and what it is asked to do ----

if (isMainThread) {
  const { default: local } = await import('../../dist/adapters/local/index.js')
  const connect = local.connect.bind(local)
  local.connect = async (settings, host) => {
    const connection = await connect(settings, {
      ...host,
      accept: (event) => aroundAsync('local accept', () => host.accept(event)),
    })
    const perform = connection.perform.bind(connection)
    connection.perform = (op, key, signal) => aroundAsync(`local ${op.kind}`, () => perform(op, key, signal))
    return connection
  }
}
