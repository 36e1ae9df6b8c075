/**
 * The thread that owns the database. Commands that come in together share one transaction and one fsync (group commit).
 * When one of them fails, nothing of it stands, and they run again, each behind a savepoint of its own, so that it takes no
 * other with it. Nobody is told of a result before the commit.
 */
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { COMMANDS } from './commands-table.js'
import type { Room } from './db.js'
import { StoreError, storeError } from './error.js'
import { refreshStaleLanes } from './lanes.js'
import { DATABASE, type Opened, openDatabase } from './open.js'
import type { FromWorker, Guest, Load, Reply, Request, ToWorker, WorkerData } from './protocol.js'
import { indexBacklog } from './search.js'

/** Commands that share a commit at most: bounds how long one waits for the others. */
const BATCH = 512
/** Commits between two looks at what waits for the search index. */
const INDEX_EVERY = 32
/** How long patient commands wait for company, in milliseconds. */
const PATIENCE = 5

if (parentPort === null) throw new Error('store/worker runs as a worker thread')
const port = parentPort
const data = workerData as WorkerData
const file = join(data.dataDir, DATABASE)
const send = (message: FromWorker): void => port.postMessage(message)

function start(opened: Opened): void {
  const { db } = opened
  const room: Room = { ...db, policy: data.policy, boot: data.boot }
  if (data.maxPages !== undefined) db.raw.pragma(`max_page_count = ${data.maxPages}`)
  const begin = db.raw.prepare('BEGIN IMMEDIATE')
  const commit = db.raw.prepare('COMMIT')
  const rollback = db.raw.prepare('ROLLBACK')
  const save = db.raw.prepare('SAVEPOINT command')
  const release = db.raw.prepare('RELEASE command')
  const undo = db.raw.prepare('ROLLBACK TO command')

  begin.run()
  const recovered = COMMANDS.recover(room, data.now)
  refreshStaleLanes(room)
  commit.run()

  let waiting: Request[] = []
  let batches = 0
  let scheduled = false
  let closing = false

  const run = ({ id, name, args }: Request): Reply => {
    const command = COMMANDS[name as keyof typeof COMMANDS] as (room: Room, ...args: unknown[]) => unknown
    return { id, ok: true, value: command(room, ...args) }
  }

  /** Behind a savepoint: a command that fails takes no other with it. */
  const runGuarded = (request: Request): Reply => {
    save.run()
    try {
      const reply = run(request)
      release.run()
      return reply
    } catch (error) {
      // SQLite itself has ended the transaction on a full or broken disk: then nothing of the batch stands.
      if (!db.raw.inTransaction) throw error
      undo.run()
      release.run()
      const { code, message } = storeError(error, file)
      return { id: request.id, ok: false, code, message }
    }
  }

  const commitAll = (requests: readonly Request[], one: (request: Request) => Reply): Reply[] => {
    begin.run()
    const replies = requests.map(one)
    refreshStaleLanes(room)
    if (++batches % INDEX_EVERY === 0) indexBacklog(db)
    commit.run()
    return replies
  }

  const runBatch = (requests: readonly Request[]): Reply[] => {
    try {
      return commitAll(requests, run)
    } catch {
      // Hardly ever: a savepoint for each command would cost a quarter of its time, so only now does each get one.
      if (db.raw.inTransaction) rollback.run()
    }
    try {
      return commitAll(requests, runGuarded)
    } catch (error) {
      if (db.raw.inTransaction) rollback.run()
      const { code, message } = storeError(error, file)
      return requests.map(({ id }) => ({ id, ok: false, code, message }))
    }
  }

  const flush = (): void => {
    scheduled = false
    const batch = waiting.slice(0, BATCH)
    waiting = waiting.slice(BATCH)
    const close = batch.findIndex((request) => request.name === 'close')
    const commands = close < 0 ? batch : batch.slice(0, close)
    if (commands.length > 0) send({ kind: 'replies', replies: runBatch(commands) })
    if (close >= 0) {
      closing = true
      opened.close()
      send({ kind: 'closed' })
      port.close()
      return
    }
    if (waiting.length > 0) schedule()
  }
  const schedule = (): void => {
    if (scheduled || closing) return
    scheduled = true
    setImmediate(flush)
  }
  let isPatient = false

  port.on('message', (message: ToWorker) => {
    if (message.kind === 'load') return load(message)
    waiting.push(...message.requests)
    if (!message.patient) schedule()
    else if (!isPatient) {
      isPatient = true
      setTimeout(() => {
        isPatient = false
        if (waiting.length > 0) schedule()
      }, PATIENCE)
    }
  })
  send({ kind: 'ready', recovered })
}

/** A connection's own storage shares this thread. What is wrong with it is its own affair: its port closes. */
function load({ url, data: given, port: theirs }: Load): void {
  import(url).then((module: { default: Guest }) => module.default(theirs, given)).catch(() => theirs.close())
}

try {
  start(openDatabase(data.dataDir, data.boot))
} catch (error) {
  const { code, message } = error instanceof StoreError ? error : storeError(error, file)
  send({ kind: 'refused', code, message })
  port.close()
}
