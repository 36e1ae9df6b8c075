import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { workingFolder } from './folder.js'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'golem-folder-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('a conversation has a folder of its own, which is made', async () => {
  const one = await workingFolder({ workingFolder: null }, 'slack:C1:171.2', dir)
  const other = await workingFolder({ workingFolder: null }, 'slack:C1:171-2', dir)
  expect(one).toBe(join(dir, 'work', 'slack-C1%3A171%2E2'))
  expect(other).not.toBe(one)
  expect((await stat(one)).isDirectory()).toBe(true)
})

test('a room’s folder that has gone is named with the cure and not made anew', async () => {
  const gone = join(dir, 'project')
  await expect(workingFolder({ workingFolder: gone }, 'slack:C1', dir)).rejects.toThrow(
    `The working folder ${gone} is missing: create it again, or change workingFolder for this room.`,
  )
  await expect(stat(gone)).rejects.toThrow()
  await writeFile(gone, '')
  await expect(workingFolder({ workingFolder: gone }, 'slack:C1', dir)).rejects.toThrow(/is no folder/)
})

test('a data folder that cannot be written is one sentence with the cure', async () => {
  await writeFile(join(dir, 'work'), '')
  await expect(workingFolder({ workingFolder: null }, 'slack:C1', dir)).rejects.toThrow(
    /could not be made: give/,
  )
})
