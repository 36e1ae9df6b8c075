/** What survives when the process stops at any step, and when several write at once. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Disk, nodeDisk } from './disk.js'
import { GroupMemory } from './group.js'

const KEY = 'slack:C123'
const OLD = '# Group: slack-C123\n\n## Members\n- Ann\n\n## Decisions\n- [2026-01-01] old\n\n## Ours\nprose\n'
const NEW = OLD.replace('- [2026-01-01] old\n', '- [2026-01-01] old\n- [2026-03-01] new\n')
let root: string
let groups: string
let file: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'golem-memory-'))
  groups = join(root, 'groups')
  file = join(groups, 'slack-C123.md')
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

function memory(disk: Disk = nodeDisk): GroupMemory {
  return new GroupMemory({
    memoryDir: root,
    language: 'en',
    clock: { now: () => new Date(2026, 2, 1, 12).getTime() },
    log: { warn: () => undefined, info: () => undefined },
    damageDelay: 0,
    disk,
  })
}

class Killed extends Error {}

/** A disk whose process stops at call number `last`: before it, in its middle (a write), or after it. */
function mortal(last: number, when: 'before' | 'after'): { disk: Disk; died: () => boolean } {
  let calls = 0
  let dead = false
  const step =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>, half?: (...args: A) => Promise<unknown>) =>
    async (...args: A): Promise<R> => {
      if (dead) throw new Killed()
      if (calls++ !== last) return call(...args)
      dead = true
      if (when === 'after') await call(...args)
      else await half?.(...args)
      throw new Killed()
    }
  const disk: Disk = {
    read: step(nodeDisk.read),
    stamp: nodeDisk.stamp,
    list: step(nodeDisk.list),
    makeFolder: step(nodeDisk.makeFolder),
    create: step(async (path, mode) => {
      const open = await nodeDisk.create(path, mode)
      if (dead) await open.close()
      return {
        write: step(open.write, (bytes) => open.write(bytes.subarray(0, bytes.length / 2))),
        sync: step(open.sync),
        // A stopped process closes its files too.
        close: async () => {
          await open.close()
          await step(async () => undefined)()
        },
      }
    }),
    rename: step(nodeDisk.rename),
    link: step(nodeDisk.link),
    remove: step(nodeDisk.remove),
    syncFolder: step(nodeDisk.syncFolder),
  }
  return { disk, died: () => dead }
}

