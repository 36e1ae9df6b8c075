/** What a person types, as it becomes a message. */
import type { Fields } from '../fields.js'
import type { Hub } from '../hub.js'
import type { Mention } from '../world.js'

export interface Typed {
  text: string
  mentions: Mention[]
}

/**
 * Mentions are typed as `<at user_id="ou_…">Name</at>`, by the ids that the app under test knows people by, and
 * `<at user_id="all"></at>`. Everything else stays as typed.
 *
 * @param first who is named in front of it all
 */
export function compose(hub: Hub, typed: string, first?: string): Typed {
  const mentions: Mention[] = []
  const name = (who: string): string => {
    if (who === 'all') {
      mentions.push({ key: '@_all', who, name: hub.words.everyone })
      return '@_all'
    }
    const key = `@_user_${mentions.filter((mention) => mention.who !== 'all').length + 1}`
    mentions.push({ key, who, name: hub.world.nameOf(who) })
    return key
  }
  const front = first === undefined ? '' : `${name(first)}${typed === '' ? '' : ' '}`
  const rest = typed.replace(/<at user_id="([^"]*)">.*?<\/at>/g, (whole, id: string) => {
    const who = id === 'all' ? 'all' : hub.world.resolve(hub.main.appId, id)
    return who === undefined ? whole : name(who)
  })
  return { text: front + rest, mentions }
}

/** A text with pictures in it is rich text. https://open.feishu.cn/document/server-docs/im-v1/message-content-description/message_content */
export function composePost(typed: Typed, imageKeys: readonly string[]): Fields {
  const line: Fields[] = typed.text
    .split(/(@_user_\d+|@_all)/)
    .filter((part) => part !== '')
    .map((part) => {
      const mention = typed.mentions.find(({ key }) => key === part)
      if (mention === undefined) return { tag: 'text', text: part, style: [] }
      return { tag: 'at', user_id: mention.key, user_name: mention.name, style: [] }
    })
  const images = imageKeys.map((key): Fields[] => [{ tag: 'img', image_key: key, width: 300, height: 200 }])
  return { title: '', content: [...(line.length > 0 ? [line] : []), ...images] }
}
