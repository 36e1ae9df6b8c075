/** What the connection sees and what is wrong with it, as one state for the core. */
import type { ConnectionState } from '../../src/messaging/contract.js'
import { type Dict, dict, id, text } from './raw.js'

const MOST_CHATS = 5_000

const PRIVACY =
  'Privacy mode is on: in groups the bot gets only commands, mentions and replies to it. To let it read everything, send /setprivacy to @BotFather, choose the bot and Disable, then remove the bot from each group and add it again; or make it an administrator of the group.'

/**
 * A bot reads all of a group when privacy mode is off or it is an administrator there
 * (core.telegram.org/bots/features#privacy-mode). Which groups it administers is known only as far as it was told.
 */
export class Sight {
  readonly #administered = new Set<string>()
  #trouble: string | null = null
  #told = ''

  constructor(
    private readonly readsAll: boolean,
    private readonly state: (state: ConnectionState) => void,
  ) {}

  /** An update may tell of the bot's own standing in a group. */
  learn(update: Dict): void {
    const change = dict(update.my_chat_member)
    const chat = id(dict(change?.chat)?.id)
    if (chat === undefined) return
    const status = text(dict(change?.new_chat_member)?.status)
    if (status !== 'administrator') this.#administered.delete(chat)
    else if (this.#administered.size < MOST_CHATS) this.#administered.add(chat)
    this.tell()
  }

  /** What keeps updates from coming in; null when nothing does any more. */
  trouble(reason: string | null): void {
    this.#trouble = reason
    this.tell()
  }

  /** Says how things are, where that has changed. */
  tell(): void {
    const state = this.#now()
    const line = JSON.stringify(state)
    if (line === this.#told) return
    this.#told = line
    this.state(state)
  }

  #now(): ConnectionState {
    if (this.#trouble !== null) return { phase: 'degraded', reason: this.#trouble }
    if (this.readsAll) return { phase: 'ready', sees: 'all' }
    const chats = [...this.#administered]
    const where =
      chats.length === 0
        ? ''
        : ` It is an administrator, and reads everything, in ${chats.length === 1 ? `the chat ${chats[0]}` : `${chats.length} chats`}.`
    return { phase: 'ready', sees: 'addressed', note: PRIVACY + where }
  }
}
