import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkFolder } from './check.js'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'golem-check-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

it('a folder that is there, or can be made, will do', async () => {
  await mkdir(join(root, 'memory'))
  await checkFolder(join(root, 'memory'))
  await checkFolder(join(root, 'a', 'b', 'groups'))
})

it.each(['memory', 'memory/groups', 'memory/a/groups'])(
  'a file in the way of %s is named, with the cure',
  async (path) => {
    await writeFile(join(root, 'memory'), '')
    await expect(checkFolder(join(root, path))).rejects.toMatchObject({
      code: 'read-only',
      message: `The memory folder ${join(root, path)} cannot be used: ${join(root, 'memory')} is a file. Give the user that runs Golem a folder it may write there, or set memoryDir in golem.yaml to another one.`,
    })
  },
)
