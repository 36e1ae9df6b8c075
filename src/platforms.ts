/** The platforms there are. Each loads its SDK only when it is connected, so one that is not configured costs nothing. */
import discord from '../adapters/discord/index.js'
import feishu from '../adapters/feishu/index.js'
import local from '../adapters/local/index.js'
import slack from '../adapters/slack/index.js'
import telegram from '../adapters/telegram/index.js'
import type { Platform } from './messaging/contract.js'

export const PLATFORMS: Readonly<Record<string, Platform>> = {
  local: local as Platform,
  discord: discord as Platform,
  feishu: feishu as Platform,
  slack: slack as Platform,
  telegram: telegram as Platform,
}
