import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  allowScripts: Record<string, boolean>
}
interface Lock {
  packages: Record<string, { resolved?: string; hasInstallScript?: boolean; optional?: boolean }>
}
const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const lock: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))

/** The rows of a table in docs/dependencies.md: [package, what for, why]. */
function rows(heading: string): string[][] {
  const page = readFileSync('docs/dependencies.md', 'utf8')
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
    .map((cells) => cells.slice(1, -1))
}

test.each([
  ['At run time', Object.keys(manifest.dependencies)],
  ['To build, test and check', Object.keys(manifest.devDependencies)],
])('docs/dependencies.md, "%s": a line for each package, none for others', (heading, packages) => {
  expect(rows(heading).map(([name]) => name)).toEqual(packages.toSorted())
})

test('each line says what for and why', () => {
  const all = [...rows('At run time'), ...rows('To build, test and check')]
  for (const row of all)
    expect(
      row.map((cell) => cell !== ''),
      row[0],
    ).toEqual([true, true, true])
})

test('every package with an install script is approved by name, so that npm runs it on a fresh clone', () => {
  const scripts = Object.entries(lock.packages)
    .filter(([, entry]) => entry.hasInstallScript === true && entry.optional !== true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  expect(Object.keys(manifest.allowScripts).toSorted()).toEqual([...new Set(scripts)].toSorted())
})

test('the lockfile names no host', () => {
  const hosts = Object.values(lock.packages).filter(({ resolved }) => /^\w+:\/\//.test(resolved ?? ''))
  expect(hosts).toEqual([])
})
