/** Many events, evenly: for measures of what a bot takes in. */
import type { Person, Stage } from './stage.js'

export interface Flood {
  /** One or several, in turn. */
  chat: string | readonly string[]
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
export async function flood(stage: Stage, options: Flood): Promise<string[]> {
  const { chat, people, perSecond, seconds, mentionPercent = 0, text = (n) => `message ${n}` } = options
  const chats = [chat].flat()
  const total = Math.round(perSecond * seconds)
  const ids: string[] = []
  const start = Date.now()
  while (ids.length < total) {
    const due = Math.min(total, Math.floor(((Date.now() - start) * perSecond) / 1000) + 1)
    while (ids.length < due) {
      const n = ids.length
      const person = people[n % people.length]
      const place = chats[n % chats.length]
      if (person === undefined || place === undefined) throw new Error('A flood needs a chat and a person')
      ids.push(stage.say(place, person, text(n), { mention: n % 100 < mentionPercent }))
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return ids
}
