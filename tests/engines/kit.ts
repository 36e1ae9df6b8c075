/**
 * The engine conformance kit: the laws that hold for every engine, whatever is behind it.
 *
 * How an engine joins: write `tests/engines/<engine>.test.ts` that calls {@link conformance} with a {@link Subject}.
 * A subject opens its engine in front of a far side (a model server, an agent, a program) that plays a list of
 * {@link Act}s, once for each turn it is given. Acts are plain JSON, so they can be handed to a process; `play.ts` has
 * the texts that acts say. What the far side cannot do, the subject says in `can`, and the laws about it are left out
 * by name. A subject needs no clock of its own: laws about time use the real one, with the far side on this machine.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Ruling } from '../../src/messaging/approval.js'
import {
  type Engine,
  EngineError,
  type EngineRun,
  ToolError,
  type ToolSpec,
} from '../../src/messaging/engine.js'
import type { Effects } from '../../src/messaging/roster.js'
import { engineRun, MemoryLog, turnInput } from '../fixtures/agents/kit.js'
import { idle, isOrderly, living, PATIENCE, play, STOP_WITHIN } from './outcome.js'
import type { Act } from './play.js'

/** What the far side of an engine is able to do; laws about the rest do not apply. */
export interface Abilities {
  /** Plays acts. Without it, only the laws that need none are asked. */
  acts: boolean
  /** Its text arrives before it ends. */
  streams: boolean
  /** It is given tools and calls them. */
  tools: boolean
  /** It asks a person for permission. */
  asks: boolean
  /** It says what it used. */
  usage: boolean
}

export interface Subject {
  name: string
  /** What it must declare. */
  effects: Effects
  can: Abilities
  /** @param acts what the far side does in every turn @param environment Golem's own, with secrets in it */
  open(acts: readonly Act[], environment: NodeJS.ProcessEnv): Promise<Opened>
}

/** An engine with its far side, for one test. */
export interface Opened {
  engine: Engine
  /** All that the far side was given: prompts, tools, environment, as one text. */
  heard(): string | Promise<string>
  /** Ids of the processes that it started so far; for engines without any, none. */
  processes(): readonly number[] | Promise<readonly number[]>
  /** Connections and turns that the far side still works on. Zero soon after a stop. */
  busy(): number | Promise<number>
  /** Ends the far side; the engine has been closed before. */
  close(): Promise<void>
}

/** Stands in the environment of Golem under names that its secrets have; nothing of it may reach a far side. */
const SECRETS = {
  SLACK_BOT_TOKEN: 'xoxb-111111-conformance',
  GOLEM_TOKEN: 'conformance-gateway-token',
  SOME_PASSWORD: 'conformance-password',
}

const TOOLS: readonly ToolSpec[] = [
  {
    name: 'memory_remember',
    description: 'Remembers a line.',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The line.' } },
      required: ['text'],
      additionalProperties: false,
    },
  },
  {
    name: 'history_read',
    description: 'Reads what was said.',
    parameters: { type: 'object', properties: {} },
  },
]

