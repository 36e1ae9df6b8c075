/** A small world of accounts, chats and people, driven through the store's commands, and all that an agent is shown of it. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildInput } from '../../src/agents/context.js'
import { offered, toolNamed } from '../../src/agents/tools/registry.js'
import type { ToolScope } from '../../src/agents/tools/tool.js'
import { memoryErrand } from '../../src/memory/errand.js'
import { GroupMemory } from '../../src/memory/group.js'
import type { InboundMessage } from '../../src/messaging/contract.js'
import { ToolError } from '../../src/messaging/engine.js'
import type { RoomSettings } from '../../src/messaging/roster.js'
import type { ClaimedTurn } from '../../src/messaging/store.js'
import { COMMANDS } from '../../src/store/commands-table.js'
import { MemoryStore } from './core.js'
import { message, policy } from './policy.js'
import { TestRoom } from './room.js'

/** Where something is said. A direct chat is with one person. */
export interface Spot {
  connection: string
  chat: string
  with?: string
}

/** What happens; everything is asked for by a message of `who`. */
export type Happening =
  | {
      do: 'say' | 'fact' | 'file' | 'add' | 'workspace' | 'forget' | 'new'
      at: Spot
      who: string
      text: string
    }
  | { do: 'title' | 'listed' | 'leaves'; at: Spot; who: string; text: string }

/** Ways to take a wall away, so that it is seen that the test stands behind it. */
export interface Breach {
  sql?(text: string): string
  /** Whose memory file is read in place of the chat's own. */
  memoryOf?(chatKey: string): string
}

const OWNER = 'ann'
/** Not of the organisation. */
export const OUTSIDER = 'eve'

export class World {
  readonly #room: TestRoom
  readonly #folder = mkdtempSync(join(tmpdir(), 'golem-walls-'))
  readonly #memory: GroupMemory
  readonly #settings: RoomSettings

  constructor(private readonly breach: Breach = {}) {
    const given = policy({ owners: [OWNER], historyLimit: 30 })
    this.#settings = given.defaults
    this.#room = new TestRoom(given)
    const { room } = this.#room
    const { sql } = room
    Object.assign(room, { sql: (text: string) => sql(breach.sql?.(text) ?? text) })
    const quiet = () => undefined
    this.#memory = new GroupMemory({
      memoryDir: this.#folder,
      language: 'en',
      clock: { now: () => this.#room.now },
      log: { info: quiet, warn: quiet },
    })
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Everything in its order; an addressed message has its turn at once. */
  async live(happenings: readonly Happening[]): Promise<void> {
    for (const happening of happenings) await this.#happen(happening)
  }

