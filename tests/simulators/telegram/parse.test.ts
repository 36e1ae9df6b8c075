import { describe, expect, it } from 'vitest'
import { parseHtml } from './parse-html.js'
import { parseMarkdownV2 } from './parse-markdown.js'

/** Ranges as `type offset length`. */
const ranges = (entities: readonly { type: string; offset: number; length: number }[]) =>
  entities.map(({ type, offset, length }) => `${type} ${offset} ${length}`)

describe('MarkdownV2', () => {
  it.each([
    ['🏟 🏟_abacaba', "Can't find end of Italic entity at byte offset 9"],
    ['🏟 🏟_abac * asd ', "Can't find end of Bold entity at byte offset 15"],
    ['🏟 🏟_abac * asd _', "Can't find end of Italic entity at byte offset 21"],
    ['🏟 🏟`', "Can't find end of Code entity at byte offset 9"],
    ['🏟 🏟```', "Can't find end of Pre entity at byte offset 9"],
    ['🏟 🏟```a', "Can't find end of Pre entity at byte offset 9"],
    ['🏟 🏟```a ', "Can't find end of PreCode entity at byte offset 9"],
    ['🏟 🏟__🏟 🏟_', "Can't find end of Italic entity at byte offset 20"],
    ['🏟 🏟_🏟 🏟__', "Can't find end of Underline entity at byte offset 19"],
    ['🏟 🏟```🏟 🏟`', "Can't find end of Code entity at byte offset 21"],
    ['[telegram\\.org](asd\\)', "Can't find end of a URL at byte offset 16"],
    ['🏟 🏟||test\\|', "Can't find end of Spoiler entity at byte offset 9"],
    ['🏟 🏟!', "Character '!' is reserved and must be escaped with the preceding '\\'"],
    ['🏟 🏟![', "Can't find end of CustomEmoji entity at byte offset 9"],
    ['🏟 🏟![👍]', 'Custom emoji entity must contain a tg://emoji URL'],
    ['🏟 🏟![👍](t://emoji?id=1234)', 'Custom emoji URL must have scheme tg'],
    ['🏟 🏟![👍](tg://emoji#test)', 'Custom emoji URL must have an emoji identifier'],
    ['a.b', "Character '.' is reserved and must be escaped with the preceding '\\'"],
    ['a > b', "Character '>' is reserved and must be escaped with the preceding '\\'"],
  ])('refuses %j in the server’s words', (source, message) => {
    expect(() => parseMarkdownV2(source)).toThrow(message)
  })

  it.each([
    ['\\\\', '\\', []],
    ['🏟 🏟``', '🏟 🏟', []],
    ['🏟 🏟_abac \\* asd _', '🏟 🏟abac * asd ', ['italic 5 11']],
    ['➡️ ➡️_➡️ ➡️_*➡️ ➡️*', '➡️ ➡️➡️ ➡️➡️ ➡️', ['italic 5 5', 'bold 10 5']],
    ['🏟 🏟_🏟 __🏟___', '🏟 🏟🏟 🏟', ['italic 5 5', 'underline 8 2']],
    ['🏟 🏟__🏟 _🏟_ __', '🏟 🏟🏟 🏟 ', ['underline 5 6', 'italic 8 2']],
    ['🏟 🏟```🏟 🏟```', '🏟 🏟 🏟', ['pre 5 3']],
    ['🏟 🏟```🏟\n\n🏟```', '🏟 🏟\n🏟', ['pre 5 3']],
    ['||test||', 'test', ['spoiler 0 4']],
    ['[telegram\\.org]', 'telegram.org', ['text_link 0 12']],
    ['[telegram\\.org](asdasd)', 'telegram.org', []],
    ['[a](tg://user?id=5)', 'a', ['text_mention 0 1']],
    ['>a\n>b\nc', 'a\nb\nc', ['blockquote 0 3']],
    ['>a\n**>b\n>c||\nd', 'a\nb\nc\nd', ['blockquote 0 1', 'expandable_blockquote 2 3']],
  ])('reads %j', (source, text, entities) => {
    const parsed = parseMarkdownV2(source)
    expect(parsed.text).toBe(text)
    expect(ranges(parsed.entities)).toEqual(entities)
  })

  it('lets every reserved character through when it is escaped, and no other way', () => {
    for (const char of ']()>#+-=|{}.!') {
      expect(() => parseMarkdownV2(`a${char}`)).toThrow(`Character '${char}' is reserved`)
      expect(parseMarkdownV2(`a\\${char}`).text).toBe(`a${char}`)
    }
  })
})

