import { mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeDisk } from './disk.js'
import { Recent } from './recent.js'

let root: string
let file: string
let reads = 0

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'golem-recent-'))
  file = join(root, 'a.md')
  reads = 0
})
afterEach(() => rm(root, { recursive: true, force: true }))

const read = async (): Promise<string> => {
  reads++
  return readFile(file, 'utf8')
}
/** The file system's clock, a minute on: nothing was written "just now". */
const later = { ...nodeDisk, stamp: (path: string) => nodeDisk.stamp(path, Date.now() + 60_000) }

describe('files read last', () => {
  it('are not read again while nobody saved', async () => {
    await writeFile(file, 'one')
    const recent = new Recent<string>(later)
    expect([await recent.get(file, read), await recent.get(file, read)]).toEqual(['one', 'one'])
    expect(reads).toBe(1)
  })

  it('are read again once somebody saved, in place or by another file, even one of the same size and time', async () => {
    await writeFile(file, 'one')
    const recent = new Recent<string>(later)
    await recent.get(file, read)
    await writeFile(file, 'two')
    expect(await recent.get(file, read)).toBe('two')
    const time = new Date(1_000_000)
    await utimes(file, time, time)
    await recent.get(file, read)
    await writeFile(join(root, 'b.md'), 'six')
    await utimes(join(root, 'b.md'), time, time)
    await rename(join(root, 'b.md'), file)
    expect(await recent.get(file, read)).toBe('six')
  })

  it('are read again when they were saved only just now: the clock of a file system is coarse', async () => {
    await writeFile(file, 'one')
    const recent = new Recent<string>(nodeDisk)
    await recent.get(file, read)
    await recent.get(file, read)
    expect(reads).toBe(2)
  })

  it('keeps only the last ones', async () => {
    const recent = new Recent<string>(later)
    await writeFile(file, 'one')
    await recent.get(file, read)
    for (let index = 0; index < 64; index++) {
      const other = join(root, `${index}.md`)
      await writeFile(other, 'x')
      await recent.get(other, async () => 'x')
    }
    await recent.get(file, read)
    expect(reads).toBe(2)
  })
})
