import { expect, it } from 'vitest'
import type { Db } from './db.js'
import { TestClock } from './harness.fixture.js'
import { StoreFailed } from './protocol.js'
import { StorageWatch, type Trouble, troubleOf } from './storage.js'

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code })

it.each([
  ['SQLITE_FULL', 'full', 'the disk that holds local.db is full', 'free some space'],
  ['ENOSPC', 'full', 'the disk that holds local.db is full', 'free some space'],
  ['SQLITE_IOERR_WRITE', 'full', 'cannot be read or written', 'free space and health'],
  ['SQLITE_NOTADB', 'corrupt', 'local.db is damaged (x)', 'put a backup in its place'],
  ['SQLITE_CANTOPEN', 'read-only', 'cannot be opened for writing', 'write access to the data folder'],
  ['EROFS', 'read-only', 'cannot be opened for writing', 'write access to the data folder'],
  ['SQLITE_BUSY', 'in-use', 'is locked by another program', 'close that program'],
  ['NEWER', 'newer', 'x', 'start that version'],
  ['INTERNAL', 'failed', 'local.db does not work: x', 'look at the log'],
])('%s is said as a sentence with its cure', (code, kind, reason, cure) => {
  const trouble = troubleOf(coded(code), 'local.db')
  expect(trouble.code).toBe(kind)
  expect(trouble.reason).toContain(reason)
  expect(trouble.cure).toContain(cure)
})

function watched() {
  const clock = new TestClock()
  const reports: (Trouble['code'] | null)[] = []
  const lines: string[] = []
  const probes: number[] = []
  const disk = { full: true }
  const db = {
    call: async (_: string, { bytes }: { bytes: number }) => {
      probes.push(bytes)
      if (disk.full) throw new StoreFailed('SQLITE_FULL', 'full')
      return null
    },
  } as unknown as Db
  const note = (_: object, line: string) => void lines.push(line)
  const log = { debug: note, info: note, warn: note, error: note }
  const changed = (trouble: Trouble | null) => void reports.push(trouble?.code ?? null)
  const watch = new StorageWatch({ db, clock, log, file: '/d/local.db', changed })
  return { watch, clock, reports, lines, probes, disk }
}

it('says once that the disk is full, tries it by real writes, and says when it works again', async () => {
  const { watch, clock, reports, lines, probes, disk } = watched()
  for (let i = 0; i < 3; i++) watch.failed(new StoreFailed('SQLITE_FULL', 'full'))
  expect(reports).toEqual(['full'])
  expect(lines).toEqual([
    'the local rooms take nothing: the disk that holds /d/local.db is full; free some space',
  ])
  const later = async () => {
    clock.advance(2_000)
    for (let i = 0; i < 5; i++) await Promise.resolve()
  }
  await later()
  await later()
  expect(reports).toEqual(['full'])
  disk.full = false
  await later()
  expect(reports).toEqual(['full', null])
  expect(probes).toEqual([65_536, 65_536, 65_536, 0])
  expect(lines.at(-1)).toBe('the local rooms work again')
  expect(clock.pending).toBe(0)
})

it('a step that fails by itself is no failure of the disk', () => {
  const { watch, clock, reports } = watched()
  watch.failed(new StoreFailed('SQLITE_CONSTRAINT_NOTNULL', 'x'))
  watch.failed(new StoreFailed('CLOSED', 'x'))
  expect(reports).toEqual([])
  expect(clock.pending).toBe(0)
})

it('tries nothing any more when it is stopped', () => {
  const { watch, clock } = watched()
  watch.failed(new StoreFailed('SQLITE_FULL', 'full'))
  watch.stop()
  expect(clock.pending).toBe(0)
})
