import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { world } from '../harness.fixture.js'
import { run } from '../run.js'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'golem-skill-'))
  write('golem.yaml', 'engine: offline\n')
  write('office/SKILL.md', '---\nname: office\ndescription: When it is open.\n---\nAt nine.\n')
  write('office/hours/table.csv', 'a,b')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
}
const read = (path: string) => readFileSync(join(dir, path), 'utf8')

async function golem(...args: string[]) {
  const here = world({ cwd: dir })
  const code = await run(['skill', ...args, '--config', join(dir, 'golem.yaml')], here)
  return { code, out: here.stdout.text, err: here.stderr.text }
}

describe('golem skill add', () => {
  it('copies a skill with all that belongs to it', async () => {
    const { code, out, err } = await golem('add', 'office')
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('Added the skill office')
    expect(read('skills/office/SKILL.md')).toContain('At nine.')
    expect(read('skills/office/hours/table.csv')).toBe('a,b')
    expect(readdirSync(join(dir, 'skills'))).toEqual(['office'])
  })

  it('goes by the skill’s own name, and by skillsDir', async () => {
    write('golem.yaml', 'skillsDir: know-how\n')
    write('other/SKILL.md', '---\nname: 办公室\ndescription: x\n---\n')
    const { out } = await golem('add', 'other', '--json')
    expect(JSON.parse(out)).toEqual({
      name: '办公室',
      folder: join(dir, 'know-how', '办公室'),
      files: 1,
      skipped: [],
    })
  })

  it('overwrites nothing, unless told to', async () => {
    await golem('add', 'office')
    write('skills/office/mine.txt', 'mine')
    write('office/SKILL.md', '---\nname: office\ndescription: When it is open.\n---\nAt ten.\n')
    const refused = await golem('add', 'office')
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('--force')
    expect(read('skills/office/SKILL.md')).toContain('At nine.')
    expect((await golem('add', 'office', '--force')).code).toBe(0)
    expect(read('skills/office/SKILL.md')).toContain('At ten.')
    expect(readdirSync(join(dir, 'skills', 'office')).sort()).toEqual(['SKILL.md', 'hours'])
  })

  it('refuses a name that another folder has, and a skill that is in place already', async () => {
    write('skills/old/SKILL.md', '---\nname: office\ndescription: x\n---\n')
    expect((await golem('add', 'office')).err).toMatch(/Another folder .*old/)
    rmSync(join(dir, 'skills'), { recursive: true })
    await golem('add', 'office')
    expect((await golem('add', 'skills/office', '--force')).err).toContain('already')
    expect(read('skills/office/SKILL.md')).toContain('At nine.')
  })

  it('leaves links, hidden files and keys behind, and says so', async () => {
    write('office/.env', 'TOKEN=1')
    write('office/hours/id_rsa', 'x')
    symlinkSync('/etc/passwd', join(dir, 'office/link.txt'))
    const { err } = await golem('add', 'office')
    for (const name of ['.env', 'hours/id_rsa', 'link.txt']) expect(err).toContain(`${name} was left out`)
    expect(readdirSync(join(dir, 'skills/office')).sort()).toEqual(['SKILL.md', 'hours'])
    expect(readdirSync(join(dir, 'skills/office/hours'))).toEqual(['table.csv'])
  })

  it.each([
    ['nowhere', {}, /no file SKILL\.md/],
    ['a', { 'a/notes.txt': 'x' }, /no file SKILL\.md/],
    ['a', { 'a/skill.md': 'x' }, /must be called SKILL\.md/],
    ['a', { 'a/SKILL.md': 'no front matter' }, /SKILL\.md:1/],
    ['a', { 'a/SKILL.md': '---\nname: ../x\ndescription: x\n---\n' }, /SKILL\.md:2/],
    ['a', { 'a/SKILL.md': '---\nname: x\n---\n' }, /no description/],
  ])('refuses what is no skill: %s %j', async (folder, files, message) => {
    for (const [path, text] of Object.entries(files)) write(path, text)
    const { code, err } = await golem('add', folder)
    expect([code, err]).toEqual([3, expect.stringMatching(message)])
    expect(readdirSync(dir)).not.toContain('skills')
  })
})

describe('golem skill list', () => {
  it('names the built-in ones and one’s own', async () => {
    await golem('add', 'office')
    const { code, out } = await golem('list')
    expect(code).toBe(0)
    expect(out).toContain(`office  (${join(dir, 'skills', 'office')})\n  When it is open.\n`)
    expect(out).toContain('golem-faq  (built in)')
    const { skills } = JSON.parse((await golem('list', '--json')).out) as { skills: { name: string }[] }
    expect(skills.map(({ name }) => name)).toContain('office')
  })
})