describe('any-memory-file-torn-write: a process that stops at any step of a write', {
  timeout: 60_000,
}, () => {
  it.each(['before', 'after'] as const)(
    'leaves the old or the new file, whole (%s the step)',
    async (when) => {
      let step = 0
      for (; ; step++) {
        await rm(groups, { recursive: true, force: true })
        await mkdir(groups)
        await writeFile(file, OLD)
        const { disk, died } = mortal(step, when)
        await memory(disk)
          .remember(KEY, 'Decisions', 'new')
          .catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error
          })
        if (!died()) break
        const next = memory()
        const { text, keptAside } = await next.read(KEY)
        expect([OLD, NEW], `step ${step}`).toContain(text)
        expect(keptAside).toBeUndefined()
        expect(await readdir(groups), `step ${step}`).toEqual(['slack-C123.md'])
        // What was said again after the restart is there once.
        await next.remember(KEY, 'Decisions', 'new')
        expect(await readFile(file, 'utf8')).toBe(NEW)
      }
      expect(step).toBeGreaterThan(12)
    },
  )

  it.each(['before', 'after'] as const)(
    'leaves no file or a whole one where there was none (%s)',
    async (when) => {
      for (let step = 0; ; step++) {
        await rm(groups, { recursive: true, force: true })
        const { disk, died } = mortal(step, when)
        await memory(disk)
          .remember(KEY, 'Decisions', 'new')
          .catch(() => undefined)
        if (!died()) break
        const next = memory()
        const { sections, exists } = await next.read(KEY)
        expect(sections.decisions).toEqual(exists ? ['[2026-03-01] new'] : [])
        await next.remember(KEY, 'Decisions', 'new')
        expect((await next.read(KEY)).sections.decisions).toEqual(['[2026-03-01] new'])
        expect(await readdir(groups)).toEqual(['slack-C123.md'])
      }
    },
  )

  it('keeps an edit that a person saved in the middle of it', async () => {
    const edited = OLD.replace('- Ann\n', '- Ann\n- a person\n')
    for (let step = 0; ; step++) {
      await rm(groups, { recursive: true, force: true })
      await mkdir(groups)
      await writeFile(file, OLD)
      const { disk, died } = mortal(step, 'before')
      let looks = 0
      const rename: Disk['rename'] = async (from, to) => {
        // In the blink between the last look and the swap.
        if (looks++ === 0) await writeFile(file, edited)
        return disk.rename(from, to)
      }
      await memory({ ...disk, rename })
        .remember(KEY, 'Decisions', 'new')
        .catch(() => undefined)
      const { text } = await memory().read(KEY)
      if (looks > 0) expect(text, `step ${step}`).toContain('- a person\n')
      expect(text).toContain('- [2026-01-01] old\n')
      if (!died()) break
    }
  })

  it('loses no line to a summary step that was cut off', async () => {
    const lines = Array.from({ length: 130 }, (_, n) => `- [2026-01-01] decision ${n} ${'x'.repeat(100)}`)
    const full = `# Group: slack-C123\n\n## Decisions\n${lines.join('\n')}\n`
    for (let step = 0; ; step++) {
      await rm(groups, { recursive: true, force: true })
      await mkdir(groups)
      await writeFile(file, full)
      const { disk, died } = mortal(step, 'after')
      const last = `the last ${'y'.repeat(400)}`
      for (let n = 0; n < 5 && !died(); n++) {
        await memory(disk)
          .remember(KEY, 'Decisions', `${n} ${last}`)
          .catch(() => undefined)
      }
      const next = memory()
      await next.read(KEY)
      await next.remember(KEY, 'Decisions', last)
      const all = await Promise.all(
        (await readdir(groups)).map((name) => readFile(join(groups, name), 'utf8')),
      )
      const kept = new Set(all.join('\n').split('\n'))
      for (const line of lines) expect(kept.has(line), `${line} after step ${step}`).toBe(true)
      if (!died()) break
    }
  })
})

describe('several writers', { timeout: 60_000 }, () => {
  it('lose no line, in one process or in many', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            writer: fc.nat({ max: 2 }),
            section: fc.constantFrom('Members', 'Project context', 'Decisions'),
            deed: fc.constantFrom('remember', 'member', 'copy'),
          }),
          { minLength: 1, maxLength: 12 },
        ),
        async (deeds) => {
          await rm(groups, { recursive: true, force: true })
          const writers = [memory(), memory(), memory()]
          // Each has looked for what a dead one left. They are of one process here, and would take each other for that.
          for (const writer of writers) await writer.read(KEY)
          const said: string[] = []
          await Promise.all(
            deeds.map(async ({ writer, section, deed }, index) => {
              const group = writers[writer]
              const line = `line-${index}-${deed}`
              if (!group) return
              said.push(line)
              if (deed === 'remember') await group.remember(KEY, section, line)
              else if (deed === 'member') await group.noteMember(KEY, line)
              else {
                const { base } = await group.copyTo(KEY, join(root, `work-${index}`))
                await group.mergeBack(KEY, base, `${base}- ${line}\n`)
              }
            }),
          )
          const text = said.length > 0 ? await readFile(file, 'utf8') : ''
          for (const line of said) expect(text.split(line).length - 1, line).toBe(1)
          expect((await readdir(groups).catch(() => [])).filter((name) => name !== 'slack-C123.md')).toEqual(
            [],
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  it('keep the order in which one process was asked', async () => {
    const group = memory()
    const lines = Array.from({ length: 20 }, (_, n) => `fact ${n}`)
    await Promise.all(lines.map((line) => group.remember(KEY, 'context', line)))
    expect((await group.read(KEY)).sections.context).toEqual(lines)
  })

  it('any-caches-stay-bounded: keep nothing in RAM for chats that are idle', async () => {
    const group = memory()
    await Promise.all(Array.from({ length: 300 }, (_, n) => group.remember(`slack:C${n}`, 'context', 'x')))
    expect(group.atWork).toBe(0)
  })
})
