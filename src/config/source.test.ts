import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, formatProblem } from './errors.js'
import { type Reader, readSource } from './source.js'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'golem-config-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What reading says, without the path in front. */
function saidOf(read: () => unknown, file: string): string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map((each) => formatProblem(each).replace(file, 'FILE'))
    throw error
  }
  return []
}

function bytes(...parts: (string | number[])[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part as string)))
}

describe('readSource, on a disk', () => {
  it('reads UTF-8, with or without a byte order mark', () => {
    const file = join(folder, 'good.yaml')
    writeFileSync(file, 'name: 小助手\n')
    expect(readSource(file)).toBe('name: 小助手\n')
    writeFileSync(file, bytes([0xef, 0xbb, 0xbf], 'name: x\n'))
    expect(readSource(file)).toBe('name: x\n')
  })

  it('names the cure when there is no file', () => {
    const file = join(folder, 'none.yaml')
    expect(saidOf(() => readSource(file), file)).toEqual([
      'FILE: does not exist. Copy golem.yaml.example to it, or name another file with --config.',
    ])
    const below = join(folder, 'good.yaml', 'golem.yaml')
    writeFileSync(join(folder, 'good.yaml'), 'x')
    expect(saidOf(() => readSource(below), below)).toEqual([
      'FILE: does not exist: a part of its path is no folder. Name another file with --config.',
    ])
  })

  it('names the cure for what is no file', () => {
    expect(saidOf(() => readSource(folder), folder)).toEqual([
      'FILE: is a folder. Name the golem.yaml inside it.',
    ])
    expect(saidOf(() => readSource('/dev/null'), '/dev/null')).toEqual([
      'FILE: is no ordinary file. Name a golem.yaml.',
    ])
    const loop = join(folder, 'loop.yaml')
    symlinkSync(loop, loop)
    expect(saidOf(() => readSource(loop), loop)).toEqual([
      'FILE: is a link that leads back to itself. Point it at the real file.',
    ])
  })

  it('points at the first byte that is no UTF-8', () => {
    const file = join(folder, 'latin.yaml')
    writeFileSync(file, bytes('name: golem\nlanguage: 界', [0xe9], '\n'))
    expect(saidOf(() => readSource(file), file)).toEqual([
      'FILE:2:12: a byte here is no UTF-8 text. Save the file as UTF-8.',
    ])
    writeFileSync(file, bytes('name: ', [0xe7, 0x95]))
    expect(saidOf(() => readSource(file), file)).toEqual([
      'FILE:1:7: a byte here is no UTF-8 text. Save the file as UTF-8.',
    ])
  })

  it('knows UTF-16', () => {
    const file = join(folder, 'wide.yaml')
    writeFileSync(file, bytes([0xff, 0xfe], [...Buffer.from('name: x', 'utf16le')]))
    expect(saidOf(() => readSource(file), file)).toEqual(['FILE: is UTF-16 text. Save it as UTF-8.'])
  })

  it('refuses what is too large to be written by hand', () => {
    const file = join(folder, 'large.yaml')
    writeFileSync(file, '#'.repeat(1_048_577))
    expect(saidOf(() => readSource(file), file)).toEqual([
      'FILE: is larger than 1 MiB. Is it the right file? A golem.yaml is a few kilobytes.',
    ])
  })
})

describe('readSource, when the disk refuses', () => {
  const failing = (code: string): Reader => ({
    stat: () => ({ isFile: () => true, isDirectory: () => false, size: 1 }),
    read: () => {
      throw Object.assign(new Error('secret detail'), { code })
    },
  })

  it.each([
    ['EACCES', 'FILE: may not be read by this user. Give the user that runs golem the right to read it.'],
    ['EPERM', 'FILE: may not be read by this user. Give the user that runs golem the right to read it.'],
    ['EIO', 'FILE: cannot be read (EIO). Check the file and its disk.'],
  ])('%s', (code, sentence) => {
    expect(saidOf(() => readSource('a.yaml', failing(code)), 'a.yaml')).toEqual([sentence])
  })

  it('looks at the size again after reading: a file may grow', () => {
    const growing: Reader = { ...failing(''), read: () => new Uint8Array(1_048_577) }
    expect(saidOf(() => readSource('a.yaml', growing), 'a.yaml')[0]).toContain('larger than 1 MiB')
  })
})
