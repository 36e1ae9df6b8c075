import { describe, expect, it } from 'vitest'
import { mayReach } from './posts.js'

describe('what a room may reach', () => {
  it.each([
    [undefined, 'slack:C1', 'group', false],
    [[], 'slack:C1', 'group', false],
    [['slack:C1'], 'slack:C1', 'group', true],
    [['slack:C1'], 'slack:C12', 'group', false],
    [['slack:C1'], 'slack:C1:171.2', 'group', false],
    [['slack:*'], 'slack:C1', 'group', true],
    [['slack:*'], 'slack:D1', 'dm', false],
    [['slack:D1'], 'slack:D1', 'dm', true],
    [['slack:*'], 'slack.acme:C1', 'group', false],
    [['*'], 'slack:C1', 'group', false],
    [[':*'], ':C1', 'group', true],
  ] as const)('%j, %s (%s): %s', (places, key, kind, reaches) => {
    expect(mayReach(places, key, kind)).toBe(reaches)
  })
})