  async #happen({ do: what, at, who, text }: Happening): Promise<void> {
    const room = this.#room
    room.now += 1_000
    switch (what) {
      case 'say':
        this.#say(at, who, text)
        return this.#answerAll()
      case 'add':
      case 'workspace':
      case 'forget':
        this.#say(at, who, `!memory ${what} ${text}`)
        await this.#errands()
        return
      case 'new':
        return void this.#say(at, who, '!new')
      case 'file':
        await this.#memory.remember(keyOf(at), 'context', text)
        return
      case 'fact':
        this.#say(at, who, `@Golem remember: ${text}`)
        return this.#answerAll((turn) =>
          COMMANDS.rememberFact(room.room, { turn: turn.id, text, audience: null, at: room.now }),
        )
      case 'title':
      case 'leaves':
        room.accept(
          {
            kind: 'change',
            event: `change ${room.now}`,
            at: room.now,
            place: { chat: at.chat },
            author: person(who),
            ...(what === 'title' ? { title: text } : { left: [person(who)] }),
          },
          { connection: at.connection },
        )
        return
      case 'listed':
        return COMMANDS.noteListed(room.room, at.connection, at.chat, room.now)
    }
  }

  #say(at: Spot, who: string, text: string): void {
    // A direct chat has one person and the bot.
    const author = person(at.with ?? who)
    const event: Partial<InboundMessage> = {
      author,
      at: this.#room.now,
      place: { chat: at.chat },
      chat: { kind: at.with === undefined ? 'group' : 'dm' },
    }
    this.#room.accept(message(text, { ...event, id: `m${this.#room.now}` }), { connection: at.connection })
  }

  #answerAll(during: (turn: ClaimedTurn) => unknown = () => undefined): void {
    for (let turns = this.#room.claim(); turns.length > 0; turns = this.#room.claim())
      for (const turn of turns) {
        during(turn)
        this.#room.answer(turn, 'Done.')
      }
  }

  async #errands(): Promise<string[]> {
    const { room, now } = this.#room
    const texts: string[] = []
    for (const errand of COMMANDS.errands(room, now, 20)) {
      const text = await memoryErrand(this.#memory, { ...errand, chatKey: this.#own(errand.chatKey) }, 'en')
      COMMANDS.settleErrand(room, errand.id, text, now)
      texts.push(text)
    }
    return texts
  }

  #own(chatKey: string): string {
    return this.breach.memoryOf?.(chatKey) ?? chatKey
  }

  /** All that an agent is given in a turn there, by its prompt and by every tool that reads, and what `/memory` says. */
  async look(at: Spot, who: string, words: readonly string[]): Promise<string> {
    const room = this.#room
    room.now += 1_000
    this.#say(at, who, '@Golem what do you know?')
    const [turn] = room.claim()
    if (turn === undefined) throw new Error('nobody answers')
    const scope = this.#scope(turn)
    const memory = await this.#memory.read(this.#own(turn.chatKey))
    const input = buildInput({
      turn,
      settings: this.#settings,
      agent: { name: 'Golem', role: 'helper' },
      roster: room.room.policy.agents,
      language: 'en',
      skills: [],
      memory: { path: '/work/memory.md', text: memory.text },
      incoming: { files: [], missing: [] },
      tools: offered(scope),
      cwd: '/work',
      now: room.now,
      again: null,
      redact: (text) => text,
    })
    const calls: [string, object][] = [
      ['memory_read', {}],
      ['history_read', { limit: 50 }],
      ...words.flatMap((query): [string, object][] => [
        ['history_search', { query, limit: 20 }],
        ['knowledge_search', { query }],
        ['fact_forget', { text: query }],
        ['fact_remember', { text: query }],
      ]),
    ]
    const results: unknown[] = []
    for (const [name, args] of calls) results.push([name, await called(name, args, scope)])
    room.answer(turn, 'That.')
    this.#say(at, who, '!memory')
    const shown = await this.#errands()
    return JSON.stringify({ input, results, shown }, null, 1)
  }

  #scope(turn: ClaimedTurn): ToolScope {
    return {
      turn,
      teammates: [],
      store: new MemoryStore(this.#room).store,
      memory: {
        pathOf: (key) => this.#memory.pathOf(key),
        read: (key) => this.#memory.read(this.#own(key)),
        remember: (key, section, line) => this.#memory.remember(key, section, line),
        forget: (key, line) => this.#memory.forget(key, line),
        copyTo: (key, folder) => this.#memory.copyTo(key, folder),
        collect: (key, copy) => this.#memory.collect(key, copy),
      },
      clock: { now: () => this.#room.now, at: () => () => undefined },
      settings: this.#settings,
      attach: async () => '',
      asked: () => undefined,
      handedOff: () => undefined,
      posted: () => undefined,
    }
  }
}

async function called(name: string, args: object, scope: ToolScope): Promise<unknown> {
  try {
    return (await toolNamed(name, scope).call(args, scope)).result
  } catch (error) {
    if (error instanceof ToolError) return { refused: error.message }
    throw error
  }
}

const keyOf = ({ connection, chat }: Spot): string => `${connection}:${chat}`

function person(id: string) {
  return {
    id,
    name: id,
    kind: 'person' as const,
    ...(id === OUTSIDER && { outside: true }),
  }
}
