import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { alive, FakeClock, MemoryLog } from '../../tests/fixtures/agents/kit.js'
import { answers, FakeMemory, FakeStore, policy, workshop } from '../../tests/fixtures/agents/workshop.js'
import { commandEngine } from './engines/command/factory.js'
import { createRunner, type RunnerOptions } from './roster.js'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'golem-roster-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function options(engine: { id: string; options: unknown }): RunnerOptions {
  return {
    agents: [{ name: 'Golem', role: 'helper', engine }],
    engines: { command: commandEngine },
    store: new FakeStore(),
    memory: new FakeMemory(),
    skills: [],
    policy: policy(),
    dataDir: dir,
    clock: new FakeClock(),
    log: new MemoryLog(),
    secrets: [],
  }
}

test('an engine that is not there, and options it does not take, name the agent and the cure', () => {
  expect(() => createRunner(options({ id: 'constructor', options: {} }))).toThrow(
    'The agent Golem has engine constructor, which is not there: use one of command.',
  )
  expect(() => createRunner(options({ id: 'command', options: { command: [] } }))).toThrow(
    /agent Golem cannot be run by engine command \(command: .*give it command:/,
  )
})

test.runIf(process.platform === 'linux')(
  'programs that a killed daemon left behind end before the first turn, others live',
  async () => {
    const owner = createHash('sha256').update(dir).digest('hex').slice(0, 16)
    const start = async (run: string) => {
      const child = spawn(process.execPath, ['-e', "process.stdout.write('up');setInterval(()=>{},1e9)"], {
        env: { GOLEM_RUN: run },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      await new Promise((resolve) => child.stdout.once('data', resolve))
      return child
    }
    const stray = await start(`${owner}:00000000:1`)
    const foreign = await start('0123456789abcdef:00000000:1')
    const gone = new Promise((resolve) => stray.once('exit', (_code, signal) => resolve(signal)))
    try {
      const shop = workshop(dir, answers('ok'), { program: true })
      await shop.run()
      expect(await gone).toBe('SIGKILL')
      expect(await alive(foreign.pid ?? 0)).toBe(true)
      expect(JSON.stringify(shop.log.lines)).toContain('earlier start')
    } finally {
      stray.kill('SIGKILL')
      foreign.kill('SIGKILL')
    }
  },
)
