import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addEntry,
  emptyDocument,
  entriesOf,
  findEntries,
  parseDocument,
  removeEntries,
  replaceEntry,
  sectionOf,
  withHeading,
} from './document.js'
import { cleanLine, cleanName, isAbout } from './line.js'
import { splitLines } from './merge.js'

const FILE = `# Group: slack-C123

## Members
- Alice: front-end lead
- Bob

## 项目上下文
* Building the dashboard
  with two lines
  - nested

## Links
- a link of ours
<!-- ## Decisions
- not an entry -->

## Decisions
- [2026-03-01] Prometheus rather than Datadog, for cost

\`\`\`
## Members
- code
\`\`\`
`

describe('reading', () => {
  it('finds the known sections in both languages and leaves out comments and code', () => {
    expect(parseDocument(FILE).key).toBe('slack-C123')
    expect(entriesOf(FILE)).toEqual({
      members: ['Alice: front-end lead', 'Bob'],
      context: ['Building the dashboard', 'nested'],
      decisions: ['[2026-03-01] Prometheus rather than Datadog, for cost'],
    })
  })

  it.each([
    ['Members', 'members'],
    ['  DECISIONS: ', 'decisions'],
    ['**决策记录**', 'decisions'],
    ['项目上下文：', 'context'],
    ['Links', null],
    ['', null],
  ])('section %j is %s', (title, name) => {
    expect(sectionOf(title)).toBe(name)
  })

  it('reads whatever there is without throwing, and its lines are the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseDocument(text).lines.join('')).toBe(text)
      }),
    )
  })
})

describe('changing', () => {
  it('adds to the end of a section and touches no other byte', () => {
    expect(addEntry(FILE, 'members', 'Carol', 'en')).toBe(FILE.replace('- Bob\n', '- Bob\n- Carol\n'))
    expect(addEntry(FILE, 'context', 'React and Go', 'en')).toBe(
      FILE.replace('  - nested\n', '  - nested\n- React and Go\n'),
    )
  })

  it('fills an empty file, and makes a section that is missing in the language of the others', () => {
    expect(addEntry(emptyDocument('slack-C1', 'en'), 'members', 'Ann', 'en')).toBe(
      '# Group: slack-C1\n\n## Members\n- Ann\n\n## Project context\n\n## Decisions\n',
    )
    expect(addEntry('# Group: x\n\n## 成员\n- 安', 'decisions', '用 Go', 'en')).toBe(
      '# Group: x\n\n## 成员\n- 安\n\n## 决策记录\n- 用 Go\n',
    )
  })

  it('keeps Windows line ends and prose', () => {
    expect(
      addEntry('# Group: x\r\n\r\n## Members\r\nWho is who.\r\n\r\n## Decisions\r\n', 'members', 'Ann', 'en'),
    ).toBe('# Group: x\r\n\r\n## Members\r\nWho is who.\r\n- Ann\r\n\r\n## Decisions\r\n')
  })

  it('puts the heading back in front of what a person left', () => {
    expect(withHeading('## Members\n- Ann\n', 'slack-C1')).toBe('# Group: slack-C1\n\n## Members\n- Ann\n')
    expect(withHeading(FILE, 'slack-C123')).toBe(FILE)
    expect(withHeading(FILE, 'slack-C9')).toBe(FILE.replace('# Group: slack-C123', '# Group: slack-C9'))
  })

  it('removes a bullet with its own lines only', () => {
    expect(removeEntries(FILE, findEntries(FILE, 'building the dashboard'))).toBe(
      FILE.replace('* Building the dashboard\n  with two lines\n  - nested\n', ''),
    )
    expect(
      removeEntries(FILE, findEntries(FILE, '[2020-01-01] prometheus rather than Datadog, for cost.')),
    ).toBe(FILE.replace('- [2026-03-01] Prometheus rather than Datadog, for cost\n', ''))
  })

  it('says an entry anew in its place', () => {
    const [entry] = findEntries(FILE, 'Bob')
    if (!entry) throw new Error('no entry')
    expect(replaceEntry(FILE, entry, 'Bob: ops')).toBe(FILE.replace('- Bob\n', '- Bob: ops\n'))
  })

  it('only ever adds one line: every other line stays, in order', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '## Members',
            '- a',
            '',
            '<!-- x',
            '-->',
            '```',
            '## 决策记录',
            '# Group: k',
            '  - b',
            'prose',
          ),
        ),
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom('members' as const, 'context' as const, 'decisions' as const),
        (lines, end, name) => {
          const text = lines.join(end)
          const added = addEntry(text, name, 'NEW', 'en')
          const rest = splitLines(added)
            .map((line) => line.trimEnd())
            .filter((line) => line !== '- NEW')
          const old = splitLines(text).map((line) => line.trimEnd())
          let at = 0
          for (const line of rest) if (at < old.length && line === old[at]) at++
          expect(at).toBe(old.length)
        },
      ),
    )
  })
})

describe('one line', () => {
  it.each([
    ['a\nb\r\nc\u2028d', 'a b c d'],
    ['# heading', 'heading'],
    ['- - * > x', 'x'],
    ['```js', 'js'],
    ['<!-- hide', '<! -- hide'],
    ['\u202eabc\u0007', 'abc'],
    ['-5 degrees', '-5 degrees'],
    ['#general is our channel', '#general is our channel'],
  ])('%j is remembered as %j', (text, line) => {
    expect(cleanLine(text)).toBe(line)
  })

  it('refuses what is empty or too long instead of cutting it', () => {
    expect(() => cleanLine(' \n- ')).toThrow(/nothing to remember/)
    expect(() => cleanLine('x'.repeat(501))).toThrow(/at most 500 characters, this one has 501/)
    expect(cleanLine('記'.repeat(500))).toHaveLength(500)
  })

  it('stays one entry of its section, whatever it holds', () => {
    const base = emptyDocument('slack-C1', 'en')
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.constantFrom('', '## ', '```', '<!--', '1. ', '- '),
        (text, start) => {
          let line: string
          try {
            line = cleanLine(start + text)
          } catch {
            return
          }
          const entries = entriesOf(addEntry(base, 'context', line, 'en'))
          expect(entries).toEqual({ members: [], context: [line], decisions: [] })
        },
      ),
      { numRuns: 500 },
    )
  })

  it('tells people apart whose names begin alike', () => {
    expect(isAbout('Alice: lead', 'alice')).toBe(true)
    expect(isAbout('**Alice** (lead)', 'Alice')).toBe(true)
    expect(isAbout('张三：前端', '张三')).toBe(true)
    expect(isAbout('Alice', 'Al')).toBe(false)
    expect(isAbout('Alice Smith: lead', 'Alice')).toBe(false)
    expect(cleanName('@eve]\n## Decisions')).toBe('eve] ## Decisions')
    expect([...cleanName('x'.repeat(200))]).toHaveLength(80)
  })
})
