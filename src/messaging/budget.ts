/**
 * Write budgets: what a platform lets one bot write in a while. Counted in memory, on the given clock; a restart starts
 * empty, and what it then writes too much the platform refuses with a time to wait for.
 */
import type { Millis } from './ambient.js'
import type { Budget, ConnectionId, OperationKind } from './contract.js'

/** What a budget must know of an operation. */
export interface Write {
  connection: ConnectionId
  /** Key of the chat it is written to. */
  chatKey: string
  /** Only budgets for some chats ask. */
  chat: 'dm' | 'group'
  kind: OperationKind
  /**
   * A mark, or a post about the work and no result of it: leaves the last of a budget to the others. `preview`: of no
   * worth in itself; goes only while not even half of it is used.
   */
  yields: boolean | 'preview'
}

/** A budget and what is used up of it. Plain data: the store takes no more than is left. */
export interface Allowance extends Budget {
  /** Writes that count now: by chat, or under `''` for the account. */
  used: Readonly<Record<string, number>>
}

/** The share of a budget that is kept for answers and notices. A budget of fewer than four writes keeps nothing back. */
const KEPT = 1 / 4
/** The share of a budget beyond which no preview goes: as much is always left for a burst of answers. */
const PREVIEWED = 1 / 2

export function fits(budget: Budget, write: Pick<Write, 'chat' | 'kind'>): boolean {
  return (
    (budget.chats === undefined || budget.chats === write.chat) &&
    (budget.kinds === undefined || budget.kinds.includes(write.kind))
  )
}

/** Where an account's writes are counted together, one count; else a chat's own. */
export function countOf(budget: Budget, chatKey: string): string {
  return budget.scope === 'account' ? '' : chatKey
}

/** How many writes of the window such an operation may find used, and still go. */
export function mayUse(budget: Budget, yields: Write['yields']): number {
  if (yields === 'preview') return Math.floor(budget.writes * PREVIEWED)
  return budget.writes - (yields ? Math.floor(budget.writes * KEPT) : 0)
}

/** What was written when. It decides nothing: it says what is left, and when there is more. */
export class WriteLedger {
  readonly #budgets: (connection: ConnectionId) => readonly Budget[]
  /** Per connection: for each of its budgets, the times of the writes that count, oldest first. */
  readonly #written = new Map<ConnectionId, Map<string, Millis[]>[]>()

  constructor(budgets: (connection: ConnectionId) => readonly Budget[]) {
    this.#budgets = budgets
  }

  /**
   * Counts a write. The platform counts it when it arrives, at some time until the answer is here.
   *
   * @returns to be told when the platform has answered: from then on the write surely counts
   */
  spend(write: Write, now: Millis): (answered: Millis) => void {
    const counted = this.#fitting(write).map(({ times }) => times)
    for (const times of counted) times.push(now)
    return (answered) => {
      for (const times of counted) {
        const index = times.lastIndexOf(now)
        if (index < 0) continue
        times.splice(index, 1)
        times.push(answered)
      }
    }
  }

  /** When such an operation may go: `now`, or as soon as enough of each window has passed; `Infinity`: never. */
  freeAt(write: Write, now: Millis): Millis {
    let free = now
    for (const { budget, times } of this.#fitting(write)) {
      forget(times, budget, now)
      const most = mayUse(budget, write.yields)
      if (most === 0) return Number.POSITIVE_INFINITY
      const blocking = times[times.length - most]
      if (blocking !== undefined) free = Math.max(free, blocking + budget.perMs)
    }
    return free
  }

  /** What is left, for the connections that have budgets. */
  allowances(connections: readonly ConnectionId[], now: Millis): Record<ConnectionId, Allowance[]> {
    const left: Record<ConnectionId, Allowance[]> = {}
    for (const connection of connections) {
      const budgets = this.#budgets(connection)
      if (budgets.length === 0) continue
      const counts = this.#counts(connection, budgets)
      left[connection] = budgets.map((budget, index) => {
        const used: Record<string, number> = {}
        for (const [key, times] of counts[index] ?? []) {
          forget(times, budget, now)
          if (times.length === 0) counts[index]?.delete(key)
          else used[key] = times.length
        }
        return { ...budget, used }
      })
    }
    return left
  }

  #counts(connection: ConnectionId, budgets: readonly Budget[]): Map<string, Millis[]>[] {
    const known = this.#written.get(connection)
    if (known?.length === budgets.length) return known
    const fresh = budgets.map(() => new Map<string, Millis[]>())
    this.#written.set(connection, fresh)
    return fresh
  }

  #fitting(write: Write): { budget: Budget; times: Millis[] }[] {
    const budgets = this.#budgets(write.connection)
    if (budgets.length === 0) return []
    const counts = this.#counts(write.connection, budgets)
    return budgets.flatMap((budget, index) => {
      const count = counts[index]
      if (!fits(budget, write) || count === undefined) return []
      const key = countOf(budget, write.chatKey)
      const times = count.get(key) ?? []
      count.set(key, times)
      return [{ budget, times }]
    })
  }
}

/** A write at the very beginning of the window no longer counts: the next one may be exactly `perMs` later. */
function forget(times: Millis[], budget: Budget, now: Millis): void {
  const until = now - budget.perMs
  let old = 0
  while (old < times.length && (times[old] ?? until) <= until) old++
  if (old > 0) times.splice(0, old)
  // A clock that was set back must not make a second last an hour.
  for (let late = times.length - 1; late >= 0 && (times[late] ?? now) > now; late--) times[late] = now
}
