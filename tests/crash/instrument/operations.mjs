/**
 * Which operation of the contract a request belongs to. The adapter of the platform under test is wrapped from outside:
 * the daemon's modules are its built ones, untouched.
 *
 * GOLEM_CRASH_PLATFORM  the platform under test
 * GOLEM_CRASH_LOSE      on `local`, whose calls no network can lose: the first operation of this kind has its effect,
 *                       and its answer is lost
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isMainThread } from 'node:worker_threads'
import { hastyAccept } from './mutations.mjs'
import { aroundAsync } from './points.mjs'

export const platform = process.env.GOLEM_CRASH_PLATFORM ?? 'local'
const operations = new AsyncLocalStorage()
let lose = process.env.GOLEM_CRASH_LOSE

/** The kind of operation that is being performed, `settle` while its end is looked up; else undefined. */
export function within() {
  return operations.getStore()
}

if (isMainThread) {
  const { default: adapter } = await import(`../../../dist/adapters/${platform}/index.js`)
  const connect = adapter.connect.bind(adapter)
  adapter.connect = async (settings, host) => wrap(await connect(settings, wrapHost(host)))
}

function wrapHost(host) {
  const accept = (event) => aroundAsync(`${platform} accept`, () => host.accept(event))
  return { ...host, accept: hastyAccept(accept) }
}

function wrap(connection) {
  const perform = connection.perform.bind(connection)
  connection.perform = (op, key, signal) => operations.run(op.kind, () => performed(perform, op, key, signal))
  const settle = connection.settle?.bind(connection)
  if (settle) connection.settle = (op, key) => operations.run('settle', () => settle(op, key))
  return connection
}

async function performed(perform, op, key, signal) {
  // Elsewhere the requests are the points.
  const call = () => perform(op, key, signal)
  const receipt = await (platform === 'local' ? aroundAsync(`local ${op.kind}`, call) : call())
  if (op.kind !== lose) return receipt
  lose = undefined
  throw new Error('the answer was lost')
}
