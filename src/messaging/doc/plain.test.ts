import { describe, expect, it } from 'vitest'
import { markedDoc } from './marked.js'
import { parseDoc } from './parse.js'
import { plainText } from './plain.js'

describe('what a person sees', () => {
  it.each([
    ['emphasis', '**a** _b_ ~~c~~', 'a b c'],
    ['code', 'run `a $& b`', 'run a $& b'],
    ['a fence', 'x\n\n```js\na  = 1\n```\n\ny', 'x\n\na  = 1\n\ny'],
    ['a heading', '### **Step 1**: install', 'Step 1: install'],
    ['a list', '- a\n  - b\n    - c\n- d', '• a\n  • b\n    • c\n• d'],
    ['numbers', '3. a\n4. b', '3. a\n4. b'],
    ['boxes', '- [x] a\n- [ ] b', '• ☑ a\n• ☐ b'],
    ['a table', '| a | b |\n|---|---|\n| 1 | **2** |', 'a | b\n1 | 2'],
    ['a quote', '> a\n> b', '> a\n> b'],
    ['a sum', 'Total: 2 * 3 * 4 = 24', 'Total: 2 * 3 * 4 = 24'],
    [
      'products',
      '5*6 = 30 and 7*8 = 56, 2**3**4, x = y*z + a*b',
      '5*6 = 30 and 7*8 = 56, 2**3**4, x = y*z + a*b',
    ],
    ['ranges', '价格100~200元，数量3~5个, 9:00~12:00, ~/a~b', '价格100~200元，数量3~5个, 9:00~12:00, ~/a~b'],
    ['emphasis inside a product', 'a*b **c** d*e', 'a*b c d*e'],
    ['emphasis in Chinese', '这是*重点*和**要点**。', '这是重点和要点。'],
    [
      'addresses',
      'https://x.example/run_7/a_b.txt and a@b.example',
      'https://x.example/run_7/a_b.txt and a@b.example',
    ],
    ['line breaks', 'a\nb\\\nc', 'a\nb\nc'],
    ['references', 'a &amp; b &lt;', 'a & b <'],
    ['a rule', 'a\n\n---\n\nb', 'a\n\n———\n\nb'],
    ['a footnote', 'a[^1]\n\n[^1]: note', 'a[1]\n\n[1] note'],
  ])('%s', (_, markdown, seen) => {
    expect(plainText(parseDoc(markdown))).toBe(seen)
  })
  it('writes addresses behind labels where they cannot be clicked', () => {
    const doc = parseDoc(
      '[Foo](https://w.example/Foo_(bar)) https://b.example a@b.example ![p](https://i.example)',
    )
    expect(plainText(doc)).toBe('Foo https://b.example a@b.example p')
    expect(plainText(doc, { urls: true })).toBe(
      'Foo (https://w.example/Foo_(bar)) https://b.example a@b.example p (https://i.example)',
    )
  })
  it('reads marks that a platform delivers beside the text', () => {
    const text = '*hi* bob, run x\n> not a quote\nsaid'
    const doc = markedDoc(text, [
      { kind: 'mention', start: 5, end: 8, mention: { target: 'user', id: '7', name: 'Bob B' } },
      { kind: 'code', start: 14, end: 15 },
      { kind: 'code', start: 14, end: 99 },
      { kind: 'quote', start: 30, end: 34 },
    ])
    expect(plainText(doc)).toBe('*hi* @Bob B, run x\n> not a quote\n\n> said')
    expect(doc.children.map((node) => node.type)).toEqual(['paragraph', 'blockquote'])
  })
})
