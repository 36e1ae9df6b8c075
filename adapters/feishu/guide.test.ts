import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const file = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
const guide = file('README.md')
const { scopes } = JSON.parse(file('scopes.json')) as { scopes: { tenant: string[]; user: string[] } }

describe('the guide', () => {
  it('explains every scope that is pasted, and no other', () => {
    const explained = [...guide.matchAll(/`((?:im|contact|application):[a-z0-9_.:]+)`/g)].map(
      ([, scope]) => scope,
    )
    for (const scope of scopes.tenant) expect(explained).toContain(scope)
    expect(scopes.tenant).toEqual([...new Set(scopes.tenant)].sort())
    expect(scopes.user).toEqual([])
  })

  it('asks for a scope of each kind that the connection looks for', () => {
    const groups = [...file('sight.ts').matchAll(/^const [A-Z_]+ = \[([^\]]*)\]/gm)].map(([, all = '']) =>
      [...all.matchAll(/'([^']+)'/g)].map(([, scope = '']) => scope),
    )
    expect(groups.length).toBeGreaterThan(4)
    for (const group of groups) expect(group.some((scope) => scopes.tenant.includes(scope))).toBe(true)
  })

  it('names every event that is read, and no other', () => {
    const read = [...file('read.ts').matchAll(/case '([^']+)'/g)].map(([, type]) => type)
    const named = [...guide.matchAll(/`((?:im|application|card)\.[a-z_.0-9]+)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !name.includes(':'))
    expect([...new Set(named)].sort()).toEqual([...new Set(read)].sort())
  })
})
