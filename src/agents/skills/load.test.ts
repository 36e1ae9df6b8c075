import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadSkills, parseSkill, SkillError } from './load.js'

const BUILT_IN = fileURLToPath(new URL('../../../skills/', import.meta.url))
let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'golem-skills-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

async function put(folder: string, name: string, text: string | Uint8Array): Promise<void> {
  await mkdir(join(root, folder, name), { recursive: true })
  await writeFile(join(root, folder, name, 'SKILL.md'), text)
}
const skill = (name: string, body = 'Body.'): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}\n`

async function message(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof SkillError)) throw new Error(`expected a SkillError, got ${String(error)}`)
  return error.message
}

describe('loadSkills', () => {
  it('loads the built-in skills: those for agents are not searched, the FAQ is', async () => {
    const skills = await loadSkills({ builtIn: BUILT_IN })
    expect(skills.map((item) => item.name)).toEqual(['golem-faq', 'group-memory', 'im-replies', 'multi-bot'])
    for (const item of skills) {
      expect(item.builtIn).toBe(true)
      expect(item.description.length).toBeGreaterThan(20)
      expect(item.body).not.toContain('---\nname')
      expect(item.entries.length > 10).toBe(item.name === 'golem-faq')
    }
  })

  it('does not pass over a SKILL.md that is written otherwise', async () => {
    await mkdir(join(root, 'own', 'faq'), { recursive: true })
    await writeFile(join(root, 'own', 'faq', 'Skill.md'), skill('faq'))
    const own = { path: join(root, 'own'), configured: true }
    expect(await message(loadSkills({ builtIn: BUILT_IN, own }))).toBe(
      `${join(root, 'own', 'faq', 'Skill.md')} must be called SKILL.md: rename it.`,
    )
  })

  it("lets a team's own skill replace a built-in one, and sorts by name", async () => {
    await put('built-in', 'faq', skill('faq', '## Old?\nold'))
    await put('built-in', 'zoo', skill('zoo'))
    await put('own', 'my-faq', skill('faq', '## New?\nnew'))
    await put('own', 'ant', skill('ant'))
    await mkdir(join(root, 'own', 'no-skill'))
    await writeFile(join(root, 'own', 'README.md'), 'notes')
    const skills = await loadSkills({
      builtIn: join(root, 'built-in'),
      own: { path: join(root, 'own'), configured: true },
    })
    expect(skills.map((item) => [item.name, item.builtIn])).toEqual([
      ['ant', false],
      ['faq', false],
      ['zoo', true],
    ])
    expect(skills[1]?.entries).toEqual([{ title: 'New?', text: 'new', line: 6 }])
  })

  it('needs a folder that was configured, not one that is a default', async () => {
    await put('built-in', 'a', skill('a'))
    const builtIn = join(root, 'built-in')
    const path = join(root, 'gone')
    expect(await loadSkills({ builtIn, own: { path, configured: false } })).toHaveLength(1)
    expect(await message(loadSkills({ builtIn, own: { path, configured: true } }))).toBe(
      `The skills folder ${path} does not exist: make it, or correct skillsDir in golem.yaml.`,
    )
    expect(await message(loadSkills({ builtIn: path }))).toContain('Install Golem again')
    const file = join(builtIn, 'a', 'SKILL.md')
    expect(await message(loadSkills({ builtIn, own: { path: file, configured: true } }))).toContain(
      'cannot be read',
    )
  })

  it('refuses two skills of one name, bytes, folders and giants', async () => {
    await put('own', 'a', skill('same'))
    await put('own', 'b', skill('same'))
    const own = { path: join(root, 'own'), configured: true }
    expect(await message(loadSkills({ builtIn: BUILT_IN, own }))).toMatch(
      /^Two skills are called "same": .*a.SKILL\.md and .*b/,
    )
    await put('own', 'b', Buffer.from([0xff, 0xfe, 0x2d]))
    expect(await message(loadSkills({ builtIn: BUILT_IN, own }))).toContain('not UTF-8')
    await put('own', 'b', skill('b', 'x'.repeat(1_100_000)))
    expect(await message(loadSkills({ builtIn: BUILT_IN, own }))).toContain('split it into several')
    await rm(join(root, 'own', 'b', 'SKILL.md'))
    await mkdir(join(root, 'own', 'b', 'SKILL.md'))
    expect(await message(loadSkills({ builtIn: BUILT_IN, own }))).toContain('is not a file')
  })
})

describe('parseSkill', () => {
  it.each([
    ['# no front matter', 1, 'begins with a line of ---'],
    ['---\nname: a\n', 1, 'has no end'],
    ['---\nname: a\ndescription: "x\n---\n', 3, 'no YAML'],
    ['---\nname: a\n---\n', 1, 'has no description'],
    ['---\ndescription: a\n---\n', 1, 'has no name'],
    ['---\ndescription: a\nname: 5\n---\n', 3, 'must be text'],
    ['---\nname: ../x\ndescription: a\n---\n', 2, 'may hold letters'],
    ['---\nname: a\ndescription: ""\n---\n', 3, '1 to 1024'],
    ['---\n- a\n---\n', 2, 'must hold name'],
    ['---\nname: a\ndescription: b\naudience: dogs\n---\n', 4, 'audience is'],
  ])('%j fails on line %i: %s', (text, line, what) => {
    expect(() => parseSkill(text, '/s/SKILL.md', false)).toThrow(SkillError)
    expect(() => parseSkill(text, '/s/SKILL.md', false)).toThrow(what)
    expect(() => parseSkill(text, '/s/SKILL.md', false)).toThrow(`/s/SKILL.md:${line}: `)
  })

  it('reads folded descriptions, foreign keys, Windows line ends and a byte order mark', () => {
    const text =
      '\ufeff---\r\nname: 报销\r\ndescription: >\r\n  two\r\n  lines\r\nlicense: MIT\r\n---\r\n\r\n## Q?\r\nA.\r\n'
    expect(parseSkill(text, '/s/SKILL.md', false)).toEqual({
      name: '报销',
      description: 'two lines',
      body: '## Q?\nA.',
      path: '/s/SKILL.md',
      entries: [{ title: 'Q?', text: 'A.', line: 9 }],
      builtIn: false,
    })
  })
})
