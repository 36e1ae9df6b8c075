/**
 * `local`: a chat platform in a box, behind the same contract as Slack or Telegram. Web rooms with people, threads,
 * quote replies, edits, deletions, reactions, buttons and files, over HTTP and server-sent events.
 */
import type { Platform } from '../../src/messaging/contract.js'
import { CAPABILITIES, LIMITS } from './limits.js'
import type { LocalRaw } from './raw.js'
import { read } from './read.js'
import { type LocalSettings, localSettings } from './settings.js'
import { write } from './write.js'

export type { LocalRaw } from './raw.js'
export type { LocalSettings } from './settings.js'

const local: Platform<LocalRaw, LocalSettings> = {
  id: 'local',
  settings: localSettings,
  limits: LIMITS,
  can: CAPABILITIES,
  codec: { read, write },
  async connect(settings, host) {
    const { connectLocal } = await import('./connection.js')
    return connectLocal(settings, host)
  },
}

export default local
