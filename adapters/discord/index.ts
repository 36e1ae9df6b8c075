/**
 * Discord: the gateway in, REST out. The SDK is loaded with the first connection.
 */
import type { Platform } from '../../src/messaging/contract.js'
import { CAPABILITIES, LIMITS } from './limits.js'
import type { DiscordRaw } from './raw.js'
import { read } from './read.js'
import { type DiscordSettings, discordSettings } from './settings.js'
import { write } from './write.js'

export type { DiscordRaw } from './raw.js'
export type { DiscordSettings } from './settings.js'

const discord: Platform<DiscordRaw, DiscordSettings> = {
  id: 'discord',
  settings: discordSettings,
  limits: LIMITS,
  can: CAPABILITIES,
  codec: { read, write },
  async connect(settings, host) {
    const { connectDiscord } = await import('./connection.js')
    return connectDiscord(settings, host)
  },
}

export default discord
