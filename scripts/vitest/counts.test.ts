import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** Runs Vitest on the given files and returns what the reporter counted. */
function counted(files: Record<string, string>): { code: number | null; counts: unknown } {
  // Inside the checkout, where `vitest` resolves; .cache is nobody's source.
  mkdirSync('.cache', { recursive: true })
  const root = mkdtempSync(resolve('.cache/counts-'))
  try {
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(root, name), `import { test } from 'vitest'\n${content}`)
    }
    const path = join(root, 'counts.json')
    const reporter = resolve('scripts/vitest/counts.ts')
    const args = ['run', '--root', root, `--config=${join(root, 'none.ts')}`, `--reporter=${reporter}`]
    writeFileSync(join(root, 'none.ts'), 'export default {}')
    const env = { ...process.env, GOLEM_TEST_COUNTS: path }
    const { status } = spawnSync(process.execPath, [resolve('node_modules/vitest/vitest.mjs'), ...args], {
      env,
    })
    return { code: status, counts: JSON.parse(readFileSync(path, 'utf8')) }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

test('counts what passed, failed and was left out, and files that never came to a test', () => {
  const { code, counts } = counted({
    'a.test.ts': "test('passes', () => {})\ntest('fails', () => { throw new Error('no') })\n",
    'b.test.ts': "test.skip('is left out', () => {})\ntest.todo('is not there yet')\n",
    'c.test.ts': "throw new Error('does not load')\n",
  })
  expect(counts).toEqual({ passed: 1, failed: 1, skipped: 2, broken: 1 })
  expect(code).toBe(1)
})

test('a promise that nobody waited for breaks the run', () => {
  const { code, counts } = counted({
    'a.test.ts': "test('passes', () => { void Promise.reject(new Error('lost')) })\n",
  })
  expect(counts).toEqual({ passed: 1, failed: 0, skipped: 0, broken: 1 })
  expect(code).toBe(1)
})
