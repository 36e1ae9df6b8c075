import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEntries } from './entries.js'

describe('parseEntries', () => {
  it('reads headings with their text, and names the parent of a part that is no question', () => {
    const body = `# About

Intro.

## What is it?

It is a **gateway**.

## Setup

### Limits
At most 5.

### How do I start?
\`\`\`sh
# not a heading
npm start
\`\`\`
<!-- editor's note -->

## Empty
`
    expect(parseEntries(body, 10)).toEqual([
      { title: 'About', text: 'Intro.', line: 10 },
      { title: 'What is it?', text: 'It is a **gateway**.', line: 14 },
      { title: 'Setup: Limits', text: 'At most 5.', line: 20 },
      { title: 'How do I start?', text: '```sh\n# not a heading\nnpm start\n```', line: 23 },
    ])
  })

  it('reads pairs of questions and answers in both languages', () => {
    const body = `# FAQ
Q: What is **it**?
A: A gateway.
   Of messages.

**Q:** Is it free?
**A:** Yes.

问：它是什么？
答：一个网关。
Q2. And then?
A2. Then nothing.`
    expect(parseEntries(body)).toEqual([
      { title: 'What is it?', text: 'A gateway. Of messages.', line: 2 },
      { title: 'Is it free?', text: 'Yes.', line: 6 },
      { title: '它是什么？', text: '一个网关。', line: 9 },
      { title: 'And then?', text: 'Then nothing.', line: 11 },
    ])
  })

  it('reads whatever there is: no entry is without title or text, and its line is there', () => {
    const line = fc.oneof(
      fc.constantFrom('# A', '## B?', '### c', 'Q: x', 'A: y', '```', '~~~', '', '<!--', '-->', 'text'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        for (const entry of parseEntries(lines.join('\n'))) {
          expect(entry.title).not.toBe('')
          expect(entry.text).not.toBe('')
          expect(entry.line).toBeLessThanOrEqual(lines.join('\n').split('\n').length)
        }
      }),
    )
  })
})
