/** What the far side of an engine does in a turn, for the conformance kit. Plain JSON: a process can be handed it. */
export type Act =
  /** Says this, in at least two pieces where it streams. */
  | { act: 'say'; text: string }
  /** Calls a tool and waits for its result or its error. */
  | { act: 'tool'; name: string; args: object }
  /** Asks a person, with one option to allow (`allow`) and one to deny (`deny`), and waits. */
  | { act: 'ask'; text: string }
  /**
   * Says what the last `tool` or `ask` brought: the result as JSON, the error's message; of an `ask` the option's word,
   * `deny` where nobody answered.
   */
  | { act: 'repeat' }
  /** Has used this much in the whole turn. */
  | { act: 'usage'; input: number; output: number }
  /** Is silent until it is stopped. */
  | { act: 'hang' }
  /** Says text without end until it is stopped. */
  | { act: 'flood' }
  /** Writes what its protocol does not have: broken JSON, bytes that are no text, wrong types. */
  | { act: 'garbage' }
  /** Ends in the middle: the process dies, the connection is cut. */
  | { act: 'break' }
  /** Makes its environment and arguments part of what it heard. Nothing for a far side that is no process. */
  | { act: 'environment' }

/** A text in pieces, none of which cuts a character. */
export function pieces(text: string, count = 3): string[] {
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / count))
  const all: string[] = []
  for (let at = 0; at < characters.length; at += size) all.push(characters.slice(at, at + size).join(''))
  return all
}
