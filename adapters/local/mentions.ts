/** Native mentions: `@name` in the text becomes an identity where the sender said whom it means. */
import { type Doc, type MentionSpan, withMentions } from '../../src/messaging/contract.js'
import type { RawMention } from './raw.js'

/** The tree with each `@name` made a mention. Code, quotes, links and addresses name nobody. */
export function nameMentions(doc: Doc, mentions: readonly RawMention[]): Doc {
  if (mentions.length === 0) return doc
  // `@Ann Lee` is Ann Lee even where there is an Ann as well.
  const longestFirst = [...mentions].sort((a, b) => b.name.length - a.name.length)
  return withMentions(doc, (_, masked) => spans(masked, longestFirst))
}

function spans(masked: string, mentions: readonly RawMention[]): MentionSpan[] {
  const found: MentionSpan[] = []
  let at = masked.indexOf('@')
  while (at !== -1) {
    const from = at + 1
    const met = mentions.find(
      ({ name }) => masked.startsWith(name, from) && endsAt(masked, from + name.length),
    )
    const end = met === undefined ? from : from + met.name.length
    if (met !== undefined) {
      found.push({ start: at, end, mention: { target: 'user', id: met.id, name: met.name } })
    }
    at = masked.indexOf('@', end)
  }
  return found
}

/** The sender said who is meant, so only a name that goes on in Latin letters or digits is another one. */
function endsAt(text: string, end: number): boolean {
  return !/^[A-Za-z0-9_]/.test(text.slice(end, end + 1)) || !/[A-Za-z0-9_]$/.test(text.slice(end - 1, end))
}
