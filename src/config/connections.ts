/** Which connections a `channels` section makes. */
import { isMapping, listOf, type Mapping } from './shape.js'

export interface Entry {
  connection: string
  platform: string
  /** The account's part of golem.yaml, unchecked or checked. */
  value: unknown
  /** Index in a list of accounts. */
  index?: number
}

/** Platform that is on unless it says `false`. */
export const ALWAYS_ON = 'local'

/** In the order of the file; `local` first when it is only there by default. */
export function entriesOf(channels: Mapping, known: readonly string[]): Entry[] {
  const written = Object.entries(channels).filter(([platform]) => known.includes(platform))
  const implied = known.includes(ALWAYS_ON) && !Object.hasOwn(channels, ALWAYS_ON)
  const all: [string, unknown][] = implied ? [[ALWAYS_ON, {}], ...written] : written
  return all.flatMap(([platform, value]): Entry[] => {
    if (value === false) return []
    if (!Array.isArray(value)) return [{ connection: platform, platform, value }]
    return listOf(value).map((account, index) => {
      const id = isMapping(account) ? String(account.id) : ''
      return { connection: index === 0 ? platform : `${platform}.${id}`, platform, value: account, index }
    })
  })
}
