// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { problemsOf } from './harness.fixture.js'
import { distance } from './suggest.js'

/** A section: how it is opened, and its known keys with good values. */
const SECTIONS: Record<string, { head: string[]; keys: Record<string, string> }> = {
  '': {
    head: [],
    keys: { name: 'golem', language: 'en', dataDir: '.golem', agentConcurrency: '4', skillsDir: 'skills' },
  },
  groupChat: {
    head: ['groupChat:'],
    keys: {
      groupPolicy: 'smart',
      historyLimit: '20',
      maxTurns: '10',
      sessionScope: 'auto',
      debounce: '1.5s',
    },
  },
  gateway: { head: ['gateway:'], keys: { host: '127.0.0.1', port: '3000', token: 'abcdef' } },
  'channels.local.deny': {
    head: ['channels:', 'local:', 'deny:'],
    keys: { users: '[mallory]', chats: '[lobby]' },
  },
  'rooms["local:lobby"]': {
    head: ['rooms:', '"local:lobby":'],
    keys: { groupPolicy: 'smart', members: '[Golem]', bulletin: 'Answer.', description: 'A room' },
  },
  'agents[0]': {
    head: ['agents:', '-'],
    keys: { name: 'Scout', role: 'helper', aliases: '[S]', engine: 'offline', archived: 'false' },
  },
}

const letters = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')

/** One slip of the fingers. */
const slip = (key: string) =>
  fc.oneof(
    fc
      .tuple(fc.nat({ max: key.length }), letters)
      .map(([at, letter]) => key.slice(0, at) + letter + key.slice(at)),
    fc.nat({ max: key.length - 1 }).map((at) => key.slice(0, at) + key.slice(at + 1)),
    fc
      .tuple(fc.nat({ max: key.length - 1 }), letters)
      .map(([at, letter]) => key.slice(0, at) + letter + key.slice(at + 1)),
    fc
      .nat({ max: key.length - 2 })
      .map((at) => key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2)),
  )

const ALL_KEYS = new Set(Object.values(SECTIONS).flatMap((section) => Object.keys(section.keys)))

const broken = fc
  .constantFrom(...Object.keys(SECTIONS))
  .chain((path) => fc.tuple(fc.constant(path), fc.constantFrom(...Object.keys(SECTIONS[path]?.keys ?? {}))))
  .chain(([path, key]) =>
    fc.record({
      path: fc.constant(path),
      key: fc.constant(key),
      wrong: slip(key).filter(
        (wrong) => !ALL_KEYS.has(wrong) && !['env', 'hosts'].includes(wrong) && wrong.length > 1,
      ),
      at: fc.nat({ max: 5 }),
      indent: fc.integer({ min: 1, max: 6 }),
      before: fc.array(fc.constantFrom('', '# a comment: with a colon', '   ', '# ${NOT_A_REFERENCE}'), {
        maxLength: 3,
      }),
      newline: fc.constantFrom('\n', '\r\n'),
      flow: fc.boolean(),
    }),
  )

interface Written {
  text: string
  line: number
  column: number
}

/** The file, and where the wrong key stands in it. */
function write(input: typeof broken extends fc.Arbitrary<infer T> ? T : never): Written {
  const section = SECTIONS[input.path]
  const entries = Object.entries(section?.keys ?? {}).map(([key, value]) => `${key}: ${value}`)
  const at = Math.min(input.at, entries.length)
  entries.splice(at, 0, `${input.wrong}: 1`)
  const head = section?.head ?? []
  const lines: string[] = [...input.before]
  const pad = (depth: number) => ' '.repeat(depth * input.indent)
  const flow = input.flow && head.length > 0
  head.forEach((opening, depth) => {
    if (flow && depth === head.length - 1) lines.push(`${pad(depth)}${opening} { ${entries.join(', ')} }`)
    else lines.push(pad(depth) + opening)
  })
  if (flow) {
    // Counted, not searched for: the wrong key may be a part of a right one.
    const ahead = entries.slice(0, at).map((entry) => `${entry}, `)
    const opening = `${pad(head.length - 1)}${head.at(-1)} { ${ahead.join('')}`
    return { text: lines.join(input.newline), line: lines.length, column: opening.length + 1 }
  }
  const line = lines.length + at + 1
  // A list entry's keys stand behind the dash's column.
  const depth = pad(head.length) || (head.length > 0 ? ' ' : '')
  lines.push(...entries.map((entry) => depth + entry))
  return { text: lines.join(input.newline), line, column: depth.length + 1 }
}

it('reports any misspelt key at its line and column, with the key that was meant or one as near', () => {
  fc.assert(
    fc.property(broken, (input) => {
      const { text, line, column } = write(input)
      const problems = problemsOf(text)
      const path = input.path === '' ? input.wrong : `${input.path}.${input.wrong}`
      const found = problems.find((problem) => problem.path === path)
      expect(found, text).toMatchObject({ line, column })
      const { nearest = '' } = found ?? {}
      expect(distance(input.wrong.toLowerCase(), nearest.toLowerCase())).toBeLessThanOrEqual(
        distance(input.wrong.toLowerCase(), input.key.toLowerCase()),
      )
      // The only fault of the file brings the only problem, however the file is laid out.
      expect(problems, text).toHaveLength(1)
    }),
    { numRuns: 500 },
  )
})
