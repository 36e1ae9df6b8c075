/** The gateway's tools as the offline engine uses them. Results are read as data from outside: what is missing is empty. */
import { type EngineRun, ToolError } from '../../../messaging/engine.js'
import type { Passage } from './passages.js'

export interface Said {
  id: string
  author: string
  at: unknown
  text: string
}

/** A tool that did what was asked, or the reason it gave why not. */
export type Told<T> = { ok: true; value: T } | { ok: false; why: string }

const FEW = 8

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The list in a result, whatever it is called there. */
function listIn(result: unknown, ...keys: readonly string[]): unknown[] {
  const found = Array.isArray(result) ? result : keys.map((key) => field(result, key)).find(Array.isArray)
  return Array.isArray(found) ? found : []
}

function saidIn(result: unknown): Said[] {
  return listIn(result, 'hits', 'messages').map((hit) => {
    const author = field(hit, 'author')
    return {
      id: text(field(hit, 'id')),
      author: text(author) || text(field(author, 'name')),
      at: field(hit, 'at'),
      text: text(field(hit, 'text')),
    }
  })
}

export class Tools {
  private readonly offered: ReadonlySet<string>

  constructor(private readonly run: Pick<EngineRun, 'call' | 'input' | 'log'>) {
    this.offered = new Set(run.input.tools.map((tool) => tool.name))
  }

  /** Whether this turn has the tool. A turn that lists none is taken to have all. */
  has(name: string): boolean {
    return this.offered.size === 0 || this.offered.has(name)
  }

  async knowledge(query: string): Promise<Passage[]> {
    if (query === '' || !this.has('knowledge_search')) return []
    const found = await this.search('knowledge_search', { query, limit: 10 })
    return listIn(found, 'hits', 'passages', 'documents').map((hit) => ({
      source: text(field(hit, 'source')),
      title: text(field(hit, 'title')),
      text: text(field(hit, 'text')),
    }))
  }

  async history(query: string, limit = FEW): Promise<Said[]> {
    if (query === '' || !this.has('history_search')) return []
    return saidIn(await this.search('history_search', { query, limit }))
  }

  /** The newest lines of the conversation, oldest first. */
  async recent(limit: number): Promise<Said[]> {
    return this.has('history_read') ? saidIn(await this.search('history_read', { limit })) : []
  }

  /** The chat's memory as it is now; null where this turn has none. */
  async memory(): Promise<string | null> {
    const shown = this.run.input.memory?.text ?? null
    if (!this.has('memory_read')) return shown
    const told = await this.tell('memory_read', {})
    if (!told.ok) return shown
    return text(told.value) || text(field(told.value, 'text')) || shown
  }

  async remember(
    section: string,
    line: string,
  ): Promise<Told<{ isNew: boolean; line: string; note: string }>> {
    const told = await this.tell('memory_remember', { section, line })
    if (!told.ok) return told
    const known =
      field(told.value, 'changed') === false || /known|already/.test(text(field(told.value, 'status')))
    return {
      ok: true,
      value: {
        isNew: !known,
        line: text(field(told.value, 'line')) || line,
        note: text(field(told.value, 'note')),
      },
    }
  }

  async forget(line: string): Promise<Told<readonly string[]>> {
    const told = await this.tell('memory_forget', { line })
    if (!told.ok) return told
    const removed = listIn(told.value, 'removed').map(text).filter(Boolean)
    return { ok: true, value: removed.length > 0 ? removed : [line] }
  }

  /** True: the teammate works on it, and this turn ends. */
  async ask(name: string, task: string): Promise<boolean> {
    if (!this.has('ask_teammate')) return false
    const told = await this.tell('ask_teammate', { name, task })
    return told.ok && text(field(told.value, 'status')) === 'asked'
  }

  private async search(name: string, args: object): Promise<unknown> {
    const told = await this.tell(name, args)
    return told.ok ? told.value : []
  }

  /** A refusal is an answer; anything else that fails is the turn's failure. */
  private async tell(name: string, args: object): Promise<Told<unknown>> {
    try {
      return { ok: true, value: await this.run.call(name, args) }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      this.run.log.info({ tool: name, why: error.message }, 'a tool refused the offline engine')
      return { ok: false, why: error.message }
    }
  }
}
