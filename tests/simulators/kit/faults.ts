/** Faults on demand: which calls they meet, and what becomes of those. */

export interface FaultRule {
  /** The API's method; absent = every call. */
  method?: string
  /** Only calls about this chat. */
  chat?: string
  /** Lets this many matching calls pass first. */
  after?: number
  /** How many calls it meets; absent = until it is undone. */
  times?: number
  /** Told each time it meets a call. */
  onMeet?: () => void
  do:
    | { kind: 'rate-limit'; retryAfterMs: number; scope?: 'chat' | 'account' }
    /** An error in the platform's own shape: a Telegram description, a Slack error code. */
    | { kind: 'refuse'; code: string | number; description?: string }
    | { kind: 'status'; status: number; body?: string }
    /** The connection is cut before anything happened. */
    | { kind: 'reset' }
    /** Everything happens, but no answer comes: `hang` keeps the connection open, `cut` ends it. */
    | { kind: 'silent-success'; how: 'hang' | 'cut' }
    /** Nothing happens and no answer comes. */
    | { kind: 'hang' }
    | { kind: 'delay'; ms: number }
    /** The token is no longer good. */
    | { kind: 'revoke' }
}

/** The rules in force. First match wins; a rule that has met its calls is gone. */
export class Faults {
  readonly #rules = new Set<{ rule: FaultRule; passed: number; met: number }>()

  add(rule: FaultRule): () => void {
    const entry = { rule, passed: 0, met: 0 }
    this.#rules.add(entry)
    return () => void this.#rules.delete(entry)
  }

  /** What is to become of this call; null: what usually does. */
  meet(method: string, chat: string | undefined): FaultRule['do'] | null {
    for (const entry of this.#rules) {
      const { rule } = entry
      if (rule.method !== undefined && rule.method !== method) continue
      if (rule.chat !== undefined && rule.chat !== chat) continue
      if (entry.met >= (rule.times ?? Number.POSITIVE_INFINITY)) continue
      if (entry.passed < (rule.after ?? 0)) {
        entry.passed++
        continue
      }
      entry.met++
      if (entry.met >= (rule.times ?? Number.POSITIVE_INFINITY)) this.#rules.delete(entry)
      rule.onMeet?.()
      return rule.do
    }
    return null
  }
}
