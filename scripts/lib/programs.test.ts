import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { npm } from './child.mjs'
import { findChromium } from './chromium.mjs'
import { compilerEnv } from './compiler-cache.mjs'
import { findProgram } from './find-program.mjs'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'golem-programs-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function program(name: string): string {
  writeFileSync(join(root, name), '#!/bin/sh\n')
  chmodSync(join(root, name), 0o755)
  return join(root, name)
}

describe('findProgram', () => {
  test('takes programs, not folders and not plain files', () => {
    mkdirSync(join(root, 'folder'))
    writeFileSync(join(root, 'text'), '')
    const tool = program('tool')
    expect(findProgram('tool', { PATH: `/nowhere:${root}` })).toBe(tool)
    expect(findProgram('folder', { PATH: root })).toBeUndefined()
    if (process.getuid?.() !== 0) expect(findProgram('text', { PATH: root })).toBeUndefined()
    expect(findProgram('tool', {})).toBeUndefined()
  })
})

describe('findChromium', () => {
  test('takes CHROME_PATH first', () => {
    const mine = program('my-browser')
    program('chromium')
    expect(findChromium({ CHROME_PATH: mine, PATH: root })).toBe(mine)
  })

  test('a CHROME_PATH that leads nowhere means no browser', () => {
    program('chromium')
    expect(findChromium({ CHROME_PATH: '/nowhere/chrome', PATH: root })).toBeUndefined()
  })

  test('looks on PATH', () => {
    const google = program('google-chrome')
    expect(findChromium({ PATH: root })).toBe(google)
    expect(findChromium({ PATH: root, CHROME_PATH: '' })).toBe(google)
  })
})

describe('compilerEnv', () => {
  const tools = () => ['ccache', 'gcc', 'g++'].map(program)

  test('uses ccache, with its folder outside the checkout', () => {
    tools()
    const env = compilerEnv({ PATH: root }, join(root, 'home'))
    expect(env).toMatchObject({
      CC: 'ccache gcc',
      CXX: 'ccache g++',
      CCACHE_DIR: join(root, 'home/.cache/ccache'),
    })
  })

  test('leaves an environment with its own compilers or without ccache alone', () => {
    expect(compilerEnv({ PATH: root })).toEqual({ PATH: root })
    tools()
    expect(compilerEnv({ PATH: root, CXX: 'clang++' })).toEqual({ PATH: root, CXX: 'clang++' })
  })

  test('compiles without ccache where its folder cannot be made', () => {
    tools()
    writeFileSync(join(root, 'home'), 'a file where a folder should be')
    expect(compilerEnv({ PATH: root }, join(root, 'home'))).toEqual({ PATH: root })
  })
})

describe('npm', () => {
  test('is the npm that called us, else the one on PATH', () => {
    expect(npm({ npm_execpath: '/lib/npm/bin/npm-cli.js' })).toEqual({
      program: process.execPath,
      args: ['/lib/npm/bin/npm-cli.js'],
    })
    expect(npm({ npm_execpath: '/lib/yarn.js' })).toEqual({ program: 'npm', args: [] })
  })
})
