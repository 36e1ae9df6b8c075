/** Documents as agents write them, and as nobody should: Markdown made at random. */
import fc from 'fast-check'
import { type Doc, type Member, parseDoc, withMentions } from '../../../src/messaging/contract.js'

/** Within a line. Each is whole by itself; what they become beside each other is the parser's to say. */
const PIECES = [
  'word',
  'several words of it',
  "it's",
  'naïve',
  'e\u0301te\u0301',
  '你好，世界',
  '交给小助手处理。',
  'こんにちは',
  '👩‍👩‍👧‍👦',
  '🇩🇪🇫🇷',
  '👍🏽',
  'שלום עולם',
  'مرحبا بكم',
  'न\u093fर्देश',
  'snake_case_name',
  '__init__.py',
  '2*3*4',
  'un*frigging*believable',
  '中*文*字',
  '**bold**',
  '*leaning*',
  '_also leaning_',
  '***both***',
  '**bold *in* bold**',
  '~~gone~~',
  '`code`',
  '``a ` tick``',
  '`<b>&amp;</b>`',
  '`*not bold*`',
  '[label](https://x.example/a_(b))',
  '[two words](https://x.example/?q=1&r=%20#f)',
  '[*set* `off`](https://x.example/set)',
  '[标签](https://x.example/中文)',
  '![a picture](https://x.example/i.png)',
  'https://x.example/path_with_marks',
  '<https://x.example/angle>',
  '<b>html</b>',
  '<br>',
  '<!-- comment -->',
  '&lt;tag&gt;',
  'AT&T',
  '1 < 2 > 0',
  '\\*literal\\*',
  '\\',
  'C:\\temp\\new',
  '#hash',
  '- dash',
  '$HOME {a} [b] (c) ^d^ =e= +f+ |g| !h',
  '~tilde~',
  '"quoted" “quoted”',
  '…—–',
  ':smile:',
  '10% :',
]

/** What a mention is made of: people, by the name that stands behind `@` in the text. */
export type People = readonly Pick<Member, 'id' | 'name'>[]

const piece = fc.constantFrom(...PIECES)
const inline = (names: readonly string[], most = 8) =>
  fc.array(
    names.length === 0
      ? piece
      : fc.oneof({ weight: 9, arbitrary: piece }, { weight: 1, arbitrary: fc.constantFrom(...names) }),
    { minLength: 1, maxLength: most },
  )

const code = fc.constantFrom(
  'const a = 1\nconst b = `x`',
  'if (a < b && c > d) { return "<b>" }',
  '    indented\n\n  less',
  '~~~\nnot a fence\n~~~',
  '*no* _marks_ [no](link) @nobody',
  `long ${'abcdefghij'.repeat(30)}`,
  Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n'),
  '```\ninner\n```',
)

/** Markdown of up to a dozen blocks. `names` may stand in its lines as they are. */
export function markdown(names: readonly string[] = []): fc.Arbitrary<string> {
  const words = inline(names).map((pieces) => pieces.join(' '))
  const lines = fc.array(words, { minLength: 1, maxLength: 3 }).map((all) => all.join('\n'))
  const fence = fc.tuple(code, fc.constantFrom('', 'ts', 'c++')).map(([text, info]) => {
    const marks = text.includes('```') ? '````' : '```'
    return `${marks}${info}\n${text}\n${marks}`
  })
  // A row that no part holds whole cannot stay a row: cells are short.
  const row = fc.array(
    inline(names, 2).map((all) => all.join(' ').replaceAll('|', '')),
    {
      minLength: 2,
      maxLength: 2,
    },
  )
  const table = fc.array(row, { minLength: 1, maxLength: 6 }).map((rows) => {
    const [head = [], ...body] = rows.map((cells) => `| ${cells.map(escapedTicks).join(' | ')} |`)
    return [head, '| --- | :-: |', ...body].join('\n')
  })
  const block = fc.oneof(
    { weight: 4, arbitrary: lines },
    fc.tuple(fc.integer({ min: 1, max: 6 }), words).map(([level, text]) => `${'#'.repeat(level)} ${text}`),
    fc.array(words, { minLength: 1, maxLength: 4 }).map((all) => all.map((text) => `- ${text}`).join('\n')),
    fc.tuple(words, words, words).map(([a, b, c]) => `- ${a}\n  - ${b}\n    1. ${c}\n    2. ${a}\n- ${c}`),
    fc
      .tuple(fc.integer({ min: 0, max: 12 }), fc.array(words, { minLength: 1, maxLength: 4 }))
      // A sentence between two lists: Markdown would make them one, and number it on.
      .map(([first, all]) => `Then:\n\n${all.map((text, at) => `${first + at}. ${text}`).join('\n')}`),
    fc.tuple(words, words).map(([a, b]) => `- [x] ${a}\n- [ ] ${b}`),
    table,
    fence,
    fence.map((text) => `- item\n\n${text.replace(/^/gm, '  ')}`),
    lines.map((text) => text.replace(/^/gm, '> ')),
    fc.constant('---'),
    fc.constant('汉字不分词也要能断开，'.repeat(12)),
    fc.constant('a'.repeat(300)),
    fc.constant('👩‍👩‍👧‍👦'.repeat(40)),
  )
  return fc.array(block, { minLength: 1, maxLength: 12 }).map((blocks) => blocks.join('\n\n'))
}

/** A cell ends at a bar even within code, so code there has none of its own. */
const escapedTicks = (cell: string) => cell.replace(/\\$/, '')

/** How a person is named in these texts: what Markdown would read into a name is for the mention alone. */
export function at({ name }: { name: string }): string {
  return /^[\p{L}\d ]+$/u.test(name) ? `@${name}` : '@Oddly Named'
}

/** Makes every `@Name` of these people a mention of them, as the core does with the members of a chat. */
export function naming(text: string, people: People): Doc {
  const longest = [...people].sort((a, b) => at(b).length - at(a).length)
  return withMentions(parseDoc(text), (_, masked) => {
    const spans = []
    for (let start = masked.indexOf('@'); start >= 0; start = masked.indexOf('@', start + 1)) {
      const met = longest.find((person) => masked.startsWith(at(person), start))
      if (met === undefined) continue
      const mention = { target: 'user' as const, id: met.id, name: met.name }
      spans.push({ start, end: start + at(met).length, mention })
    }
    return spans
  })
}
