import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FILES_KEPT, pruneFiles } from './prune.js'

test('files of old turns go, new ones and what agents wrote stay', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'golem-prune-'))
  const now = Date.UTC(2026, 2, 1)
  const old = new Date(now - FILES_KEPT - 1_000)
  const recent = new Date(now - FILES_KEPT + 1_000)
  try {
    for (const [path, time] of [
      ['outgoing/1', old],
      ['outgoing/2', recent],
      ['work/slack-C1/files/1', old],
      ['work/slack-C1/files/2', recent],
      ['work/slack-C1/files/notes', old],
    ] as const) {
      await mkdir(join(dir, path), { recursive: true })
      await writeFile(join(dir, path, 'a.txt'), '')
      await utimes(join(dir, path), time, time)
    }
    expect(await pruneFiles(dir, now)).toBe(2)
    expect(await readdir(join(dir, 'outgoing'))).toEqual(['2'])
    expect((await readdir(join(dir, 'work/slack-C1/files'))).sort()).toEqual(['2', 'notes'])
    expect(await pruneFiles(join(dir, 'none'), now)).toBe(0)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
