/** A Slack workspace in a box, for the unpatched SDKs of Slack. */
import type { SlackOptions } from './options.js'
import { SlackSimulator } from './simulator.js'

export { type Flood, flood } from './flood.js'
export type { SlackOptions } from './options.js'
export type { ChannelOptions, PersonOptions, SlackSaid } from './people.js'
export { SlackSimulator } from './simulator.js'

/**
 * Starts a workspace with one app in it, on 127.0.0.1.
 *
 * @throws the listener's error, e.g. `EADDRINUSE`
 */
export function startSlack(options: SlackOptions = {}): Promise<SlackSimulator> {
  return SlackSimulator.start(options)
}
