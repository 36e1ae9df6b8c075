import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withLock } from './lock.mjs'

let root = ''
let lock = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'golem-lock-'))
  lock = join(root, '.cache/setup.lock')
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true })
})

test('one at a time, and says for whom it waits', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const order: string[] = []
  let release = () => {}
  const first = withLock(lock, async () => {
    order.push('first in')
    await new Promise<void>((resolve) => {
      release = resolve
    })
    order.push('first out')
  })
  const second = withLock(lock, async () => void order.push('second in'), { pollMs: 1 })
  await vi.waitFor(() => expect(said).toHaveBeenCalled())
  release()
  await Promise.all([first, second])
  expect(order).toEqual(['first in', 'first out', 'second in'])
  expect(said.mock.calls.join()).toContain(`waiting for process ${process.pid}`)
  expect(existsSync(lock)).toBe(false)
})

test('is released when the work fails', async () => {
  await expect(withLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(existsSync(lock)).toBe(false)
})

test('takes over from a dead process', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  await withLock(lock, async () => {})
  writeFileSync(lock, `${pid}\n`)
  expect(await withLock(lock, async () => 'mine')).toBe('mine')
})

test('takes over from a process that died before it wrote its id', async () => {
  await withLock(lock, async () => {})
  writeFileSync(lock, '')
  utimesSync(lock, 1, 1)
  expect(await withLock(lock, async () => 'mine')).toBe('mine')
})

test('a checkout that cannot be written is told in one sentence', async () => {
  writeFileSync(join(root, 'file'), '')
  await expect(withLock(join(root, 'file/setup.lock'), async () => {})).rejects.toThrow(
    /cannot be written \((?:EEXIST|ENOTDIR)\); make the folder writable/,
  )
})
