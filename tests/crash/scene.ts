/** Where a scenario plays: a chat of some platform, as the people in it use it, whatever becomes of the daemon. */
import type { Seen } from '../simulators/kit/stage.js'
import type { Daemon } from './daemon.js'

export type Who = 'Ann' | 'Bob'

export interface Spoken {
  /** To the others, not to Golem. */
  aside?: boolean
  /** As a reply to this message; in its thread, where replies make threads. */
  to?: string
}

/** How an answer is lost whose post had its effect: the connection is cut, or nothing comes any more. */
export type Loss = 'cut' | 'hang'

export interface Scene {
  /** `channels` of golem.yaml. */
  readonly channels: Readonly<Record<string, unknown>>
  /** What the instrument is told in the first life. */
  readonly firstEnv: Readonly<Record<string, string>>
  /** Called once, before the daemon is started. */
  begin(daemon: Daemon): void
  /** The daemon has died and comes back `ms` later: so much time has passed for the platform as well. */
  away(ms: number): void

  /** A person speaks to Golem; or to the others. Returns the message's native id once the platform has it. */
  say(who: Who, text: string, options?: Spoken): Promise<string>
  edit(id: string, text: string): Promise<void>
  press(id: string, who: Who, value: string): Promise<void>
  /** Sends everything again that was acknowledged, as platforms do. */
  redeliver(): Promise<void>

  /** What an answer to this message is shown to quote: where quotes are threads, the thread's first message. */
  anchor(id: string): string
  /** What the viewer sees now. */
  seen(viewer?: Who): Promise<readonly Seen[]>
  /** Everything that was said has been acknowledged. */
  isDelivered(): boolean
  /** The core's key of a message: `connection:chat:id`. */
  key(id: string): string
  close(): Promise<void>
}

export interface SceneOptions {
  how: 'socket' | 'webhook'
  where: 'group' | 'dm'
  /** The first post of an answer loses its answer from the platform. */
  lose: Loss | null
}