describe('HTML', () => {
  it.each([
    ['&#57311;', 'Text contains invalid Unicode characters after decoding HTML entities'],
    ['🏟 🏟&lt;<abacaba', 'Unclosed start tag at byte offset 13'],
    ['🏟 🏟&lt;<abac aba>', 'Unsupported start tag "abac" at byte offset 13'],
    ['🏟 🏟&lt;<i   =aba>', 'Empty attribute name in the tag "i" at byte offset 13'],
    [
      '🏟 🏟&lt;<i    aba>',
      'Expected equal sign in declaration of an attribute of the tag "i" at byte offset 13',
    ],
    ['🏟 🏟&lt;<i    aba  =  ', 'Unclosed start tag "i" at byte offset 13'],
    ['🏟 🏟&lt;<i    aba  =  190azAz-.,', 'Unexpected end of name token at byte offset 27'],
    ['🏟 🏟&lt;<i    aba  =  "&lt;&gt;&quot;>', 'Unclosed start tag at byte offset 13'],
    ['🏟 🏟&lt;</', 'Unexpected end tag at byte offset 13'],
    ['🏟 🏟&lt;<i>a</i   ', 'Unclosed end tag at byte offset 17'],
    ['🏟 🏟&lt;<i>a</em   >', 'Unmatched end tag at byte offset 17, expected "</i>", found "</em>"'],
    ['<b>a', 'Can\'t find end tag corresponding to start tag "b"'],
    ['<span>a</span>', 'Tag "span" must have class "tg-spoiler"'],
    ['a <T> b', 'Unsupported start tag "t" at byte offset 2'],
  ])('refuses %j in the server’s words', (source, message) => {
    expect(() => parseHtml(source)).toThrow(message)
  })

  it.each([
    ['&ge;&lt;&gt;&amp;&quot;&laquo;', '&ge;<>&"&laquo;', []],
    ['➡️ ➡️<em>➡️ ➡️</em>', '➡️ ➡️➡️ ➡️', ['italic 5 5']],
    ['<b>a<i>b</i></b>', 'ab', ['bold 0 2', 'italic 1 1']],
    ['<pre><code class="language-cpp">x &lt; y</code></pre>', 'x < y', ['pre 0 5']],
    ['<code>&lt;T&gt;</code>', '<T>', ['code 0 3']],
    ['<a href="https://x.example/a_b">l</a>', 'l', ['text_link 0 1']],
    ['<a href="tg://user?id=7">Ann</a>', 'Ann', ['text_mention 0 3']],
    ['<blockquote expandable>q</blockquote>', 'q', ['expandable_blockquote 0 1']],
    ['<tg-spoiler>s</tg-spoiler><span class="tg-spoiler">t</span>', 'st', ['spoiler 0 1', 'spoiler 1 1']],
    ['<s></s>', '', []],
  ])('reads %j', (source, text, entities) => {
    const parsed = parseHtml(source)
    expect(parsed.text).toBe(text)
    expect(ranges(parsed.entities)).toEqual(entities)
  })

  it('keeps the language of a code block', () => {
    expect(parseHtml('<pre><code class="language-cpp">x</code></pre>').entities).toEqual([
      { type: 'pre', offset: 0, length: 1, language: 'cpp' },
    ])
  })
})
