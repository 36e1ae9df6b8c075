import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../tests/fixtures/agents/kit.js'
import { claimed, FakeMemory, FakeStore, SETTINGS } from '../../../tests/fixtures/agents/workshop.js'
import { ToolError } from '../../messaging/engine.js'
import { offered } from './registry.js'
import { skillRead } from './skills.js'
import type { ToolScope } from './tool.js'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'golem-skill-read-'))
  await mkdir(join(dir, 'office', 'hours'), { recursive: true })
  await writeFile(join(dir, 'office', 'SKILL.md'), `when it is open ${'长'.repeat(40_000)}`)
  await writeFile(join(dir, 'office', 'hours', 'table.csv'), 'a,b')
  await writeFile(join(dir, 'office', '.env'), 'TOKEN=1')
  await writeFile(join(dir, 'golem.yaml'), 'secret')
  await symlink('/etc/hosts', join(dir, 'office', 'hosts.txt'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function scope(skills?: ToolScope['skills']): ToolScope {
  return {
    turn: claimed(),
    teammates: [],
    settings: SETTINGS,
    store: new FakeStore(),
    memory: new FakeMemory(),
    clock: new FakeClock(),
    skills,
    attach: async (path) => path,
    asked: () => {},
    handedOff: () => {},
    posted: () => {},
  }
}
const office = () => scope([{ name: 'office', description: '', path: join(dir, 'office', 'SKILL.md') }])

test('is offered where there are skills that an agent cannot read by itself', () => {
  expect(offered(office()).map(({ name }) => name)).toContain('skill_read')
  expect(offered(scope()).map(({ name }) => name)).not.toContain('skill_read')
})

test('reads a skill page by page, and its further files', async () => {
  const first = (await skillRead.call({ name: 'office' }, office())).result as { text: string; next: number }
  expect(first.text).toMatch(/^when it is open/)
  const rest = await skillRead.call({ name: 'office', from: first.next }, office())
  expect(first.text.length + (rest.result as { text: string }).text.length).toBe(40_016)
  expect(rest.result).not.toHaveProperty('next')
  expect(await skillRead.call({ name: 'office', file: 'hours/table.csv' }, office())).toMatchObject({
    result: { text: 'a,b' },
    note: 'office: hours/table.csv',
  })
})

test.each([
  '../golem.yaml',
  '/etc/hosts',
  '.env',
  'hosts.txt',
  'hours',
  '.',
  'none',
  'hours/../../golem.yaml',
])('does not read %s', async (file) => {
  await expect(skillRead.call({ name: 'office', file }, office())).rejects.toThrow(ToolError)
})

test('names the skills there are', async () => {
  await expect(skillRead.call({ name: '../office' }, office())).rejects.toThrow(/There are: office/)
})
