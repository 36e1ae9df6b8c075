/**
 * Slack: Socket Mode or HTTP events in, the Web API out. The SDKs are loaded with the first connection.
 */
import type { Platform } from '../../src/messaging/contract.js'
import { CAPABILITIES, LIMITS } from './limits.js'
import type { SlackRaw } from './raw.js'
import { read } from './read.js'
import { type SlackSettings, slackSettings } from './settings.js'
import { write } from './write.js'

export type { SlackRaw } from './raw.js'
export type { SlackSettings } from './settings.js'

const slack: Platform<SlackRaw, SlackSettings> = {
  id: 'slack',
  settings: slackSettings,
  limits: LIMITS,
  can: CAPABILITIES,
  codec: { read, write },
  async connect(settings, host) {
    const { connectSlack } = await import('./connection.js')
    return connectSlack(settings, host)
  },
}

export default slack
