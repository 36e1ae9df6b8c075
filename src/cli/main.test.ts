/** The program as its callers meet it: a process, its two streams and its exit code. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import { folder } from './harness.fixture.js'

// Processes are started from source; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 })

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const TSX = createRequire(import.meta.url).resolve('tsx')

const DEMO = 'name: Golem\nagents: [{ name: Golem, role: orchestrator, engine: offline }]\n'

function golem(
  args: readonly string[],
  cwd: string,
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', TSX, MAIN, ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString()
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out, err }))
  })
}

it('ends with the documented exit codes and keeps its two streams apart', async () => {
  const cwd = folder()
  const [version, usage, config, store, storeForPrograms] = await Promise.all([
    golem(['--version'], cwd),
    golem(['whi'], cwd),
    golem(['status', '--config', 'nowhere.yaml'], cwd),
    golem(['why', 'last'], cwd),
    golem(['queue', '--json'], cwd),
  ])
  expect(version).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), err: '' })
  expect(usage).toMatchObject({ code: 2, out: '', err: expect.stringContaining("unknown command 'whi'") })
  expect(config).toMatchObject({ code: 3, out: '', err: expect.stringContaining('nowhere.yaml') })
  expect(store).toMatchObject({
    code: 4,
    out: '',
    err: expect.stringMatching(/^golem: There is no store at .*Start golem once/),
  })
  expect(store.err.trim().split('\n')).toHaveLength(1)
  expect(storeForPrograms.code).toBe(4)
  expect(JSON.parse(storeForPrograms.out)).toMatchObject({ event: 'error', code: 'missing' })
})

it('a start that fails after the store was opened says so too, instead of just vanishing', async () => {
  const { code, out, err } = await golem(
    ['start', '--host', '0.0.0.0', '--port', '0', '--json'],
    folder(DEMO),
  )
  expect({ code, out: out === '' ? out : JSON.parse(out) }).toEqual({
    code: 3,
    out: { event: 'error', code: 'open-to-network', message: expect.stringContaining('gateway.token') },
  })
  expect(err).toMatch(/^golem: Golem will not listen on 0\.0\.0\.0 without a token/)
})
