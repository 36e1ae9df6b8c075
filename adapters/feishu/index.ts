/**
 * Feishu and Lark: a long connection or webhooks in, the Open API out. The SDK is loaded with the first connection.
 */
import type { Platform } from '../../src/messaging/contract.js'
import { CAPABILITIES, LIMITS } from './limits.js'
import type { FeishuRaw } from './raw.js'
import { read } from './read.js'
import { type FeishuSettings, feishuSettings } from './settings.js'
import { plain, write } from './write.js'

export type { FeishuRaw } from './raw.js'
export type { FeishuSettings } from './settings.js'

const feishu: Platform<FeishuRaw, FeishuSettings> = {
  id: 'feishu',
  settings: feishuSettings,
  limits: LIMITS,
  can: CAPABILITIES,
  codec: { read, write, plain },
  async connect(settings, host) {
    const { connectFeishu } = await import('./connection.js')
    return connectFeishu(settings, host)
  },
}

export default feishu
