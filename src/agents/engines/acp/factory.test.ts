import { expect, it, vi } from 'vitest'
import { MemoryLog, realClock } from '../../../../tests/fixtures/agents/kit.js'
import { presetEngines } from './factory.js'

const preset = {
  commands: [['golem-no-such-agent', 'acp']],
  install: 'npm install -g golem-no-such-agent',
  login: 'golem-no-such-agent login',
  variables: [],
  methods: {},
}

function start(options: object): MemoryLog {
  const log = new MemoryLog()
  presetEngines({ tester: preset }).tester?.create(
    { name: 'Coder', role: 'helper', engine: { id: 'tester', options } },
    {
      clock: realClock,
      log,
      skills: [],
      dataDir: '/nowhere',
      mark: 'test:',
      environment: { PATH: '/nowhere' },
    },
  )
  return log
}

it('an agent that is not installed is said at the start, with its cure', async () => {
  const log = start({})
  await vi.waitFor(() => expect(log.lines).toHaveLength(1))
  expect(JSON.stringify(log.lines)).toContain('npm install -g golem-no-such-agent')
  expect(JSON.stringify(log.lines)).toContain('Coder')
})

it('a command of one’s own is not looked for', async () => {
  const log = start({ command: ['/nowhere/agent'] })
  const other = start({})
  await vi.waitFor(() => expect(other.lines).toHaveLength(1))
  expect(log.lines).toEqual([])
})
