import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FILES_PER_TURN, Outgoing } from './outgoing.js'

let dir: string
let root: string
let folder: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'golem-outgoing-'))
  root = join(dir, 'agent')
  folder = join(dir, 'data', 'outgoing', '1')
  await mkdir(join(root, 'out'), { recursive: true })
  await writeFile(join(root, 'out', 'chart.png'), 'a picture')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function outgoing(over: Partial<ConstructorParameters<typeof Outgoing>[0]> = {}): Outgoing {
  return new Outgoing({ root, folder, denied: [], secrets: [], ...over })
}

test('any-secret-file-not-sent-as-attachment', async () => {
  await writeFile(join(root, '.env'), 'TOKEN=1')
  await symlink('/etc/passwd', join(root, 'out', 'link.png'))
  const out = outgoing()
  for (const path of [
    '/etc/passwd',
    join(root, '.env'),
    join(root, 'out', 'chart.png'),
    '~/.ssh/id_rsa',
    join(root, 'out', 'link.png'),
    'file:///etc/hosts',
  ]) {
    await out.accept(path)
  }
  expect(out.files.map((file) => file.name)).toEqual(['chart.png'])
  expect(out.refused.map((file) => file.name)).toEqual(['passwd', 'env', 'id_rsa', 'link.png', 'hosts'])
  expect(out.refused.every((file) => file.why !== '')).toBe(true)
})

describe('accepted', () => {
  test('a copy in the turn’s folder, which stays what it was', async () => {
    const out = outgoing()
    expect(await out.accept('out/chart.png', 'Latency.png')).toEqual({ name: 'Latency.png' })
    await writeFile(join(root, 'out', 'chart.png'), 'changed later')
    expect(await readFile(join(folder, 'Latency.png'), 'utf8')).toBe('a picture')
    expect(out.files).toEqual([{ path: join(folder, 'Latency.png'), name: 'Latency.png' }])
  })

  test('two of one name, and what an earlier attempt left goes', async () => {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'old'), '')
    const out = outgoing()
    await Promise.all([
      out.accept('out/chart.png'),
      out.accept(pathToFileURL(join(root, 'out/chart.png')).href),
    ])
    expect((await readdir(folder)).sort()).toEqual(['chart (2).png', 'chart.png'])
  })

  test('a link within the folder', async () => {
    await symlink(join(root, 'out', 'chart.png'), join(root, 'alias.png'))
    expect(await outgoing().accept('alias.png')).toEqual({ name: 'alias.png' })
  })

  test('a working folder inside the data folder', async () => {
    expect(await outgoing({ denied: [dir] }).accept('out/chart.png')).toEqual({ name: 'chart.png' })
  })
})

describe('refused', () => {
  const why = async (path: string, over = {}): Promise<string> => {
    const result = await outgoing(over).accept(path)
    return 'why' in result ? result.why : 'accepted'
  }

  test('by place', async () => {
    expect(await why('../data')).toMatch(/outside/)
    expect(await why('out/../../x')).toMatch(/outside/)
    expect(await why('.')).toMatch(/outside/)
    expect(await why('none.txt')).toMatch(/no such file/)
    expect(await why('out')).toMatch(/no plain file/)
    expect(await why('file://%zz')).toMatch(/no path/)
  })

  test('by a linked folder on the way', async () => {
    await symlink('/etc', join(root, 'etc'))
    expect(await why('etc/hosts')).toMatch(/link out/)
  })

  test('a hidden file behind a harmless name', async () => {
    await writeFile(join(root, '.env'), 'x')
    await symlink(join(root, '.env'), join(root, 'notes.txt'))
    expect(await why('notes.txt')).toMatch(/never sent/)
  })

  test.each([
    '.env',
    '.env.production',
    'prod.env',
    'ENV',
    '.ssh/config',
    '.git/config',
    '.golem/skills/office/SKILL.md',
    'src/.hidden/notes.txt',
    'id_rsa',
    'id_ed25519.old',
    'ID_RSA',
    'server.key',
    'server.PEM',
    'keys.p12',
    'credentials.json',
    'secrets.yaml',
    'golem.yaml',
    'service-account-prod.json',
  ])('a name that says so: %s', async (path) => {
    await mkdir(join(root, path, '..'), { recursive: true })
    await writeFile(join(root, path), 'x')
    expect(await why(path)).toMatch(/never sent/)
    // Nor under a harmless name, by a link of either kind to what it is.
    await symlink(join(root, path), join(root, 'report.txt'))
    expect(await why('report.txt')).toMatch(/never sent/)
  })

  test('a link within a linked folder, and a chain of links that ends outside', async () => {
    await mkdir(join(dir, 'elsewhere'))
    await writeFile(join(dir, 'elsewhere', 'plain.txt'), 'x')
    await symlink(join(dir, 'elsewhere'), join(root, 'a'))
    await symlink(join(root, 'a', 'plain.txt'), join(root, 'b.txt'))
    await symlink(join(root, 'b.txt'), join(root, 'c.txt'))
    for (const path of ['a/plain.txt', 'b.txt', 'c.txt']) expect(await why(path)).toMatch(/link out/)
  })

  test('a hard link to a key is refused by what it holds', async () => {
    await writeFile(join(dir, 'key'), '-----BEGIN OPENSSH PRIVATE KEY-----\nabc')
    await link(join(dir, 'key'), join(root, 'notes.txt'))
    expect(await why('notes.txt')).toMatch(/private key/)
  })

  test('what belongs to Golem', async () => {
    await mkdir(join(root, 'memory'))
    await writeFile(join(root, 'memory', 'slack-C2.md'), 'another chat')
    expect(await why('memory/slack-C2.md', { denied: [join(root, 'memory')] })).toMatch(/belongs to Golem/)
  })

  test('by what it holds, also across a chunk’s edge', async () => {
    await writeFile(join(root, 'a.txt'), '-----BEGIN OPENSSH PRIVATE KEY-----\nabc')
    expect(await why('a.txt')).toMatch(/private key/)
    await writeFile(join(root, 'b.txt'), `${'x'.repeat(64 * 1024 - 4)}correct-horse${'x'.repeat(100)}`)
    expect(await why('b.txt', { secrets: ['correct-horse'] })).toMatch(/secret of this gateway/)
    expect(await readdir(folder)).toEqual([])
  })

  test('by size and number', async () => {
    expect(await why('out/chart.png', { maxBytes: 3 })).toMatch(/larger than 3 bytes/)
    const out = outgoing()
    for (let i = 0; i < FILES_PER_TURN; i += 1) await out.accept('out/chart.png')
    expect(await out.accept('out/chart.png')).toEqual({
      why: `an answer carries at most ${FILES_PER_TURN} files`,
    })
  })

  test('a hard link to a file is a file of the folder', async () => {
    await writeFile(join(dir, 'plain.txt'), 'x')
    await link(join(dir, 'plain.txt'), join(root, 'plain.txt'))
    expect(await why('plain.txt')).toBe('accepted')
  })
})
