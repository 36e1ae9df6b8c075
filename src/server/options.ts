/** What the server is given. */
import type { GroupMemory } from '../memory/group.js'
import type { Clock, Logger, Millis } from '../messaging/ambient.js'
import type { Store } from '../messaging/store.js'
import type { Serve } from './app.js'
import type { ConnectionStatus, StoreHealth } from './health.js'
import type { Mcp } from './mcp.js'
import type { OpenApiPart } from './openapi.js'

/** How long a client may take. Reading an answer is not limited: streams of events stay open. */
export interface Timeouts {
  /** For all of its headers. */
  headers: Millis
  /** For the whole request, its body included. */
  request: Millis
  /** For the next request on an open connection. */
  idle: Millis
  /** How often the first two are looked at. */
  every: Millis
}
export interface ServerOptions {
  host: string
  /** 0 takes a free one. */
  port: number
  /** null: loopback only, everybody who reaches it may ask. */
  token: string | null
  /** Further host names this server is reached by. */
  hosts?: readonly string[]
  /** Values that must never leave the process. */
  secrets: Iterable<string>
  version: string
  store: Pick<Store, 'receipt' | 'rooms' | 'roomMessages' | 'queue' | 'status' | 'approvals' | 'factsOf'>
  memory: Pick<GroupMemory, 'read' | 'put'>
  /** Whether the store can keep what arrives. Asked for every `GET /health`, so it must be cheap. */
  storeHealth(): StoreHealth | Promise<StoreHealth>
  connections(): readonly ConnectionStatus[]
  serve: Serve
  /** Answers `/mcp`: the tools of running turns. It checks the token itself. Asked for programs on this machine only. */
  mcp?: Mcp | undefined
  /** Folder of the built console. */
  webRoot: string
  /** Largest file taken under `/api/local/`, in bytes. */
  uploadBytes?: number
  /** Descriptions of the paths that `serve` answers. Asked for once, when somebody wants them. */
  openapi?(): readonly OpenApiPart[] | Promise<readonly OpenApiPart[]>
  timeouts?: Partial<Timeouts>
  clock: Clock
  log: Logger
}
