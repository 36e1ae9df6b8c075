/**
 * A Slack workspace in a box, for the unpatched SDKs of Slack: Web API, Socket Mode, Events API, interactivity, files.
 *
 * Not simulated: OAuth and several workspaces of one app, Enterprise Grid, workflows, canvases, lists, huddles, search,
 * scheduled and streamed messages, attachments of old (kept as sent, not shown), unfurled links, hourly retries of
 * delayed events, the limit of 30,000 events an hour. Where no page of the vendor says how Slack reads something, the
 * simulator is the stricter one: a token that was not escaped pages, inside code too.
 */
import type { SlackOptions } from './options.js'
import { SlackSimulator } from './simulator.js'

export { type Flood, flood } from '../kit/flood.js'
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
