/** What may be handed out of what is ready, where platforms allow only so many writes. Counts within one claim. */
import { type Allowance, countOf, fits, mayUse, type Write } from '../messaging/budget.js'
import type { Operation } from '../messaging/contract.js'
import { kindOf } from '../messaging/operation.js'
import type { ClaimOperations, Note } from '../messaging/store.js'
import { type Db, one } from './db.js'
import type { OutboxRow } from './rows.js'

/** The next operation of a conversation. */
export interface Head {
  row: OutboxRow
  op: Operation | Note
}

export class Scarcity {
  readonly #db: Db
  readonly #request: ClaimOperations
  readonly #taken = new Map<Allowance, Map<string, number>>()

  private constructor(db: Db, request: ClaimOperations) {
    this.#db = db
    this.#request = request
  }

  /** Null where nothing is scarce. */
  static of(db: Db, request: ClaimOperations): Scarcity | null {
    const { kinds = {}, budgets = {} } = request
    return Object.keys(kinds).length + Object.keys(budgets).length === 0 ? null : new Scarcity(db, request)
  }

  writeOf({ row, op }: Head, yields: boolean): Write {
    return {
      connection: row.connection,
      chatKey: row.chat,
      chat: chatKind(this.#db, row.chat),
      kind: kindOf(op),
      yields,
    }
  }

  /** `kind`: the platform said when; `budget`: whoever counts knows when. */
  holds(write: Write): 'kind' | 'budget' | null {
    if (this.#request.kinds?.[write.connection]?.includes(write.kind)) return 'kind'
    return this.#fitting(write).every((allowance) => {
      const key = countOf(allowance, write.chatKey)
      const used = (allowance.used[key] ?? 0) + (this.#taken.get(allowance)?.get(key) ?? 0)
      return used < mayUse(allowance, write.yields)
    })
      ? null
      : 'budget'
  }

  take(write: Write): void {
    for (const allowance of this.#fitting(write)) {
      const taken = this.#taken.get(allowance) ?? new Map<string, number>()
      this.#taken.set(allowance, taken)
      const key = countOf(allowance, write.chatKey)
      taken.set(key, (taken.get(key) ?? 0) + 1)
    }
  }

  #fitting(write: Write): Allowance[] {
    return (this.#request.budgets?.[write.connection] ?? []).filter((allowance) => fits(allowance, write))
  }
}

/** A chat that nobody has written in is one that Golem opens: a person's direct chat. */
function chatKind(db: Db, chat: string): 'dm' | 'group' {
  return one<{ kind: 'dm' | 'group' }>(db.sql('SELECT kind FROM chats WHERE key = ?'), chat)?.kind ?? 'dm'
}
