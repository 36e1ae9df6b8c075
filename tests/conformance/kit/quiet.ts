import type { Session } from './session.js'

/** Everything that is under way has happened: the loop has turned, and the platform has been asked and has answered. */
export async function quiet(session: Session): Promise<void> {
  for (let round = 0; round < 3; round++) {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    await session.scene.seen(session.chat).catch(() => [])
    // The network of one machine: an answer that was sent has arrived by then.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
