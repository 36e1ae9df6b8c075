/** Many messages at a steady rate, for load. */
import type { TelegramSimulator } from './simulator.js'

export interface FloodOptions {
  perSecond: number
  seconds: number
  /** Spread over this many groups. */
  chats?: number
  text?: (index: number) => string
}

/** How often messages are sent, in milliseconds: a burst each time. */
const STEP_MS = 10

/**
 * People say `perSecond` messages a second, by the simulator's clock. Resolves when the last was said, not when it was
 * delivered: wait for `pending` to be 0.
 *
 * @returns how many were said, and the chats they were said in
 */
export async function flood(
  simulator: TelegramSimulator,
  { perSecond, seconds, chats = 10, text = (index) => `message ${index}` }: FloodOptions,
): Promise<{ said: number; chats: readonly string[] }> {
  const speaker = simulator.person('Crowd')
  const ids = Array.from({ length: chats }, (_, index) => simulator.group(`Load ${index}`, [speaker]))
  const { clock } = simulator
  const start = clock.now()
  const total = Math.round(perSecond * seconds)
  let said = 0
  while (said < total) {
    const due = Math.min(total, Math.floor(((clock.now() - start) / 1000) * perSecond))
    for (; said < due; said++) simulator.say(ids[said % chats] as string, speaker, text(said))
    if (said < total) await clock.sleep(STEP_MS)
  }
  return { said, chats: ids }
}
