/** Who can be named in a room, and where a text names them: by the rule that the daemon itself uses. */
import { maskText } from '../../../src/messaging/text/mask.js'
import { type Candidate, EVERYONE, findMentions, NameIndex } from '../../../src/messaging/text/mention.js'

export interface Nameable extends Candidate {
  kind: 'agent' | 'person' | 'everyone'
  /** A person's id; agents are known by their names. */
  id: string | null
}

export type Names = NameIndex<Nameable>

/** All agents of a room at once. */
export const EVERYONE_HERE: Nameable = { ...EVERYONE, kind: 'everyone', id: null }

export function nameables(
  agents: readonly string[],
  people: readonly { id: string; name: string }[],
): Nameable[] {
  return [
    ...agents.map((name): Nameable => ({ name, kind: 'agent', id: null })),
    ...people.map((person): Nameable => ({ name: person.name, kind: 'person', id: person.id })),
    ...(agents.length > 1 ? [EVERYONE_HERE] : []),
  ]
}

export const indexOf = (names: readonly Nameable[]): Names => new NameIndex(names)

/** A run of text, and whom it names. */
export interface Piece {
  text: string
  start: number
  of: Nameable | null
}

/** The text in pieces that join to exactly the text. `markdown`: code, quotes and links name nobody. */
export function pieces(text: string, names: Names, markdown: boolean): Piece[] {
  const options = markdown ? { masked: maskText(text) } : {}
  const found: Piece[] = []
  let from = 0
  for (const mention of findMentions(text, names, options).mentions) {
    if (mention.start > from) found.push({ text: text.slice(from, mention.start), start: from, of: null })
    found.push({ text: text.slice(mention.start, mention.end), start: mention.start, of: mention.candidate })
    from = mention.end
  }
  if (from < text.length) found.push({ text: text.slice(from), start: from, of: null })
  return found
}

/** The people a text names, as the daemon takes native mentions. */
export function nativeMentions(text: string, names: Names): { id: string; name: string }[] {
  const found = new Map<string, string>()
  for (const { of } of pieces(text, names, true)) if (of?.id) found.set(of.id, of.name)
  return [...found].map(([id, name]) => ({ id, name }))
}