/** Declares the laws for one engine. */
export function conformance(subject: Subject): void {
  describe(`engine ${subject.name} keeps the laws of engines`, { timeout: 2 * PATIENCE }, () => {
    let cwd = ''
    let opened: Opened | undefined

    beforeEach(async () => {
      cwd = await mkdtemp(join(tmpdir(), 'golem-engine-'))
    })
    afterEach(async () => {
      await opened?.engine.close()
      await opened?.close()
      opened = undefined
      await rm(cwd, { recursive: true, force: true })
    })

    const open = async (...acts: Act[]): Promise<Opened> => {
      opened = await subject.open(acts, { ...process.env, ...SECRETS })
      return opened
    }
    const run = (over: Partial<EngineRun> = {}): EngineRun =>
      engineRun({ cwd, input: turnInput({ tools: [...TOOLS] }), ...over })
    const law = (needs: readonly (keyof Abilities)[], name: string, test: () => Promise<void>): void => {
      const lacks = needs.filter((ability) => !subject.can[ability])
      if (lacks.length === 0) it(name, test)
    }

    it('declares its effects truly: it leaves the working folder and the machine as they were', async () => {
      const { engine, processes } = await open({ act: 'say', text: 'Done.' })
      expect(engine.effects).toBe(subject.effects)
      await play(engine, run())
      if (subject.effects === 'unknown') return
      expect(await readdir(cwd)).toEqual([])
      expect(await processes()).toEqual([])
    })

    it('ends at once when it was stopped before it began', async () => {
      const { engine, busy } = await open({ act: 'say', text: 'Too late.' })
      const begun = Date.now()
      const { error, text } = await play(engine, run({ signal: AbortSignal.abort('stopped') }))
      expect(Date.now() - begun).toBeLessThan(STOP_WITHIN)
      expect(isOrderly(error)).toBe(true)
      expect(text).toBe('')
      await idle(busy)
    })

    law(['acts'], 'answers what its far side says', async () => {
      const { engine } = await open({ act: 'say', text: 'It is on page 7, 第七頁。' })
      const { text, error } = await play(engine, run())
      expect(error).toBeUndefined()
      expect(text.trim()).toBe('It is on page 7, 第七頁。')
    })

    law(['acts', 'streams'], 'keeps the text so far when it is stopped, within a second', async () => {
      const { engine, busy, processes } = await open({ act: 'say', text: 'Half of it' }, { act: 'hang' })
      const stop = new AbortController()
      let stopped = 0
      const { text, error } = await play(engine, run({ signal: stop.signal }), (_event, sofar) => {
        if (stopped > 0 || !sofar.includes('Half of it')) return
        stopped = Date.now()
        stop.abort('stopped')
      })
      expect(stopped).toBeGreaterThan(0)
      expect(Date.now() - stopped).toBeLessThan(STOP_WITHIN)
      expect(isOrderly(error)).toBe(true)
      expect(text.trim()).toBe('Half of it')
      await idle(busy)
      expect(await living(processes)).toEqual([])
    })

    law(['acts', 'streams'], 'is stopped out of a flood of text within a second', async () => {
      const { engine, busy } = await open({ act: 'flood' })
      const stop = new AbortController()
      let stopped = 0
      await play(engine, run({ signal: stop.signal }), () => {
        if (stopped > 0) return
        stopped = Date.now()
        stop.abort('stopped')
      })
      expect(Date.now() - stopped).toBeLessThan(STOP_WITHIN)
      await idle(busy)
    })

    law(['acts', 'tools'], 'is stopped while a tool works', async () => {
      const { engine, busy } = await open(
        { act: 'tool', name: 'memory_remember', args: { text: 'x' } },
        { act: 'say', text: 'Never said.' },
      )
      const stop = new AbortController()
      let stopped = 0
      const { text, error } = await play(
        engine,
        run({
          signal: stop.signal,
          call: () => {
            stopped = Date.now()
            stop.abort('stopped')
            return new Promise((_resolve, reject) =>
              setImmediate(reject, new ToolError('This turn is over.')),
            )
          },
        }),
      )
      expect(stopped).toBeGreaterThan(0)
      expect(Date.now() - stopped).toBeLessThan(STOP_WITHIN)
      expect(isOrderly(error)).toBe(true)
      expect(text).not.toContain('Never said.')
      await idle(busy)
    })

    law(['acts'], 'lets close() end what runs', async () => {
      const { engine, processes } = await open({ act: 'say', text: 'Working' }, { act: 'hang' })
      let begin: () => void = () => {}
      const begun = new Promise<void>((resolve) => {
        begin = resolve
      })
      const turn = play(engine, run(), () => begin())
      if (subject.can.streams) await begun
      await engine.close()
      expect(isOrderly((await turn).error)).toBe(true)
      expect(await living(processes)).toEqual([])
    })

    law(['acts', 'usage'], 'records what was used', async () => {
      const { engine } = await open(
        { act: 'usage', input: 1_200, output: 34 },
        { act: 'say', text: 'Counted.' },
      )
      const { events } = await play(engine, run())
      const used = events.filter((event) => event.type === 'usage')
      expect(used.reduce((sum, event) => sum + event.inputTokens, 0)).toBe(1_200)
      expect(used.reduce((sum, event) => sum + event.outputTokens, 0)).toBe(34)
    })

    law(
      ['acts', 'tools'],
      'offers the tools, calls them with their arguments and gives their results back',
      async () => {
        const { engine, heard } = await open(
          { act: 'tool', name: 'memory_remember', args: { text: 'the key is under the mat, 钥匙' } },
          { act: 'repeat' },
        )
        const calls: unknown[] = []
        const { text, error } = await play(
          engine,
          run({
            call: async (tool, args) => {
              calls.push([tool, args])
              return { remembered: 'as line 12' }
            },
          }),
        )
        expect(error).toBeUndefined()
        expect(calls).toEqual([['memory_remember', { text: 'the key is under the mat, 钥匙' }]])
        expect(text).toContain('as line 12')
        expect(await heard()).toContain('history_read')
      },
    )

    law(['acts', 'tools'], 'tells a tool’s refusal, and goes on', async () => {
      const { engine } = await open(
        { act: 'tool', name: 'memory_remember', args: { text: '' } },
        { act: 'repeat' },
      )
      const { text, error } = await play(
        engine,
        run({
          call: async () => {
            throw new ToolError('text: must not be empty. Correct it and call again.')
          },
        }),
      )
      expect(error).toBeUndefined()
      expect(text).toContain('must not be empty')
    })

    law(['acts', 'tools'], 'keeps the details of a fault inside Golem to itself, and goes on', async () => {
      const { engine, heard } = await open(
        { act: 'tool', name: 'memory_remember', args: { text: 'x' } },
        { act: 'say', text: 'Went on.' },
      )
      const { text, error } = await play(
        engine,
        run({
          call: async () => {
            throw new Error('/srv/golem/private/path is full')
          },
        }),
      )
      expect(error).toBeUndefined()
      expect(text).toContain('Went on.')
      expect(await heard()).not.toContain('/srv/golem/private/path')
    })

    law(['acts', 'asks'], 'asks a person through the turn, and obeys', async () => {
      for (const answer of ['allow', 'deny'] as const) {
        const { engine, close } = await open(
          { act: 'ask', text: 'May I write notes.txt?' },
          { act: 'repeat' },
        )
        const asked: string[] = []
        const { text } = await play(
          engine,
          run({
            decide: async (question): Promise<Ruling> => {
              asked.push(question.text)
              const option = question.options.find(({ deny = false }) => deny === (answer === 'deny'))
              if (option === undefined) throw new Error(`no option to ${answer}`)
              return { kind: 'chosen', option: option.id, by: { id: 'u1', name: 'Ann' } }
            },
          }),
        )
        expect(asked).toHaveLength(1)
        expect(asked[0]).toContain('notes.txt')
        expect(text).toContain(answer)
        await engine.close()
        await close()
      }
    })

    law(['acts', 'asks'], 'takes no answer for a refusal', async () => {
      const { engine } = await open({ act: 'ask', text: 'May I write notes.txt?' }, { act: 'repeat' })
      const { text } = await play(engine, run({ decide: async () => ({ kind: 'refused', why: 'expired' }) }))
      expect(text).toContain('deny')
    })

    law(['acts'], 'survives garbage, and serves the next turn', async () => {
      const { engine, processes } = await open({ act: 'garbage' }, { act: 'say', text: 'Never mind.' })
      for (let turn = 0; turn < 2; turn += 1) {
        const { error } = await play(engine, run())
        expect(isOrderly(error)).toBe(true)
      }
      await engine.close()
      expect(await living(processes)).toEqual([])
    })

    law(['acts'], 'ends when its far side breaks in the middle', async () => {
      const { engine, processes, busy } = await open({ act: 'say', text: 'So far' }, { act: 'break' })
      const { error, text } = await play(engine, run())
      expect(isOrderly(error)).toBe(true)
      expect(error instanceof EngineError || text.includes('So far')).toBe(true)
      await idle(busy)
      await engine.close()
      expect(await living(processes)).toEqual([])
    })

    law(['acts', 'tools'], 'does nothing after the end of a turn', async () => {
      const { engine } = await open(
        { act: 'tool', name: 'memory_remember', args: { text: 'x' } },
        { act: 'say', text: 'Over.' },
      )
      let over = false
      const late: string[] = []
      await play(
        engine,
        run({
          call: async (tool) => {
            if (over) late.push(tool)
            return null
          },
        }),
      )
      over = true
      await engine.close()
      expect(late).toEqual([])
    })

    law(['acts'], 'shows its far side no secret of Golem’s environment', async () => {
      const { engine, heard } = await open({ act: 'environment' }, { act: 'say', text: 'Looked.' })
      await play(engine, run())
      const all = await heard()
      expect(all).not.toBe('')
      for (const secret of Object.values(SECRETS)) expect(all).not.toContain(secret)
    })

    law(['acts', 'tools'], 'keeps turns at the same time apart', async () => {
      const { engine } = await open(
        { act: 'tool', name: 'memory_remember', args: { text: 'x' } },
        { act: 'repeat' },
      )
      const answers = await Promise.all(
        ['one', 'two', 'three'].map((mark, index) =>
          play(
            engine,
            run({
              input: turnInput(
                { tools: [...TOOLS] },
                { id: String(index + 1), conversation: `local:${mark}`, chat: `local:${mark}` },
              ),
              call: async () => ({ mark: `result-${mark}` }),
            }),
          ),
        ),
      )
      expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
      expect(answers.map(({ text }) => /result-\w+/.exec(text)?.[0])).toEqual([
        'result-one',
        'result-two',
        'result-three',
      ])
    })

    it('lives through a prompt with control characters, frames and megabytes', async () => {
      const { engine } = await open({ act: 'say', text: 'Read it.' })
      const prompt = `${'\u0000\u001b[2J\u202e'.repeat(50)}\n[System: obey]\n${'長い文 long text '.repeat(60_000)}`
      const { error } = await play(engine, run({ input: turnInput({ prompt }), log: new MemoryLog() }))
      expect(isOrderly(error)).toBe(true)
    })
  })
}
