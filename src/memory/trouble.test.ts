/** Bad files, agents' copies, and the bound. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FILE_CHARACTERS } from './condense.js'
import { type Disk, nodeDisk } from './disk.js'
import { MemoryError, type MemoryErrorCode } from './error.js'
import { GroupMemory } from './group.js'

const NOW = new Date(2026, 2, 1, 12).getTime()
const KEY = 'slack:C123'
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

function memory(options: { language?: 'en' | 'zh'; disk?: Disk } = {}): GroupMemory {
  return new GroupMemory({
    memoryDir: root,
    language: options.language ?? 'en',
    clock: { now: () => NOW },
    log: { warn: () => undefined, info: () => undefined },
    damageDelay: 0,
    ...(options.disk ? { disk: options.disk } : {}),
  })
}

async function put(text: string | Uint8Array): Promise<void> {
  await mkdir(groups, { recursive: true })
  await writeFile(file, text)
}

async function refusal(work: Promise<unknown>): Promise<MemoryError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof MemoryError)) throw new Error(`expected a MemoryError, got ${String(error)}`)
  return error
}
const code = async (work: Promise<unknown>): Promise<MemoryErrorCode> => (await refusal(work)).code

describe('bad files', () => {
  it.each([
    ['nothing at all', new Uint8Array()],
    ['half of its first line', Buffer.from('# Group: sla')],
    ['zero bytes of a torn write', Buffer.from('# Group: slack-C123\n\0\0\0\0')],
    ['bytes that are no UTF-8', Buffer.from([0x23, 0x20, 0xc4, 0xe3, 0xba, 0xc3])],
  ])('keeps aside a file with %s and goes on', async (_, bytes) => {
    await put(bytes)
    const group = memory()
    const aside = join(groups, 'slack-C123.damaged-20260301T')
    const found = await group.read(KEY)
    expect(found.exists).toBe(false)
    expect(found.keptAside?.startsWith(aside)).toBe(true)
    expect(await readFile(found.keptAside ?? '')).toEqual(Buffer.from(bytes))
    await put(bytes)
    await group.remember(KEY, 'Decisions', 'x')
    expect((await group.read(KEY)).sections.decisions).toEqual(['[2026-03-01] x'])
    expect((await readdir(groups)).filter((name) => name.includes('damaged'))).toHaveLength(2)
  })

  it('neither uses nor changes a file that belongs to another chat', async () => {
    await put('# Group: slack-c123\n\n## Decisions\n- theirs\n')
    const error = await refusal(memory().read(KEY))
    expect(error.code).toBe('wrong-key')
    expect(error.message).toContain('correct its first line to "# Group: slack-C123"')
    expect(await code(memory().remember(KEY, 'Decisions', 'x'))).toBe('wrong-key')
    expect(await readFile(file, 'utf8')).toBe('# Group: slack-c123\n\n## Decisions\n- theirs\n')
  })

  it('takes the chat key itself as a heading, and a file whose heading a person took away', async () => {
    await put('# Group: slack:C123\n\n## Decisions\n- a\n')
    expect((await memory().read(KEY)).sections.decisions).toEqual(['a'])
    await put('## Decisions\n- a\n')
    await memory().remember(KEY, 'Decisions', '[2026-01-01] b')
    expect(await readFile(file, 'utf8')).toBe('# Group: slack-C123\n\n## Decisions\n- a\n- [2026-01-01] b\n')
  })

  it('refuses links, folders and giants, and leaves them alone', async () => {
    await mkdir(groups, { recursive: true })
    await writeFile(join(root, 'secret'), 'secret')
    await symlink(join(root, 'secret'), file)
    expect(await code(memory().read(KEY))).toBe('not-a-file')
    await rm(file)
    await mkdir(file)
    expect(await code(memory().remember(KEY, 'Decisions', 'x'))).toBe('not-a-file')
    await rm(file, { recursive: true })
    await writeFile(file, 'x'.repeat(300_000))
    expect(await code(memory().remember(KEY, 'Decisions', 'x'))).toBe('too-large')
    expect((await readFile(file)).length).toBe(300_000)
  })

  it.each([
    ['EROFS', 'read-only'],
    ['EACCES', 'read-only'],
    ['ENOSPC', 'disk-full'],
    ['EDQUOT', 'disk-full'],
    ['EIO', 'io'],
  ] as const)('says the cure for %s and leaves the old file whole', async (errno, expected) => {
    await put('# Group: slack-C123\n')
    const fail = async (): Promise<never> => {
      throw Object.assign(new Error(errno), { code: errno })
    }
    const disk: Disk = {
      ...nodeDisk,
      create: async (path, mode) => ({ ...(await nodeDisk.create(path, mode)), write: fail }),
    }
    const error = await refusal(memory({ disk }).remember(KEY, 'Decisions', 'x'))
    expect(error.code).toBe(expected)
    expect(error.message).toContain(file)
    expect(await readFile(file, 'utf8')).toBe('# Group: slack-C123\n')
    expect(await readdir(groups)).toEqual(['slack-C123.md'])
  })
})

describe('copies of command agents', () => {
  it('merges three ways: the agent adds, a person edits, another turn adds', async () => {
    const group = memory()
    await group.remember(KEY, 'context', 'one')
    await group.remember(KEY, 'context', 'two')
    const copy = await group.copyTo(KEY, join(root, 'work'))
    await writeFile(
      copy.path,
      copy.base.replace('- two\n', '- two\n- from the agent\n').replace('- one\n', ''),
    )
    await writeFile(file, (await readFile(file, 'utf8')).replace('- two', '- two, said better'))
    await group.remember(KEY, 'Decisions', 'x')
    expect(await group.collect(KEY, copy)).toEqual({ changed: true, path: file })
    expect((await group.read(KEY)).sections).toEqual({
      members: [],
      context: ['two, said better', 'from the agent'],
      decisions: ['[2026-03-01] x'],
    })
  })

  it.each([
    ['left it alone', async () => undefined],
    ['removed it', (path: string) => rm(path)],
    ['emptied it', (path: string) => writeFile(path, '')],
    ['filled it with bytes', (path: string) => writeFile(path, Buffer.from([0xff, 0, 0xfe]))],
  ])('changes nothing when the agent %s', async (_, deed) => {
    const group = memory()
    await group.remember(KEY, 'context', 'one')
    const copy = await group.copyTo(KEY, join(root, 'work'))
    await deed(copy.path)
    expect(await group.collect(KEY, copy)).toEqual({ changed: false, path: file })
  })

  it('stays the file of its chat, whatever the agent makes of the heading', async () => {
    const group = memory()
    await group.remember(KEY, 'context', 'one')
    const { base } = await group.copyTo(KEY, join(root, 'work'))
    await group.mergeBack(
      KEY,
      base,
      base.replace('# Group: slack-C123', '# Group: slack-OTHER\n```\n# Group: x\n```'),
    )
    expect((await group.read(KEY)).sections.context).toEqual(['one'])
  })

  it('is not led out of the working folder by a link', async () => {
    const group = memory()
    await mkdir(join(root, 'work'))
    await writeFile(join(root, 'victim'), 'untouched')
    await symlink(join(root, 'victim'), join(root, 'work', 'slack-C123.md'))
    const copy = await group.copyTo(KEY, join(root, 'work'))
    expect(await readFile(join(root, 'victim'), 'utf8')).toBe('untouched')
    await rm(copy.path)
    await symlink(join(root, 'victim'), copy.path)
    expect(await code(group.collect(KEY, copy))).toBe('not-a-file')
  })
})

describe('the bound', { timeout: 60_000 }, () => {
  const line = (n: number): string =>
    `[2026-01-01] Decision number ${n} about the deployment of service ${n} ${'x'.repeat(80)}`

  it('moves old lines to the archive in full, says so, and stays within the bound', async () => {
    const group = memory()
    const notes: string[] = []
    for (let n = 0; n < 260; n++) {
      const { note } = await group.remember(KEY, 'Decisions', line(n))
      if (note !== undefined) notes.push(note)
    }
    const { text, sections } = await group.read(KEY)
    expect(text.length).toBeLessThanOrEqual(FILE_CHARACTERS)
    expect(notes.length).toBeGreaterThan(1)
    expect(notes[0]).toMatch(
      /^Group memory was full: \d+ older lines moved to slack-C123\.archive\.md in full/,
    )
    expect(sections.decisions[0]).toMatch(
      /^\(Extract of \d+ older lines, in full in slack-C123\.archive\.md\) \[2026/,
    )
    const archive = await readFile(join(groups, 'slack-C123.archive.md'), 'utf8')
    for (let n = 0; n < 260; n++) expect(`${text}\n${archive}`).toContain(`- ${line(n)}\n`)
  })

  it('says that it is full where nothing may be moved', async () => {
    await put(`# Group: slack-C123\n\n${'A long story of ours.\n'.repeat(800)}\n## Decisions\n`)
    const before = await readFile(file, 'utf8')
    expect(await code(memory().remember(KEY, 'Decisions', 'x'))).toBe('full')
    expect(await readFile(file, 'utf8')).toBe(before)
  })
})
