/**
 * A Feishu (or Lark) tenant in a box, for the unpatched SDK of the vendor: tokens, Open API, long connection, webhooks,
 * cards and their callbacks, files.
 *
 * Names of methods in `calls`: `auth.tenantAccessToken`, `ws.endpoint`, `bot.info`, `im.message.create`, `.reply`,
 * `.update`, `.patch`, `.delete`, `.get`, `.list`, `.resource` (a download), `im.image.create`, `im.file.create`,
 * `im.reaction.create`, `.delete`, `.list`, `im.chat.get`, `.list`, `.members`, `ephemeral.send`, `.delete`,
 * `card.update` (the later update by a press's token), `contact.user.get`, `.batch`, `application.scopes`.
 *
 * Not simulated: store apps and user tokens, card templates and CardKit (streaming cards), forms and other inputs of
 * cards, urgent messages, pins, announcements, batch messages, chats made by apps. Where no page of the vendor says how
 * Feishu reads something, the simulator is the stricter one: a tag in a card that is none of Feishu's is not shown, an
 * unknown field of an element has the card refused.
 */
import type { FeishuOptions } from './options.js'
import { FeishuSimulator } from './simulator.js'

export { type Flood, flood } from '../kit/flood.js'
export { encrypt, signed } from './envelope.js'
export type { Toast } from './hub.js'
export type { AppOptions, ClientConfig, FeishuOptions } from './options.js'
export type { FeishuApp, GroupOptions } from './people.js'
export { FeishuSimulator } from './simulator.js'
export type { FeishuSaid } from './speaking.js'

/**
 * Starts a tenant with one app in it, on 127.0.0.1.
 *
 * @throws the listener's error, e.g. `EADDRINUSE`
 */
export function startFeishu(options: FeishuOptions = {}): Promise<FeishuSimulator> {
  return FeishuSimulator.start(options)
}
