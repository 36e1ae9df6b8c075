import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ENGINES } from '../src/config/engines.js'
import { loadConfig } from '../src/config/load.js'
import { outdated, PLATFORMS, renderDocs } from './docs.js'

it('the generated documentation is up to date (else: npm run docs)', () => {
  expect(outdated()).toEqual([])
})

it('is the same every time', () => {
  expect(renderDocs()).toEqual(renderDocs())
})

it.each(['golem.yaml.example', 'golem.demo.yaml'])('%s fits the real platforms', (name) => {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url))
  const config = loadConfig({
    file,
    text: readFileSync(file, 'utf8'),
    env: {},
    platforms: PLATFORMS,
    engines: ENGINES,
  })
  expect(config.connections.map((each) => each.connection)).toEqual(['local'])
})
