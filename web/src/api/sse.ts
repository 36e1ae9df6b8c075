/** Reads the text of a server-sent event stream, whatever way the network cuts it. */
export interface StreamEvent {
  /** Last id seen so far; empty when the stream has given none. */
  id: string
  type: string
  data: string
}

/** A parser that is fed pieces and gives back the events that they complete. Follows the WHATWG rules. */
export class EventParser {
  #rest = ''
  #data: string[] = []
  #type = ''
  #id = ''
  #afterReturn = false

  feed(chunk: string): StreamEvent[] {
    const events: StreamEvent[] = []
    let text = this.#rest + chunk
    // A line feed that belongs to a carriage return of the chunk before ends no second line.
    if (this.#afterReturn && text.startsWith('\n')) text = text.slice(1)
    if (chunk !== '') this.#afterReturn = false
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const char = text[at]
      if (char !== '\n' && char !== '\r') continue
      const event = this.#line(text.slice(from, at))
      if (event) events.push(event)
      if (char === '\r') {
        if (text[at + 1] === '\n') at++
        else if (at + 1 === text.length) this.#afterReturn = true
      }
      from = at + 1
    }
    this.#rest = text.slice(from)
    return events
  }

  #line(line: string): StreamEvent | null {
    if (line === '') return this.#dispatch()
    if (line.startsWith(':')) return null
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#type = value
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    return null
  }

  #dispatch(): StreamEvent | null {
    const event = { id: this.#id, type: this.#type || 'message', data: this.#data.join('\n') }
    const empty = this.#data.length === 0
    this.#data = []
    this.#type = ''
    return empty ? null : event
  }
}
