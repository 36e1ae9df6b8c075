/**
 * A document -> messages in Discord's own Markdown.
 *
 * Headings of three levels, lists, quotes, code, emphasis and masked links are Discord's; tables it has none of. What an
 * agent writes is escaped wherever Discord would read something into it, previews of links are off, and
 * `allowed_mentions` names exactly the people who were resolved: nothing else can ping anybody.
 * https://docs.discord.com/developers/resources/message#allowed-mentions-object
 */
import type { Doc, Limits, Part } from '../../src/messaging/contract.js'
import { type DiscordBody, FLAG } from './raw.js'
import { blocksOf } from './write-blocks.js'
import { pack } from './write-pack.js'

export function write(doc: Doc, limits: Limits): readonly Part[] {
  return pack(blocksOf(doc), limits.text.max).map(({ content, shown, pings }) => {
    const body: DiscordBody = {
      content,
      allowed_mentions: { parse: [], users: pings },
      flags: FLAG.suppressEmbeds,
    }
    return { text: shown, body, mentions: pings }
  })
}
