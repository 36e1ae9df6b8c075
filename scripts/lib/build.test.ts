import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { build, PARTS, removeOrphans, staleParts } from './build.mjs'

let root = ''
const write = (name: string, content = '') => {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), content)
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'golem-build-'))
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true })
})

/** A compiler that copies, so that the test is about what is built when. */
const part = {
  name: 'server',
  needs: 'src/main.ts',
  sources: ['src'],
  counts: (file: string) => !file.endsWith('.test.ts'),
  result: 'dist/src/main.js',
  stamp: 'dist/.built',
  command: [
    '-e',
    "fs.mkdirSync('dist/src', { recursive: true }); fs.copyFileSync('src/main.ts', 'dist/src/main.js'); if (fs.readFileSync('src/main.ts', 'utf8') === 'broken') process.exit(2)",
  ],
}
const stale = () => staleParts(root, [part]).map(({ name }) => name)

test('builds what is missing, once; then what changed', async () => {
  expect(stale()).toEqual([]) // no sources yet
  write('src/main.ts', '1')
  expect(stale()).toEqual(['server'])
  await build(root, [part])
  expect(stale()).toEqual([])
  write('src/main.test.ts', 'a test changes nothing that runs')
  expect(stale()).toEqual([])
  write('src/main.ts', '2')
  expect(stale()).toEqual(['server'])
  await build(root, [part])
  expect(stale()).toEqual([])
})

test('builds again when the result is gone', async () => {
  write('src/main.ts', '1')
  await build(root, [part])
  rmSync(join(root, 'dist/src'), { recursive: true })
  expect(stale()).toEqual(['server'])
})

test('a build that failed is not taken for one', async () => {
  write('src/main.ts', 'broken')
  await expect(build(root, [part])).rejects.toThrow('the server could not be built')
  expect(stale()).toEqual(['server'])
})

test('compiled files whose source is gone are removed, others kept', () => {
  write('src/cli/main.ts')
  for (const file of ['src/cli/main.js', 'src/cli/main.js.map', 'src/cli/old.js', 'src/cli/old.js.map']) {
    write(`dist/${file}`)
  }
  write('dist/web/assets/app.js')
  removeOrphans(root)
  expect(existsSync(join(root, 'dist/src/cli/main.js'))).toBe(true)
  expect(existsSync(join(root, 'dist/src/cli/main.js.map'))).toBe(true)
  expect(existsSync(join(root, 'dist/src/cli/old.js'))).toBe(false)
  expect(existsSync(join(root, 'dist/src/cli/old.js.map'))).toBe(false)
  expect(existsSync(join(root, 'dist/web/assets/app.js'))).toBe(true)
})

test('the parts name compilers that are installed', () => {
  for (const { command } of PARTS) expect(existsSync(command[0] ?? ''), command[0]).toBe(true)
})
