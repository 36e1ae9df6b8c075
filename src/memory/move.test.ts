/** A chat's memory when the chat gets another id. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Disk, nodeDisk } from './disk.js'
import { GroupMemory } from './group.js'

const OLD = 'telegram:-45'
const NEW = 'telegram:-10045'
let root: string
const path = (name: string) => join(root, 'groups', name)
const text = (name: string) => readFile(path(name), 'utf8')

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'golem-move-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

function memory(disk: Disk = nodeDisk): GroupMemory {
  return new GroupMemory({
    memoryDir: root,
    language: 'en',
    clock: { now: () => 0 },
    log: { warn: () => undefined, info: () => undefined },
    damageDelay: 0,
    disk,
  })
}

describe('memory of a chat that moves', () => {
  it('goes with it, under a heading that names the new key, and the old file is kept aside', async () => {
    const group = memory()
    await group.remember(OLD, 'Members', 'Alice: front-end lead')
    await writeFile(
      path('telegram--45.md'),
      `${await text('telegram--45.md')}\n## Our own\nkept <!-- as it is -->\n`,
    )
    expect(await group.move(OLD, NEW)).toBe(true)
    const moved = await text('telegram--10045.md')
    expect(moved).toMatch(/^# Group: telegram--10045\n/)
    expect(moved).toContain('- Alice: front-end lead')
    expect(moved).toContain('## Our own\nkept <!-- as it is -->')
    expect((await readdir(path(''))).toSorted()).toEqual(['telegram--10045.md', 'telegram--45.moved.md'])
    expect(await group.move(OLD, NEW)).toBe(false)
    expect(await text('telegram--10045.md')).toBe(moved)
  })

  it('joins what was remembered under the new key already, nothing twice', async () => {
    const group = memory()
    await group.remember(OLD, 'Members', 'Alice: lead')
    await group.remember(OLD, 'Decisions', '[2026-03-01] Prometheus')
    await group.remember(NEW, 'Members', 'Alice: lead')
    await group.remember(NEW, 'Members', 'Bob')
    await group.move(OLD, NEW)
    const { sections } = await group.read(NEW)
    expect(sections.members.toSorted()).toEqual(['Alice: lead', 'Bob'])
    expect(sections.decisions).toEqual(['[2026-03-01] Prometheus'])
    expect((await text('telegram--10045.md')).match(/## Members/g)).toHaveLength(1)
  })

  it('is found by the new key and by the old one, by a turn that began before too', async () => {
    const group = memory()
    await group.remember(OLD, 'Members', 'Alice')
    const folder = join(root, 'work')
    const copy = await group.copyTo(OLD, folder)
    await group.move(OLD, NEW)
    await writeFile(copy.path, copy.base.replace('- Alice', '- Alice\n- Carol'))
    await group.collect(OLD, copy)
    await group.noteMember(OLD, 'Dora')
    expect((await group.read(NEW)).sections.members).toEqual(['Alice', 'Carol', 'Dora'])
    expect((await group.read(OLD)).path).toBe(path('telegram--10045.md'))
    expect(await readdir(path(''))).not.toContain('telegram--45.md')
  })

  it('takes in what somebody saved while it moved', async () => {
    const group = memory()
    await group.remember(OLD, 'Members', 'Alice')
    const saved = `${await text('telegram--45.md')}\n- saved late\n`
    const late = memory({
      ...nodeDisk,
      link: async (from, to) => {
        if (to.endsWith('.moved.md')) await writeFile(path('telegram--45.md'), saved)
        return nodeDisk.link(from, to)
      },
    })
    await late.move(OLD, NEW)
    expect(await text('telegram--10045.md')).toContain('- saved late')
  })

  it('stopped at any write, is complete when it is done again', async () => {
    await mkdir(path(''), { recursive: true })
    for (let stop = 1; stop < 12; stop++) {
      const [from, to] = [`telegram:-${stop}`, `telegram:-100${stop}`]
      await memory().remember(from, 'Members', 'Alice')
      await memory().remember(to, 'Members', 'Bob')
      let calls = 0
      const step =
        <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
        (...args: A): Promise<R> =>
          ++calls === stop ? Promise.reject(new Error('stopped')) : run(...args)
      const dying = memory({
        ...nodeDisk,
        create: step(nodeDisk.create),
        rename: step(nodeDisk.rename),
        link: step(nodeDisk.link),
        remove: step(nodeDisk.remove),
      })
      await dying.move(from, to).catch(() => undefined)
      const next = memory()
      await next.move(from, to)
      expect((await next.read(to)).sections.members.toSorted()).toEqual(['Alice', 'Bob'])
    }
  })

  it('that does not exist is nothing to move', async () => {
    expect(await memory().move(OLD, NEW)).toBe(false)
  })
})
