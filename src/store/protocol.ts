/** What goes between the main thread and the store's worker. */
import type { MessagePort } from 'node:worker_threads'
import type { Policy } from '../messaging/roster.js'
import type { Commands } from './commands-table.js'
import type { StoreErrorCode } from './error.js'

export interface WorkerData {
  dataDir: string
  policy: Policy
  boot: string
  now: number
  /** Most pages the file may have; a full disk in a box, for tests. */
  maxPages?: number
}

export interface Request {
  id: number
  name: keyof Commands | 'close'
  args: unknown[]
}

export type Reply =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; code: StoreErrorCode; message: string }

export type FromWorker =
  | { kind: 'ready'; recovered: { requeued: number; interrupted: number; ambiguous: number } }
  | { kind: 'refused'; code: StoreErrorCode; message: string }
  | { kind: 'replies'; replies: Reply[] }
  | { kind: 'closed' }

/** Another module's share of the thread: it is loaded here and talks over its own port. */
export interface Load {
  kind: 'load'
  url: string
  data: unknown
  port: MessagePort
}

export interface Batch {
  kind: 'commands'
  requests: Request[]
  /** Nobody waits for these: they may ride along with the next commit, for a few milliseconds. */
  patient: boolean
}
export type ToWorker = Batch | Load

/** What such a module exports by default. */
export type Guest = (port: MessagePort, data: unknown) => void
