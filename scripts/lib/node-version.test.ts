import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { OLDEST_NODE, requireNode } from './node-version.mjs'

test.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('accepts Node %s', (version) => {
  expect(() => requireNode(version)).not.toThrow()
})

test.each(['14.21.3', '18.20.8', '20.9.0', '20.18.3'])(
  'refuses Node %s in one sentence with a cure',
  (version) => {
    expect(() => requireNode(version)).toThrow(
      `Node 20.19 or newer is needed, and this is Node ${version}; install a current one`,
    )
  },
)

test('says what package.json says', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(engines.node).toBe(`>=${OLDEST_NODE.join('.')}`)
})
