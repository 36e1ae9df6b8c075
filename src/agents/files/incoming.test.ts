import { mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FetchOptions, fetchFiles } from './incoming.js'

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'golem-incoming-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const text = (content: string): ReadableStream<Uint8Array> => new Blob([content]).stream()
const never = new AbortController().signal

function fetching(names: readonly string[], over: Partial<FetchOptions> = {}) {
  return fetchFiles({
    files: names.map((name, id) => ({ id: String(id), name })),
    cwd,
    turn: 7,
    download: async (file) => text(`content of ${file.id}`),
    signal: never,
    failed: () => {},
    ...over,
  })
}

test('names that lead out or clash are made safe and unique', async () => {
  const { files, missing } = await fetching(['../../../outside.txt', 'a.txt', 'A.txt', '.bashrc'])
  expect(missing).toEqual([])
  expect(files.map((file) => file.name)).toEqual(['outside.txt', 'a.txt', 'A (2).txt', 'bashrc'])
  expect(await readFile(join(cwd, 'files', '7', 'A (2).txt'), 'utf8')).toBe('content of 2')
  expect((await stat(join(cwd, 'files', '7', 'a.txt'))).mode & 0o777).toBe(0o600)
})

test('two turns never see each other’s file of the same name', async () => {
  const one = await fetching(['a.txt'])
  const two = await fetching(['a.txt'], { turn: 8, download: async () => text('other') })
  expect(await readFile(one.files[0]?.path ?? '', 'utf8')).toBe('content of 0')
  expect(await readFile(two.files[0]?.path ?? '', 'utf8')).toBe('other')
})

test('what cannot be had is named, the rest is there', async () => {
  const told: unknown[] = []
  const { files, missing } = await fetching(['bad', 'large', 'fine'], {
    maxBytes: 20,
    failed: (_name, error) => told.push(error),
    download: async (file) => {
      if (file.name === 'bad') throw new Error('410')
      return text(file.name === 'large' ? 'x'.repeat(100) : 'ok')
    },
  })
  expect(files.map((file) => file.name)).toEqual(['fine'])
  expect(missing).toEqual([
    { name: 'bad', why: 'it could not be fetched' },
    { name: 'large', why: 'it is larger than 20 bytes' },
  ])
  expect(told).toHaveLength(1)
  expect(await readdir(join(cwd, 'files', '7'))).toEqual(['fine'])
})

test('a stop ends a download that hangs', async () => {
  const stop = new AbortController()
  let started = (): void => {}
  const begun = new Promise<void>((resolve) => {
    started = resolve
  })
  const running = fetching(['slow'], {
    signal: stop.signal,
    download: async () => {
      started()
      return new ReadableStream({})
    },
  })
  await begun
  stop.abort('stopped')
  expect((await running).files).toEqual([])
})

test('a link in the way leads nowhere', async () => {
  await symlink(tmpdir(), join(cwd, 'files'))
  const { missing } = await fetching(['a.txt'])
  expect(missing).toEqual([{ name: 'a.txt', why: 'its folder could not be made' }])
})
