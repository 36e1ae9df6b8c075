/** Turns on real programs, with the real memory: what a user of the engine `command` meets. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { alive, FakeClock, MemoryLog, program, realClock } from '../../tests/fixtures/agents/kit.js'
import { claimed, FakeStore, line, policy, SETTINGS } from '../../tests/fixtures/agents/workshop.js'
import { GroupMemory } from '../memory/group.js'
import type { Clock } from '../messaging/ambient.js'
import { STOP_GRACE, TURN_LIMIT } from '../messaging/limits.js'
import type { TurnRunner, TurnWork } from '../messaging/runner.js'
import type { ClaimedTurn } from '../messaging/store.js'
import { commandEngine } from './engines/command/factory.js'
import { createRunner } from './roster.js'
import { noAnswer } from './sentences.js'

let dir: string
let memory: GroupMemory
let store: FakeStore
let log: MemoryLog
const runners: TurnRunner[] = []
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'golem-programs-'))
  log = new MemoryLog()
  store = new FakeStore()
  memory = new GroupMemory({ memoryDir: join(dir, 'memory'), language: 'en', clock: realClock, log })
})
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.close()))
  await rm(dir, { recursive: true, force: true })
})

function runner(command: readonly string[], options: object = {}, clock: Clock = realClock): TurnRunner {
  const [name = '', ...args] = command
  const made = createRunner({
    agents: ['Golem', 'Reviewer'].map((agent) => ({
      name: agent,
      role: 'helper',
      engine: { id: 'command', options: { command: [process.execPath, program(name), ...args], ...options } },
    })),
    engines: { command: commandEngine },
    store,
    memory,
    skills: [],
    policy: policy(),
    dataDir: join(dir, 'data'),
    denied: [join(dir, 'memory')],
    clock,
    log,
    secrets: ['swordfish-77'],
  })
  runners.push(made)
  return made
}

function work(over: Partial<ClaimedTurn> = {}, rest: Partial<TurnWork> = {}): TurnWork {
  return {
    turn: claimed(over),
    settings: SETTINGS,
    signal: new AbortController().signal,
    firstEvent: async () => {},
    effect: async () => {},
    decide: async () => ({ kind: 'refused', why: 'nobody-to-ask' }),
    download: async () => new Blob(['x']).stream(),
    progress: () => {},
    doing: () => {},
    ...rest,
  }
}

describe('an agent program that', () => {
  test('prints garbage: a failed turn with the cure', async () => {
    const { result } = await runner(['garbage']).run(work())
    expect(result).toMatchObject({
      kind: 'failed',
      code: 'protocol',
      message: expect.stringContaining('UTF-8'),
    })
  })

  test('prints 100 MB: a failed turn', async () => {
    const { result } = await runner(['flood', 'lines']).run(work())
    expect(result).toMatchObject({ kind: 'failed', code: 'output-limit' })
  })

  test('prints nothing: asked once more, then an honest sentence', async () => {
    const { result } = await runner(['silent']).run(work())
    expect(result).toEqual({ kind: 'answer', text: noAnswer('en') })
    const unaddressed = await runner(['silent']).run(work({ addressed: false }))
    expect(unaddressed.result.kind).toBe('silence')
  })

  test('hangs: a failed turn at the limit, and no process left', async () => {
    const clock = new FakeClock()
    let pid = 0
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const running = runner(['hang'], {}, clock).run(
      work(
        {},
        {
          doing: () => {},
          progress: (text) => {
            pid = Number(text)
            begin()
          },
        },
      ),
    )
    await begun
    clock.advance(TURN_LIMIT)
    // It ignores SIGTERM; SIGKILL comes after the grace.
    clock.advance(STOP_GRACE)
    expect((await running).result).toMatchObject({ kind: 'failed', code: 'timeout' })
    expect(await alive(pid)).toBe(false)
  })

  test('dies: a failed turn with its last words, without the secrets in them', async () => {
    const { result } = await runner(['dies']).run(work())
    expect(result).toMatchObject({
      kind: 'failed',
      code: 'exit',
      message: expect.stringContaining('[redacted] refused'),
    })
    expect(JSON.stringify([result, log.lines])).not.toContain('xoxb-')
  })

  test('is not there: a failed turn, and the next turn of another agent is fine', async () => {
    const { result } = await runner(['none'], { command: ['golem-no-such-program'] }).run(work())
    expect(result).toMatchObject({
      kind: 'failed',
      code: 'spawn',
      message: expect.stringContaining('install it'),
    })
  })

  test('uses tools: they act within the turn, and the receipt tells of them', async () => {
    const calls = [
      ['memory_remember', { section: 'decisions', line: 'Prometheus it is' }],
      ['ask_teammate', { name: 'Reviewer', task: 'check' }],
      ['history_search', { query: 'x', conversation: 'slack:C2' }],
    ]
    const end = await runner(['tools', JSON.stringify(calls)]).run(work())
    expect(end.tools.map((call) => [call.name, call.ok])).toEqual([
      ['memory_remember', true],
      ['ask_teammate', true],
      ['history_search', false],
    ])
    expect(end.asked).toEqual(['Reviewer'])
    expect((await memory.read('slack:C1')).text).toMatch(/Prometheus it is/)
    expect(end.result).toMatchObject({ text: expect.stringContaining('"status":"asked"') })
  })

  test('asks as its last deed: the ask is made', async () => {
    const end = await runner(['fire-and-exit']).run(work())
    expect(end).toMatchObject({ result: { kind: 'answer', text: '' }, asked: ['Reviewer'] })
  })
})

describe('group memory of a program', () => {
  test('is a copy: edits are merged with what others wrote meanwhile, and the copy goes', async () => {
    await memory.remember('slack:C1', 'context', 'Latency dashboard')
    const settings = { ...SETTINGS, workingFolder: join(dir, 'project') }
    await mkdir(join(dir, 'project'))
    const made = runner(['edits-memory'])
    const end = await made.run(
      work(
        {},
        {
          settings,
          // The program has its copy by now; somebody else writes before it ends.
          firstEvent: async () => void (await memory.remember('slack:C1', 'decisions', 'said by another')),
        },
      ),
    )
    const { text } = await memory.read('slack:C1')
    expect(text).toMatch(/Latency dashboard/)
    expect(text).toMatch(/said by another/)
    expect(text).toMatch(/added by the program/)
    expect(end.tools).toMatchObject([{ name: 'memory_file', ok: true }])
    expect(await readdir(join(dir, 'project'))).toEqual([])
  })

  test('a turn that failed changes nothing', async () => {
    const end = await runner(['edits-memory', 'die']).run(work())
    expect(end.result.kind).toBe('failed')
    expect((await memory.read('slack:C1')).text).not.toMatch(/added by the program/)
  })

  test('a copy that a killed daemon left in a shared folder is not there for the next chat', async () => {
    const folder = join(dir, 'project')
    await mkdir(join(folder, 'memory', 'turn-77'), { recursive: true })
    await writeFile(join(folder, 'memory', 'turn-77', 'slack-C2.md'), 'another chat')
    await runner(['silent']).run(
      work({ addressed: false }, { settings: { ...SETTINGS, workingFolder: folder } }),
    )
    expect(await readdir(folder)).toEqual([])
  })
})

describe('what is shown', () => {
  test('the protocol’s input, version 1', async () => {
    const end = await runner(['echo']).run(
      work({
        lines: [line('before', { new: false, native: 'm0' }), line('now')],
        files: [{ message: 1, file: { id: 'f', name: 'a.txt' } }],
      }),
    )
    const { input, cwd } = JSON.parse(end.result.kind === 'answer' ? end.result.text : '{}')
    expect(cwd).toBe(join(dir, 'data', 'work', 'slack-C1'))
    expect(input).toMatchObject({
      v: 1,
      agent: { name: 'Golem', role: 'helper' },
      turn: {
        id: '1',
        conversation: 'slack:C1',
        chat: 'slack:C1',
        platform: 'slack',
        addressed: true,
        kind: 'message',
      },
      messages: [
        { id: 'm0', text: 'before', new: false },
        { id: 'm1', text: 'now', new: true, author: { id: 'u1', name: 'Ann' }, kind: 'person' },
      ],
      memory: { path: join(cwd, 'memory', 'turn-1', 'slack-C1.md') },
      roster: [{ name: 'Golem' }, { name: 'Reviewer' }, { name: 'Scout' }],
      peers: [],
      files: [{ name: 'a.txt', path: join(cwd, 'files', '1', 'a.txt') }],
      mcp: null,
    })
    expect(await readFile(join(cwd, 'files', '1', 'a.txt'), 'utf8')).toBe('x')
  })
})
