import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { filesBelow, hashFiles, readStamp, writeStamp } from './files.mjs'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'golem-files-'))
  mkdirSync(join(root, 'src/node_modules'), { recursive: true })
  writeFileSync(join(root, 'src/b.ts'), 'b')
  writeFileSync(join(root, 'src/a.ts'), 'a')
  writeFileSync(join(root, 'src/node_modules/c.ts'), 'c')
  writeFileSync(join(root, 'one.json'), '{}')
})
afterEach(() => rmSync(root, { recursive: true }))

const hash = () => hashFiles(root, filesBelow(root, ['src']))

test('lists files below folders in order, without node_modules and without what is missing', () => {
  expect(filesBelow(root, ['src', 'one.json', 'gone'])).toEqual(['one.json', 'src/a.ts', 'src/b.ts'])
})

test('the hash follows content and names, not dates', () => {
  const first = hash()
  utimesSync(join(root, 'src/a.ts'), 1, 1)
  expect(hash()).toBe(first)
  writeFileSync(join(root, 'src/a.ts'), 'a ')
  const edited = hash()
  expect(edited).not.toBe(first)
  writeFileSync(join(root, 'src/c.ts'), '')
  expect(hash()).not.toBe(edited)
})

test('text that moves from one file to its neighbour is a change', () => {
  writeFileSync(join(root, 'src/a.ts'), 'ab')
  writeFileSync(join(root, 'src/b.ts'), '')
  const first = hash()
  writeFileSync(join(root, 'src/a.ts'), 'a')
  writeFileSync(join(root, 'src/b.ts'), 'b')
  expect(hash()).not.toBe(first)
})

test('a stamp is read back; a missing one equals nothing', () => {
  expect(readStamp(join(root, 'dist/.stamp'))).toBe('')
  writeStamp(join(root, 'dist/.stamp'), 'x1')
  expect(readStamp(join(root, 'dist/.stamp'))).toBe('x1')
})
