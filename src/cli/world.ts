/** What a command may touch of the world. Passed in, so that tests own it; rooms of the house are loaded when needed. */
import type { Clock, Logger, Millis } from '../messaging/ambient.js'
import type { Store } from '../messaging/store.js'

/** A stream people or programs read. */
export interface Output {
  write(text: string): void
  readonly isTTY: boolean
  /** Of a terminal. */
  readonly columns?: number | undefined
}

/** The store as commands see it: read-only, whether the daemon runs or not. */
export interface Reader extends Pick<Store, 'receipt' | 'queue' | 'status' | 'rooms' | 'factsOf'> {
  close(): Promise<void>
}

export interface StartOptions {
  configFile: string
  port?: number
  host?: string
  version: string
  log: Logger
  /** Values the log must never show, once they are known. */
  hide(secrets: Iterable<string>): void
}

export interface RunningGateway {
  url: string
  port: number
  /** The room and the name to try first, where the configuration has such a room. */
  firstThing?: { room: string; mention: string }
  /** Settles when the gateway has ended; rejects when it ended by itself. */
  readonly closed: Promise<void>
  close(deadline: Millis): Promise<void>
}

export interface SimulateOptions {
  /** 0: any free port. */
  port: number
  /** Of the bot. */
  name: string
  /** Whether the platform's rate limits hold. */
  limits: 'enforced' | 'off'
}

/** A platform in a box, as the command line uses it. */
export interface Simulated {
  readonly platform: string
  readonly url: string
  readonly bot: { id: string; name: string }
  /** What `channels.<platform>` of golem.yaml needs to connect to it. */
  settings(how: 'socket' | 'webhook'): Record<string, unknown>
  person(name: string): { id: string; name: string }
  group(title: string, people: readonly { id: string; name: string }[]): string
  dm(person: { id: string; name: string }): string
  chats(): readonly { id: string; title: string; kind: 'dm' | 'group' }[]
  /** Where it posts its webhooks. */
  webhook(url: string): void
  close(): Promise<void>
}

/** By platform: the port it usually has, and how it is started. */
export type Simulators = Readonly<
  Record<string, { port: number; start(options: SimulateOptions): Promise<Simulated> }>
>

export type ProcessEvent = 'SIGHUP' | 'SIGINT' | 'SIGTERM' | 'uncaughtException' | 'unhandledRejection'

export interface World {
  stdout: Output
  stderr: Output
  env: Readonly<Record<string, string | undefined>>
  /** Where relative paths on the command line start. */
  cwd: string
  pid: number
  clock: Clock
  /** Listens to the process. Returns its own undo. */
  on(event: ProcessEvent, run: (reason: unknown) => void): () => void
  /** Opens a file in an editor, which has the terminal. Resolves to its exit code when it is closed. */
  edit(editor: string, file: string): Promise<number>
  /** Ends the process now. */
  exit(code: number): void
  version(): string
  loadStart(): Promise<(options: StartOptions) => Promise<RunningGateway>>
  loadReader(): Promise<(dataDir: string) => Reader>
  loadSimulators(): Promise<Simulators>
}
