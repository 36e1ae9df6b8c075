/** What the app may see and do, by the scopes it was granted, as one state for the core. */
import type { ConnectionState } from '../../src/messaging/contract.js'
import type { Api } from './api.js'
import { CallFailed, isFatal } from './failures.js'
import { fields, list, text } from './shape.js'

/** https://open.feishu.cn/document/server-docs/application-scope/scope-list */
const SEND = ['im:message', 'im:message:send_as_bot', 'im:message:send']
const READS_ALL = ['im:message.group_msg', 'im:message.group_msg:readonly']
const HEARS = ['im:message.group_at_msg', 'im:message.group_at_msg:readonly', ...READS_ALL]
const DIRECT = ['im:message.p2p_msg', 'im:message.p2p_msg:readonly']
const MEMBERS = ['im:chat', 'im:chat:readonly', 'im:chat.group_info:readonly', 'im:chat.members:read']
const FILES = ['im:resource', 'im:resource:upload']
const MARKS = ['im:message', 'im:message.reactions:write_only']

/** Null where Feishu does not say. https://open.feishu.cn/document/server-docs/application-v6/scope/list */
export async function scopesOf(api: Api): Promise<ReadonlySet<string> | null> {
  try {
    const answer = await api.call('GET', 'application/v6/scopes')
    const granted = list(answer.scopes).flatMap((value) => {
      const { scope_name: name, grant_status: status } = fields(value)
      return status === 1 ? (text(name) ?? []) : []
    })
    return granted.length === 0 ? null : new Set(granted)
  } catch (error) {
    if (isFatal(error) || !(error instanceof CallFailed)) throw error
    // An own installation may not have it.
    if (typeof error.code === 'string' && error.details.status !== 404) throw error
    return null
  }
}

export class Sight {
  #trouble: string | null = null
  #heardAll = false
  #told = ''

  constructor(
    private readonly scopes: ReadonlySet<string> | null,
    private readonly state: (state: ConnectionState) => void,
  ) {}

  /** True: the app may not post at all. */
  get isMute(): boolean {
    return !this.#has(SEND)
  }

  /** A message of a group that did not name the bot has come: it reads everything, whatever else is known. */
  sawUnaddressed(): void {
    if (this.scopes !== null || this.#heardAll) return
    this.#heardAll = true
    this.tell()
  }

  /** What keeps events from coming in; null when nothing does any more. */
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
    const all = this.scopes === null ? this.#heardAll : this.#has(READS_ALL)
    const notes = this.#notes(all)
    return {
      phase: 'ready',
      sees: all ? 'all' : 'addressed',
      ...(notes.length > 0 && { note: `${notes.join(' ')} ${CURE}` }),
    }
  }

  #notes(all: boolean): string[] {
    if (this.scopes === null)
      return all
        ? []
        : ['Feishu does not say which scopes the app has: whether it hears all of a group is not known.']
    const missing = (scopes: readonly string[], sentence: string): string[] =>
      this.#has(scopes) ? [] : [`Without the scope ${scopes[0]} ${sentence}.`]
    return [
      ...(this.#has(HEARS)
        ? missing(
            READS_ALL,
            'only messages of groups that mention the bot are heard, and no history of them is read',
          )
        : missing(HEARS, 'nothing is heard in groups')),
      ...missing(DIRECT, 'no direct message is heard'),
      ...missing(MEMBERS, 'nobody in a group is known by name: @names in answers stay text'),
      ...missing(FILES, 'no file or picture can be posted'),
      ...missing(MARKS, 'messages get no marks'),
    ]
  }

  #has(scopes: readonly string[]): boolean {
    return this.scopes === null || scopes.some((scope) => this.scopes?.has(scope))
  }
}

const CURE = 'Add it under "Permissions & Scopes" and publish a version of the app.'
