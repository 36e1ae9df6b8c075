import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MemoryLog } from '../../../tests/fixtures/agents/kit.js'
import { SkillCopies } from './copies.js'

let dir: string
let cwd: string
let log: MemoryLog
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'golem-copies-'))
  cwd = join(dir, 'project')
  log = new MemoryLog()
  await mkdir(cwd)
  await write('skills/office/SKILL.md', 'when it is open')
  await write('skills/office/hours/table.csv', 'a,b')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(dir, path, '..'), { recursive: true })
  await writeFile(join(dir, path), text)
}
const skill = (name = 'office') => ({ name, description: '', path: join(dir, 'skills', name, 'SKILL.md') })
const copies = () => new SkillCopies([skill()], log)

/** Every file below a folder, with its bytes. */
async function tree(folder: string): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) all[path.slice(folder.length + 1)] = await readFile(path, 'latin1')
  }
  return all
}

describe('a working folder', () => {
  test('gets the skills with all that belongs to them, and is told their paths', async () => {
    const [copy] = await copies().in(cwd)
    expect(copy?.path).toBe(join(cwd, '.golem/skills/office/SKILL.md'))
    expect(await tree(cwd)).toMatchObject({
      '.golem/skills/office/SKILL.md': 'when it is open',
      '.golem/skills/office/hours/table.csv': 'a,b',
      '.golem/skills/.gitignore': '*\n',
    })
    expect(await readdir(join(cwd, '.golem'))).toEqual(['skills'])
  })

  test('keeps everything that people have in it, byte for byte', async () => {
    const own = {
      'AGENTS.md': 'mine\r\n\u00ff',
      'CLAUDE.md': 'mine too',
      '.claude/settings.json': '{}',
      '.claude/skills/office/SKILL.md': 'my own office',
      '.golem/notes.md': 'a note',
      '.gitignore': 'dist\n',
    }
    for (const [path, text] of Object.entries(own)) await write(`project/${path}`, text)
    const before = await tree(cwd)
    await copies().in(cwd)
    await write('skills/office/SKILL.md', 'changed')
    await copies().in(cwd)
    const after = await tree(cwd)
    for (const path of Object.keys(after)) if (path.startsWith('.golem/skills/')) delete after[path]
    expect(after).toEqual(before)
  })

  test('whose .golem/skills is somebody else’s keeps it, and is told where the skills lie', async () => {
    await write('project/.golem/skills/office/SKILL.md', 'theirs')
    const before = await tree(cwd)
    expect(await copies().in(cwd)).toEqual([skill()])
    expect(await tree(cwd)).toEqual(before)
  })

  test.each(['.golem', '.golem/skills'])(
    'in which %s leads elsewhere gets nothing written there',
    async (link) => {
      await mkdir(join(dir, 'elsewhere'))
      if (link !== '.golem') await mkdir(join(cwd, '.golem'))
      await symlink(join(dir, 'elsewhere'), join(cwd, link))
      expect(await copies().in(cwd)).toEqual([skill()])
      expect(await readdir(join(dir, 'elsewhere'))).toEqual([])
      await rm(join(cwd, link))
      await symlink(join(dir, 'nowhere'), join(cwd, link))
      expect(await copies().in(cwd)).toEqual([skill()])
    },
  )

  test('is written once, and anew when the skills have changed', async () => {
    const made = copies()
    await made.in(cwd)
    const path = join(cwd, '.golem/skills/office/SKILL.md')
    const first = await stat(path)
    await Promise.all([made.in(cwd), made.in(cwd)])
    expect((await stat(path)).ino).toBe(first.ino)
    await write('skills/office/SKILL.md', 'open at nine')
    await copies().in(cwd)
    expect(await readFile(path, 'utf8')).toBe('open at nine')
    expect(await readdir(join(cwd, '.golem'))).toEqual(['skills'])
  })

  test('that cannot be written to costs a warning, no turn', async () => {
    await write('project/.golem', 'a file')
    expect(await copies().in(cwd)).toEqual([skill()])
    expect(await copies().in(join(dir, 'gone'))).toEqual([skill()])
    expect(log.lines.every(({ level }) => level === 'warn')).toBe(true)
  })
})

describe('a skill', () => {
  test('is copied without links, hidden files and keys', async () => {
    await write('skills/office/.env', 'TOKEN=1')
    await write('skills/office/key.pem', 'x')
    await symlink('/etc/passwd', join(dir, 'skills/office/passwords.txt'))
    await copies().in(cwd)
    expect(Object.keys(await tree(join(cwd, '.golem/skills/office'))).sort()).toEqual([
      'SKILL.md',
      'hours/table.csv',
    ])
  })

  test('that is too large is read where it lies; the others are copied', async () => {
    await write('skills/huge/SKILL.md', 'x'.repeat(5_000_001))
    const made = await new SkillCopies([skill(), skill('huge')], log).in(cwd)
    expect(made.map(({ path }) => path)).toEqual([
      join(cwd, '.golem/skills/office/SKILL.md'),
      join(dir, 'skills/huge/SKILL.md'),
    ])
  })
})
