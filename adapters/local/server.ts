/** What the parts of the local chat server share: one connection's store, streams and way to the core. */
import type { BotIdentity, Clock, Logger } from '../../src/messaging/contract.js'
import type { Db } from './db.js'
import type { Deliverer, Outcome } from './deliver.js'
import type { Files } from './files.js'
import type { Presenter } from './present.js'
import type { CommandName, In, Out } from './protocol.js'
import type { Hub } from './sse.js'

export interface ChatServer {
  readonly db: Db
  readonly hub: Hub
  readonly files: Files
  readonly deliverer: Deliverer
  readonly present: Presenter
  readonly self: BotIdentity
  readonly clock: Clock
  readonly log: Logger
}

/** A step that writes: rows the core has accepted meanwhile are deleted in the same commit. */
export function write<N extends CommandName>(server: ChatServer, name: N, input: In<N>): Promise<Out<N>> {
  server.deliverer.flush()
  return server.db.call(name, input)
}

/** A step of a person: resolves when the core has it as well, or when it is clear that it has to wait. */
export async function tell<N extends 'changeRoom' | 'say' | 'amend' | 'retract' | 'mark' | 'press'>(
  server: ChatServer,
  name: N,
  input: In<N>,
): Promise<{ output: Out<N>; outcome: Outcome }> {
  const output = await write(server, name, input)
  const { delivery } = output
  return { output, outcome: delivery === undefined ? 'accepted' : await server.deliverer.outcome(delivery) }
}

/** Removes bytes whose message is gone. What fails is found again at the next start. */
export async function removeFiles(server: ChatServer, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  try {
    await server.files.remove(ids)
    await write(server, 'forgetFiles', { ids: [...ids] })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    server.log.warn(
      { reason },
      'a deleted file could not be removed yet; it is tried again at the next start',
    )
  }
}
