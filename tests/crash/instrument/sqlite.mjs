/** SQLite: a commit, or a write outside of a transaction. */
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { mutated } from './mutations.mjs'
import { point } from './points.mjs'

const require = createRequire(new URL('../../../package.json', import.meta.url))
const Database = require('better-sqlite3')
const CONTROL = /^\s*(BEGIN|SAVEPOINT|RELEASE|ROLLBACK)/i
const { prepare, transaction, exec, pragma } = Database.prototype

/** A commit of nothing but reads writes nothing: polls of a test must not make points. */
const seen = new WeakMap()
function hasChanged(db) {
  const total = prepare.call(db, 'SELECT total_changes()').pluck().get()
  const changed = total !== seen.get(db)
  seen.set(db, total)
  return changed
}

const nameOf = (db) => `${basename(db.name)} commit`

Database.prototype.prepare = function patched(text) {
  const sql = mutated(text)
  const statement = prepare.call(this, sql)
  const commit = /^\s*COMMIT/i.test(sql)
  if (CONTROL.test(sql) || (statement.readonly && !commit)) return statement
  const { run } = statement
  statement.run = (...args) => {
    const durable = commit ? hasChanged(this) : !this.inTransaction
    if (durable) point(`${nameOf(this)} before`)
    const result = run.apply(statement, args)
    if (durable) point(`${nameOf(this)} after`)
    return result
  }
  return statement
}

Database.prototype.exec = function patched(text) {
  const sql = mutated(text)
  const commit = /^\s*COMMIT/i.test(sql)
  const durable = commit ? hasChanged(this) : !this.inTransaction && !CONTROL.test(sql)
  if (durable) point(`${nameOf(this)} before`)
  const result = exec.call(this, sql)
  if (durable) point(`${nameOf(this)} after`)
  return result
}

Database.prototype.pragma = function patched(text, options) {
  return pragma.call(this, mutated(text), options)
}

Database.prototype.transaction = function patched(work) {
  const made = transaction.call(this, (...args) => {
    const result = work(...args)
    point(`${nameOf(this)} before`)
    return result
  })
  const noted =
    (run) =>
    (...args) => {
      const result = run(...args)
      point(`${nameOf(this)} after`)
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
