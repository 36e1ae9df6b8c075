// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ConfigError } from './errors.js'
import { load } from './harness.fixture.js'

const example = readFileSync(fileURLToPath(new URL('../../golem.yaml.example', import.meta.url)), 'utf8')

/** Whatever the text: a configuration, or problems that each have a place and a sentence. */
function holds(text: string): void {
  try {
    expect(load(text).agents.filter((agent) => agent.orchestrator)).toHaveLength(1)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const lines = text.split(/\r\n|\n/).length
    expect(error.problems.length).toBeGreaterThan(0)
    for (const { line, column, message } of error.problems) {
      expect(line).toBeGreaterThanOrEqual(1)
      expect(line).toBeLessThanOrEqual(lines)
      expect(column).toBeGreaterThanOrEqual(1)
      expect(message).toMatch(/\S.*[.?]$/su)
    }
  }
}

const piece = fc.constantFrom(
  ...[
    'name',
    'agents',
    'channels',
    'rooms',
    'local',
    'engine',
    'offline',
    '*',
    '&a',
    '*a',
    '<<',
    '!t',
    '|',
    '>',
    '"',
    "'",
  ],
  ...[
    ': ',
    '- ',
    '? ',
    ', ',
    '{',
    '}',
    '[',
    ']',
    '\n',
    '\n  ',
    '\t',
    '#',
    '${',
    '${X}',
    '$${',
    '%',
    '@',
    '`',
    '---\n',
    '\r\n',
  ],
  ...[
    '1',
    '0x1',
    '.inf',
    'null',
    '~',
    'true',
    '界',
    '😀',
    '\u0000',
    '\uFEFF',
    '\uFDD0',
    '\u2028',
    '__proto__',
  ],
)

it('holds for texts made of YAML’s own pieces', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => holds(pieces.join(''))),
    { numRuns: 1_500 },
  )
})

it('holds for a good file with a piece put in or a part cut out', () => {
  const damage = fc.tuple(
    fc.nat({ max: example.length }),
    fc.nat({ max: 40 }),
    fc.array(piece, { maxLength: 3 }),
  )
  fc.assert(
    fc.property(damage, ([at, cut, pieces]) =>
      holds(example.slice(0, at) + pieces.join('') + example.slice(at + cut)),
    ),
    { numRuns: 300 },
  )
})
