/** An agent's updates in a turn, as the events of a turn. */
import { fileURLToPath } from 'node:url'
import type { EngineEvent } from '../../../messaging/engine.js'
import { safeLine } from '../../../messaging/text/index.js'
import type { ToolCall, Update } from './wire.js'

/** Tool calls of a turn whose details are kept for the questions about them. */
const CALLS = 500
/** Characters of a remark on what the agent does. */
const NOTE = 120

/**
 * The answer as it grows. What an agent says before a tool call is narration: people see it while it works, and the
 * answer is what it says after the last one. Thoughts are nobody's.
 */
export class Answer {
  readonly #push: (event: EngineEvent) => void
  /** What was said since the last tool call, and whether anything was said before it. */
  #last = ''
  #all = ''
  #earlier = false
  #pause = false
  #message: string | undefined
  readonly #calls = new Map<string, ToolCall>()
  /** What the session has cost so far, in USD, where the agent says so. */
  cost: number | undefined

  constructor(push: (event: EngineEvent) => void) {
    this.#push = push
  }

  /** Something was said. */
  get said(): boolean {
    return this.#all.trim() !== ''
  }

  /** All that is known of a tool call. */
  call(id: string): ToolCall | undefined {
    return this.#calls.get(id)
  }

  take(update: Update): void {
    switch (update.is) {
      case 'agent_message_chunk':
        this.#chunk(update)
        break
      case 'tool_call':
      case 'tool_call_update':
        this.#tool(update, update.is === 'tool_call')
        break
      case 'plan':
        this.#plan(update.entries)
        break
      case 'usage_update':
        if (update.cost?.currency.toUpperCase() === 'USD') this.cost = update.cost.amount
        this.#note(undefined)
        break
      default:
        this.#note(undefined)
    }
  }

  /** The turn has ended in order. */
  finish(): void {
    if (this.#earlier) this.#push({ type: 'final', text: this.#last.trim() === '' ? this.#all : this.#last })
  }

  #chunk({ content, messageId }: Extract<Update, { is: 'agent_message_chunk' }>): void {
    const { type, text, uri, name } = content
    if (type === 'resource_link' && uri !== undefined) this.#file(uri, name)
    else if (type === 'text' && text) this.#text(text, messageId)
    else this.#note(undefined)
  }

  #text(text: string, messageId: string | undefined): void {
    const isOther = messageId !== undefined && this.#message !== undefined && messageId !== this.#message
    this.#message = messageId ?? this.#message
    const gap = (this.#pause || isOther) && this.#all.trim() !== '' && !/\n\n$/.test(this.#all) ? '\n\n' : ''
    if (this.#pause && this.#last.trim() !== '') {
      this.#earlier = true
      this.#last = ''
    }
    this.#pause = false
    this.#all += gap + text
    this.#last += this.#last === '' ? text : gap + text
    this.#push({ type: 'text', text: gap + text })
  }

  /** A file that the agent hands out by its path; whether it may go is decided elsewhere. */
  #file(uri: string, name: string | undefined): void {
    try {
      const path = fileURLToPath(uri)
      this.#push({ type: 'file', path, name: name ?? '' })
    } catch {
      this.#note(undefined)
    }
  }

  #tool(update: ToolCall, isNew: boolean): void {
    const before = this.#calls.get(update.toolCallId)
    if (isNew && before === undefined) this.#pause = true
    if (before !== undefined || this.#calls.size < CALLS)
      this.#calls.set(update.toolCallId, before === undefined ? update : merged(before, update))
    // A title that says more comes once the agent knows what it will do.
    this.#note(update.title === before?.title ? undefined : update.title)
  }

  #plan(entries: readonly { content: string; status?: string | undefined }[]): void {
    const done = entries.filter(({ status }) => status === 'completed').length
    const now = entries.find(({ status }) => status === 'in_progress')
    this.#note(now && `${done + 1}/${entries.length}: ${now.content}`)
  }

  #note(note: string | undefined): void {
    const line = note === undefined ? '' : safeLine(note, NOTE)
    this.#push(line === '' ? { type: 'progress' } : { type: 'progress', note: line })
  }
}

/** A later word on a tool call changes what it names, and leaves the rest. */
export function merged(before: ToolCall, later: ToolCall): ToolCall {
  return {
    toolCallId: before.toolCallId,
    title: later.title ?? before.title,
    kind: later.kind ?? before.kind,
    status: later.status ?? before.status,
    rawInput: later.rawInput ?? before.rawInput,
    content: later.content.length > 0 ? later.content : before.content,
    locations: later.locations.length > 0 ? later.locations : before.locations,
  }
}
