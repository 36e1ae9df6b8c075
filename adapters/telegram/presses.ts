/**
 * Presses that wait for their answer. The answer may show its person a note that nobody else in the chat sees, the only
 * such note there is in a group (core.telegram.org/bots/api#answercallbackquery).
 */
import { type Dict, dict, id, text } from './raw.js'

/** "Text of the notification ... 0-200 characters". */
const NOTE_UNITS = 200
const MOST_OPEN = 1_000

export class Presses {
  /** Id of the query -> where it was, and who waits. */
  readonly #open = new Map<string, string>()

  /** Notes the press of an update, if it is one. Returns the id of its query. */
  open(update: Dict): string | undefined {
    const press = dict(update.callback_query)
    const query = text(press?.id)
    if (query === undefined) return undefined
    const chat = id(dict(dict(press?.message)?.chat)?.id) ?? ''
    const person = id(dict(press?.from)?.id) ?? ''
    if (this.#open.size >= MOST_OPEN) this.#open.clear()
    this.#open.set(query, `${chat}:${person}`)
    return query
  }

  /** Nothing is to be shown any more. Returns whether the press still waits for its answer. */
  close(query: string): boolean {
    return this.#open.delete(query)
  }

  /** The query whose answer can show this note to this person, which then is as good as answered. */
  take(chat: string, person: string, note: string): string | undefined {
    if (note.length > NOTE_UNITS) return undefined
    for (const [query, waits] of this.#open) {
      if (waits !== `${chat}:${person}`) continue
      this.#open.delete(query)
      return query
    }
    return undefined
  }
}
