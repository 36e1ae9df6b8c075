import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { spawnError } from './spawn-error.js'

const failed = (code: string) => Object.assign(new Error(code), { code })

it.each([
  ['ENOENT', 'claude', /^The program claude was not found: install it, or write its full path/],
  ['EACCES', './run.sh', /^The program \.\/run\.sh may not be started \(EACCES\): make it executable/],
  [
    'EACCES',
    'claude',
    /^The program claude was not found where this user may look for it in PATH \(EACCES\)/,
  ],
  ['ENOEXEC', './run', /is no program this machine can run/],
  ['EAGAIN', 'claude', /no more processes, files or memory to give \(EAGAIN\)/],
  ['EODD', 'claude', /could not be started \(EODD\): try to start it by hand/],
])('%s of %s is a sentence with its cure', async (code, program, sentence) => {
  const error = await spawnError(failed(code), program, tmpdir())
  expect(error.code).toBe('spawn')
  expect(error.message).toMatch(sentence)
})

it('a folder that is gone is named, whatever the system says', async () => {
  expect(await spawnError(failed('ENOENT'), 'node', '/nowhere/at/all')).toMatchObject({
    code: 'folder',
    message: expect.stringContaining('The working folder /nowhere/at/all is missing'),
  })
})
