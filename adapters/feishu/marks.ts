/**
 * The bot's marks as Feishu's emoji. Only some of its names are reactions:
 * https://open.feishu.cn/document/server-docs/im-v1/message-reaction/emojis-introduce
 */
import type { React } from '../../src/messaging/contract.js'

export const EMOJI: Readonly<Record<React['mark'], string>> = {
  received: 'Get',
  done: 'DONE',
  failed: 'CrossMark',
  stopped: 'No',
}
