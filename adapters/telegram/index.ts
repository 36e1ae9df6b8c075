/** Telegram behind the contract, through grammY's client: long polling or a webhook. */
import type { Platform } from '../../src/messaging/contract.js'
import { CAPABILITIES, LIMITS } from './limits.js'
import type { TelegramRaw } from './raw.js'
import { read } from './read.js'
import { type TelegramSettings, telegramSettings } from './settings.js'
import { write } from './write.js'

export type { TelegramRaw } from './raw.js'
export type { TelegramSettings } from './settings.js'

const telegram: Platform<TelegramRaw, TelegramSettings> = {
  id: 'telegram',
  settings: telegramSettings,
  limits: LIMITS,
  can: CAPABILITIES,
  codec: { read, write },
  async connect(settings, host) {
    const { connectTelegram } = await import('./connection.js')
    return connectTelegram(settings, host)
  },
}

export default telegram
