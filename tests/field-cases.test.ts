import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fieldCases } from './fixtures/field-cases.js'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const OWN = fileURLToPath(import.meta.url)

const tests = ['src', 'adapters', 'tests']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(ROOT, folder, name),
    ),
  )
  .filter((file) => file.endsWith('.test.ts') && file !== OWN)
  .map((file) => readFileSync(file, 'utf8'))

/** The id stands at the beginning of a title, or of an entry of a table of titles. */
const titled = (id: string): boolean => tests.some((text) => new RegExp(`['"\`]${id}(?![\\w-])`).test(text))

describe('field cases', () => {
  const cases = fieldCases()

  it('each has an id of its own and belongs to a platform', () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
    const prefix = { telegram: 'tg-', slack: 'sl-', discord: 'dc-', feishu: 'fs-', any: 'any-' }
    for (const { id, platform } of cases) expect(id.startsWith(prefix[platform])).toBe(true)
  })

  it.each(cases.map(({ id }) => id))('%s has a test that is named after it', (id) => {
    expect(titled(id)).toBe(true)
  })
})
