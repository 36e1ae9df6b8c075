/** What platforms asked to wait: a chat, a kind of operation, or a whole connection, until a time. In memory. */
import type { Millis } from './ambient.js'
import type { ConnectionId, OperationKind } from './contract.js'
import type { Failure } from './failure.js'

type RateLimited = Extract<Failure, { kind: 'rate-limited' }>

/** What a wait may be about. */
export interface Held {
  connection: ConnectionId
  chatKey: string
  kind: OperationKind
}

export class Holds {
  readonly #chats = new Map<string, Millis>()
  readonly #kinds = new Map<ConnectionId, Map<OperationKind, Millis>>()
  readonly #accounts = new Map<ConnectionId, Millis>()
  /** The latest time it was told of. */
  #now: Millis = 0

  /** The platform refused this and named a time. A later time stands, an earlier one changes nothing. */
  add({ connection, chatKey, kind }: Held, { retryAt, scope = 'chat' }: RateLimited, now: Millis): void {
    this.#follow(now)
    if (scope === 'account') later(this.#accounts, connection, retryAt)
    else if (scope === 'chat') later(this.#chats, chatKey, retryAt)
    else {
      const kinds = this.#kinds.get(connection) ?? new Map<OperationKind, Millis>()
      this.#kinds.set(connection, kinds)
      later(kinds, kind, retryAt)
    }
  }

  /** Whether an operation must wait at `now`. */
  holds({ connection, chatKey, kind }: Held, now: Millis): boolean {
    const until = Math.max(
      this.#accounts.get(connection) ?? 0,
      this.#chats.get(chatKey) ?? 0,
      this.#kinds.get(connection)?.get(kind) ?? 0,
    )
    return until > now
  }

  account(connection: ConnectionId, now: Millis): boolean {
    return (this.#accounts.get(connection) ?? 0) > now
  }

  /** Chats that must wait, and until when. */
  chats(): Record<string, Millis> {
    return Object.fromEntries(this.#chats)
  }

  /** Kinds that must wait, by connection. */
  kinds(): Record<ConnectionId, OperationKind[]> {
    return Object.fromEntries([...this.#kinds].map(([connection, kinds]) => [connection, [...kinds.keys()]]))
  }

  /** Forgets what is over. @returns when the next wait ends; null when there is none */
  expire(now: Millis): Millis | null {
    this.#follow(now)
    for (const [connection, kinds] of this.#kinds) {
      drop(kinds, now)
      if (kinds.size === 0) this.#kinds.delete(connection)
    }
    drop(this.#chats, now)
    drop(this.#accounts, now)
    const all = [this.#chats, this.#accounts, ...this.#kinds.values()].flatMap((held) => [...held.values()])
    return all.length === 0 ? null : Math.min(...all)
  }

  /** A clock that was set back by an hour must not make a second last an hour: what is left of a wait stays the same. */
  #follow(now: Millis): void {
    const back = this.#now - now
    this.#now = now
    if (back <= 0) return
    for (const held of [this.#chats, this.#accounts, ...this.#kinds.values()])
      for (const [key, until] of held as Map<string, Millis>) held.set(key as never, until - back)
  }
}

function later<Key>(held: Map<Key, Millis>, key: Key, until: Millis): void {
  held.set(key, Math.max(until, held.get(key) ?? 0))
}

function drop<Key>(held: Map<Key, Millis>, now: Millis): void {
  for (const [key, until] of held) if (until <= now) held.delete(key)
}
