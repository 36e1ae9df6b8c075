/** Who was met: what makes a `@username` in a text somebody. Kept in memory; bounded. */
import type { Added, Dict } from './raw.js'
import { dict, dicts, id, int, text } from './raw.js'

const MOST_PEOPLE = 5_000

type Known = { id: string; name: string }

export class People {
  readonly #byUsername = new Map<string, Known>()

  /** Remembers everybody an update tells of. */
  meet(update: Dict): void {
    for (const content of Object.values(update)) {
      const message = dict(content)
      if (message === undefined) continue
      this.#user(dict(message.from))
      this.#user(dict(message.user))
      this.#user(dict(dict(message.reply_to_message)?.from))
      this.#user(dict(dict(message.new_chat_member)?.user))
      for (const user of dicts(message.new_chat_members)) this.#user(user)
    }
  }

  /** The people an update mentions by user name. */
  mentionedIn(update: Dict): NonNullable<Added['people']> {
    const found: Record<string, Known> = {}
    for (const content of Object.values(update)) {
      const message = dict(content)
      if (message === undefined) continue
      for (const part of [message, dict(message.reply_to_message) ?? {}]) this.#mentioned(part, found)
    }
    return found
  }

  #mentioned(message: Dict, found: Record<string, Known>): void {
    const words = text(message.text) ?? text(message.caption) ?? ''
    for (const entity of dicts(message.entities ?? message.caption_entities)) {
      const start = int(entity.offset) ?? 0
      if (entity.type !== 'mention') continue
      const username = words.slice(start + 1, start + (int(entity.length) ?? 0)).toLowerCase()
      const known = this.#byUsername.get(username)
      if (known !== undefined) found[username] = known
    }
  }

  #user(user: Dict | undefined): void {
    const username = text(user?.username)?.toLowerCase()
    const native = id(user?.id)
    if (username === undefined || native === undefined) return
    this.#byUsername.delete(username)
    this.#byUsername.set(username, { id: native, name: text(user?.first_name) ?? username })
    if (this.#byUsername.size <= MOST_PEOPLE) return
    const [oldest] = this.#byUsername.keys()
    if (oldest !== undefined) this.#byUsername.delete(oldest)
  }
}
