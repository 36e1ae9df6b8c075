/** The faults that came by the control API, with what became of them. */
import type { FaultRule } from './faults.js'
import { Refusal } from './wants.js'

interface Posted {
  rule: FaultRule
  met: number
  undo: () => void
}

/** What `GET /_sim/faults` says of one. */
export interface ListedFault {
  id: string
  rule: FaultRule
  /** How many calls it has met. */
  met: number
  /** It has met as many as it was for: no further one is. */
  usedUp: boolean
}

/** Used up ones are listed until they are dropped or so many later ones are used up. */
const MOST_USED_UP = 100

export class PostedFaults {
  readonly #faults = new Map<string, Posted>()
  #count = 0

  /** @param put puts it in force, and returns its undo */
  constructor(private readonly put: (rule: FaultRule) => () => void) {}

  /** Faults that are still in force. */
  get inForce(): number {
    return [...this.#faults.values()].filter((posted) => !isUsedUp(posted)).length
  }

  add(rule: FaultRule): { id: string } {
    const id = String(++this.#count)
    const posted: Posted = { rule, met: 0, undo: () => undefined }
    posted.undo = this.put({
      ...rule,
      onMeet: () => {
        posted.met++
        if (isUsedUp(posted)) this.#trim()
      },
    })
    this.#faults.set(id, posted)
    return { id }
  }

  list(): readonly ListedFault[] {
    return [...this.#faults].map(([id, posted]) => {
      const { rule, met } = posted
      return { id, rule, met, usedUp: isUsedUp(posted) }
    })
  }

  /** @throws Refusal when there is no such fault */
  drop(id: string | undefined): { dropped: number } {
    if (id !== undefined && !this.#faults.has(id))
      throw new Refusal('no_such_fault', `There is no fault ${id}`, 404)
    const ids = id === undefined ? [...this.#faults.keys()] : [id]
    for (const one of ids) {
      this.#faults.get(one)?.undo()
      this.#faults.delete(one)
    }
    return { dropped: ids.length }
  }

  #trim(): void {
    const usedUp = [...this.#faults].filter(([, posted]) => isUsedUp(posted))
    for (const [id] of usedUp.slice(0, -MOST_USED_UP)) this.#faults.delete(id)
  }
}

function isUsedUp({ rule, met }: Posted): boolean {
  return met >= (rule.times ?? Number.POSITIVE_INFINITY)
}
