/** Many events, evenly: for measures of what a bot takes in. */
import type { Person } from '../kit/stage.js'
import type { DiscordSimulator } from './simulator.js'

export interface Flood {
  chat: string
  people: readonly Person[]
  perSecond: number
  seconds: number
  /** Absent: numbered lines. */
  text?: (n: number) => string
  /** How many of a hundred messages name the bot. Default 0. */
  mentionPercent?: number
}

/**
 * People say so many messages a second, by real time; what falls behind is made up for.
 *
 * @returns the ids of the messages, in order
 */
export async function flood(simulator: DiscordSimulator, options: Flood): Promise<string[]> {
  const { chat, people, perSecond, seconds, mentionPercent = 0, text = (n) => `message ${n}` } = options
  const total = Math.round(perSecond * seconds)
  const ids: string[] = []
  const start = Date.now()
  while (ids.length < total) {
    const due = Math.min(total, Math.floor(((Date.now() - start) * perSecond) / 1000) + 1)
    while (ids.length < due) {
      const n = ids.length
      const person = people[n % people.length]
      if (person === undefined) throw new Error('A flood needs at least one person')
      ids.push(simulator.say(chat, person, text(n), { mention: n % 100 < mentionPercent }))
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return ids
}
