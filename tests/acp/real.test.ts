/**
 * Real coding agents answer through the real engine, in front of a scripted model on this machine. They run where the
 * package is installed: `npm run test:acp` installs one.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ACP_PACKAGES, installedBin } from '../../scripts/lib/acp-packages.mjs'
import type { Ruling } from '../../src/messaging/approval.js'
import type { Engine, EngineRun } from '../../src/messaging/engine.js'
import type { Script } from '../engines/model-server.js'
import { play } from '../engines/outcome.js'
import { serveTools } from '../engines/tools-server.js'
import { engineRun, turnInput } from '../fixtures/agents/kit.js'
import { AGENTS, RealBench } from './real.js'

const SLOW = 60_000
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

for (const agent of AGENTS) {
  const { name, version } = ACP_PACKAGES[agent.id]
  const why =
    installedBin(agent.id) === undefined ? ` (left out: npm run test:acp -- ${agent.id} installs it)` : ''

  describe.skipIf(why !== '')(`${name} ${version}${why}`, { timeout: SLOW }, () => {
    const open = async (script: Script): Promise<RealBench> => {
      const bench = await RealBench.open(agent, script)
      ends.push(() => bench.close())
      return bench
    }
    const say = (engine: Engine, bench: RealBench, prompt: string, over: Partial<EngineRun> = {}) =>
      play(engine, engineRun({ cwd: bench.cwd, input: turnInput({ prompt: `> [Ann] ${prompt}` }), ...over }))

    it('answers', async () => {
      const bench = await open(() => [{ text: 'It is on page 7, 第七頁。' }])
      const { text, error, events } = await say(bench.engine(), bench, 'where is it?')
      expect(error).toBeUndefined()
      expect(text).toContain('It is on page 7, 第七頁。')
      expect(events[0]).toEqual({ type: 'progress' })
      expect(bench.model.heard.some(({ text: heard }) => heard.includes('where is it?'))).toBe(true)
      expect(JSON.stringify(bench.model.heard)).not.toContain('xoxb-nobody')
    })

    it('keeps the conversation in its session, warm and after a restart', async () => {
      const bench = await open(() => [{ text: 'Noted.' }])
      const engine = bench.engine()
      await say(engine, bench, 'the first word')
      await say(engine, bench, 'the second word')
      await engine.close()
      const { error } = await say(bench.engine(), bench, 'the third word')
      expect(error).toBeUndefined()
      const heard = (word: string) =>
        bench.model.heard.findLast(({ text }) => text.includes(`the ${word} word`)) ?? {
          text: '',
          body: null,
        }
      expect(JSON.stringify(heard('second').body)).toContain('the first word')
      const last = heard('third')
      expect(last.text).toContain('the third word')
      // Who cannot is told everything anew, and not that it knows the conversation.
      if (agent.lacks?.includes('resume')) expect(last.text).not.toContain('You know this conversation')
      else
        for (const word of ['first', 'second'])
          expect(JSON.stringify(last.body)).toContain(`the ${word} word`)
    })

    it.each([
      ['allowed', true],
      ['refused', false],
    ])('asks before it acts, and is %s', async (_word, allow) => {
      const bench = await open((heard) => {
        if (heard.results.length > 0) return [{ text: 'That was it.' }]
        const tool = heard.tools.find((each) => each in SHELLS)
        return tool === undefined ? [{ text: 'A title' }] : [{ tool, args: SHELLS[tool] ?? '' }]
      })
      const asked: string[] = []
      const decide = async (question: {
        text: string
        options: readonly { id: string; deny?: boolean }[]
      }): Promise<Ruling> => {
        asked.push(question.text)
        const option = question.options.find(({ deny = false }) => deny !== allow)
        return { kind: 'chosen', option: option?.id ?? '', by: { id: 'u1', name: 'Ann' } }
      }
      await say(bench.engine(), bench, 'make the file', { decide })
      expect(asked).toHaveLength(1)
      expect(asked[0]).toContain('touch made.txt')
      expect(existsSync(join(bench.cwd, 'made.txt'))).toBe(allow)
    })

    it('calls a tool of Golem’s, in its first turn and in a later one', async () => {
      const bench = await open((heard) => {
        const asked = [0, 1].filter((turn) => heard.text.includes(`word ${turn}`)).length
        if (heard.results.length >= asked) return [{ text: `It said: ${heard.results.at(-1) ?? 'nothing'}` }]
        // Some put a server's tools under one name.
        const tool =
          heard.tools.find((each) => each.includes('memory_remember')) ?? 'mcp__golem__memory_remember'
        return [{ tool, args: JSON.stringify({ text: `line ${heard.results.length}` }) }]
      })
      const tools = await serveTools(bench.log)
      ends.push(() => tools.close())
      const engine = tools.lend(bench.engine({ permissions: 'allow' }))
      const called: unknown[] = []
      const specs = [
        {
          name: 'memory_remember',
          description: 'Remembers a line.',
          parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        },
      ]
      for (const turn of [0, 1]) {
        const { text, error } = await say(engine, bench, '', {
          input: turnInput({ prompt: `> [Ann] word ${turn}`, tools: specs }),
          call: async (tool, args) => {
            called.push([tool, args])
            return { remembered: `kept ${called.length}` }
          },
        })
        expect(error).toBeUndefined()
        expect(text).toContain(`kept ${turn + 1}`)
      }
      expect(called).toEqual([
        ['memory_remember', { text: 'line 0' }],
        ['memory_remember', { text: 'line 1' }],
      ])
    })

    it('is stopped within a second, and nothing of it is left behind', async () => {
      const bench = await open(() => [{ text: 'Half of it' }, 'hang'])
      const engine = bench.engine()
      const stop = new AbortController()
      let stopped = 0
      const { text, error } = await play(
        engine,
        engineRun({ cwd: bench.cwd, signal: stop.signal }),
        (_event, sofar) => {
          if (stopped > 0 || !sofar.includes('Half of it')) return
          stopped = Date.now()
          stop.abort('stopped')
        },
      )
      expect(Date.now() - stopped).toBeLessThan(1_000)
      expect(error).toBeUndefined()
      expect(text).toContain('Half of it')
      await engine.close()
      expect(await bench.processes()).toEqual([])
    })

    const keyed = agent.lacks?.includes('login') ? ' (left out: its key stands in its own settings)' : ''
    it.skipIf(keyed !== '')(`says that nobody is logged in${keyed}`, async () => {
      const bench = await open(() => [{ text: 'Never said.' }])
      const { error } = await say(bench.engine({ env: bench.keyless }), bench, 'hello')
      expect(error).toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining('as the user that runs Golem'),
      })
    })
  })
}

/** How each agent's model has a command run. */
const SHELLS: Readonly<Record<string, string>> = {
  exec_command: JSON.stringify({ cmd: 'touch made.txt' }),
  bash: JSON.stringify({ command: 'touch made.txt', description: 'makes a file' }),
  run_shell_command: JSON.stringify({ command: 'touch made.txt', description: 'makes a file' }),
  Bash: JSON.stringify({ command: 'touch made.txt', description: 'makes a file' }),
}
