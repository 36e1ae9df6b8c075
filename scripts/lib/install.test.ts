import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { install, installedState, isInstalled } from './install.mjs'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'golem-install-'))
})
afterEach(() => rmSync(root, { recursive: true }))

type Entry = { version: string; optional?: boolean }
const lock = (packages: Record<string, Entry>) =>
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...packages } }))
const note = (packages: Record<string, Entry>) => {
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
}

test('nothing is installed on a fresh clone, nor where an install was cut off', () => {
  lock({ 'node_modules/a': { version: '1.0.0' } })
  expect(installedState(root)).toBe('missing')
  mkdirSync(join(root, 'node_modules/a'), { recursive: true })
  expect(installedState(root)).toBe('missing')
})

test('a missing or another version differs; packages for other platforms do not', () => {
  lock({
    'node_modules/a': { version: '1.0.0' },
    'node_modules/a-darwin': { version: '1.0.0', optional: true },
  })
  note({ 'node_modules/a': { version: '1.0.0' } })
  expect(installedState(root)).toBe('complete')
  note({ 'node_modules/a': { version: '1.0.1' } })
  expect(installedState(root)).toBe('differs')
  note({})
  expect(installedState(root)).toBe('differs')
})

test('a tree that npm installed by hand is adopted, and a changed lock asks again', async () => {
  lock({ 'node_modules/a': { version: '1.0.0' } })
  note({ 'node_modules/a': { version: '1.0.0' } })
  expect(isInstalled(root)).toBe(false)
  await install(root)
  expect(isInstalled(root)).toBe(true)
  lock({ 'node_modules/a': { version: '1.0.1' } })
  expect(isInstalled(root)).toBe(false)
})

test('without a lockfile there is nothing to go by', async () => {
  expect(isInstalled(root)).toBe(false)
  await expect(install(root)).rejects.toThrow('run this from a full checkout')
})
