/** Ids in Feishu's forms, the same in every run of a session. */
import { createHash } from 'node:crypto'

const hash = (text: string): string => createHash('md5').update(text).digest('hex')

/** What the app is set up with, people and chats: the same in every session. */
const LASTING: ReadonlySet<string> = new Set([
  'cli_',
  'secret',
  'key',
  'token',
  'tenant',
  'on_',
  'user',
  'oc_',
])

export class Ids {
  readonly #session: string
  readonly #counts = new Map<string, number>()

  /** @param session what is said in one has other ids than in another */
  constructor(session = 0) {
    this.#session = session === 0 ? '' : `@${session}`
  }

  /**
   * @param prefix says what it is: `om_` message, `oc_` chat, `on_` person in the tenant, `omt_` topic, `t-` token …
   * @param length hexadecimal digits behind the prefix
   */
  next(prefix: string, length = 32): string {
    const count = (this.#counts.get(prefix) ?? 0) + 1
    this.#counts.set(prefix, count)
    return `${prefix}${hash(`${prefix}#${count}${LASTING.has(prefix) ? '' : this.#session}`).slice(0, length)}`
  }

  /** `X-Tt-Logid`, as every answer has one: a time, and digits. */
  logId(now: number): string {
    const time = new Date(now).toISOString().replace(/\D/g, '').slice(0, 14)
    return `${time}${this.next('log', 18).slice(3).toUpperCase()}`
  }
}

/**
 * A person, or a bot, as one app knows them: every app has an id of its own for the same one.
 * https://open.feishu.cn/document/home/user-identity-introduction/open-id
 */
export const openIdOf = (appId: string, who: string): string => `ou_${hash(`${appId}:${who}`)}`
