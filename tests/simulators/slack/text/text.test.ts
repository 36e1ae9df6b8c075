import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compose } from './compose.js'
import { emojiCharacter, emojiName } from './emoji.js'
import { parseMarkdown } from './markdown.js'
import { parseMrkdwn } from './mrkdwn.js'
import { type Names, render } from './render.js'
import { type Block, escapeText, type RichText, unescapeText } from './rich.js'

const names: Names = {
  user: (id) => (id === 'U0ANN' ? 'Ann' : id),
  channel: (id) => (id === 'C0DEV' ? 'dev' : id),
  usergroup: () => ({ handle: 'ops', users: ['U0BOB', 'U0ANN'] }),
  everyone: ['U0ANN', 'U0BOB'],
}
let count = 0
const blockId = (): string => `b${count++}`
const shown = (text: string) => render({ text, blocks: [] }, names)
const markdown = (text: string) => render({ text: '', blocks: parseMarkdown(text, blockId) }, names)

describe('mrkdwn', () => {
  it.each([
    ['*bold* _it_ ~no~ `x`', 'bold it no x'],
    ['a*b*c 2*3*4 snake_case_name', 'a*b*c 2*3*4 snake_case_name'],
    ['* not bold *', '* not bold *'],
    ['*_both_*', 'both'],
    ['```\ncode *not bold*\n```', 'code *not bold*'],
    ['&gt; quoted\nplain', '> quoted\nplain'],
    ['1 &lt; 2 &amp;&amp; 3 &gt; 2', '1 < 2 && 3 > 2'],
    ['&amp;lt;', '&lt;'],
    ['<@U0ANN|ann> in <#C0DEV|dev>', '@Ann in #dev'],
    ['<https://x.example/a?b=1&amp;c=2|here>', 'here'],
    [':+1: :nosuch:', '👍 :nosuch:'],
    ['<!date^1700000000^{date}|Nov 14>', 'Nov 14'],
    ['<nothing known>', '<nothing known>'],
  ])('%s reads %s', (text, visible) => {
    expect(shown(text).text).toBe(visible)
  })

  it('finds links, bare and with a label', () => {
    expect(shown('see https://x.example/a_(b). and <https://y.example|y>').links).toEqual([
      { text: 'https://x.example/a_(b)', url: 'https://x.example/a_(b)' },
      { text: 'y', url: 'https://y.example' },
    ])
  })

  it.each([
    ['<@U0ANN> hi', ['U0ANN']],
    ['`<@U0ANN>`', ['U0ANN']],
    ['```<!here>```', ['U0ANN', 'U0BOB']],
    ['<!channel>', ['U0ANN', 'U0BOB']],
    ['<!subteam^S0OPS|@ops>', ['U0BOB', 'U0ANN']],
    ['&lt;@U0ANN&gt; &lt;!channel&gt; @channel @here', []],
  ])('%s pages %j', (text, pings) => {
    expect(shown(text).pings).toEqual(pings)
  })

  it('escaped text pages nobody and keeps every character, whatever it is', () => {
    const parts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('<@U0ANN>', '<!channel>', '<!subteam^S0OPS>', '&amp;', '&lt;', '<', '>', '`', '|'),
    )
    fc.assert(
      fc.property(fc.array(parts), (pieces) => {
        const text = pieces.join('')
        expect(unescapeText(escapeText(text))).toBe(text)
        expect(shown(escapeText(text)).pings).toEqual([])
        expect(markdown(escapeText(text)).pings).toEqual([])
      }),
    )
  })
})

describe('compose', () => {
  it('makes what a client makes of marks, lists, quotes, code', () => {
    const { text, blocks } = compose(
      '**hi** <@U0ANN>\n- a\n  - b `x<y`\n1. one\n> said\n```\nlet a\n```',
      blockId,
    )
    expect(text).toBe('*hi* <@U0ANN>\n• a\n    ◦ b `x&lt;y`\n1. one\n&gt; said\n```let a```')
    expect(blocks[0]?.elements.map(({ type }) => type)).toEqual([
      'rich_text_section',
      'rich_text_list',
      'rich_text_list',
      'rich_text_list',
      'rich_text_quote',
      'rich_text_preformatted',
    ])
  })

  it('leaves an id in code as text: nobody picks a person there', () => {
    const { text, blocks } = compose('write `<@U0BOT>` or a & b <c>', blockId)
    expect(text).toBe('write `&lt;@U0BOT&gt;` or a &amp; b &lt;c&gt;')
    expect(blocks[0]?.elements[0]?.elements[1]).toEqual({
      type: 'text',
      text: '<@U0BOT>',
      style: { code: true },
    })
  })

  it('turns emoji into names, as clients do', () => {
    const { text, blocks } = compose('👍 done', blockId)
    expect(text).toBe(':+1: done')
    expect(blocks[0]?.elements[0]?.elements[0]).toEqual({ type: 'emoji', name: '+1', unicode: '1f44d' })
  })

  it('its text and its blocks show the same', () => {
    const line = fc.stringMatching(/^[a-zA-Z <>&.@]{0,20}$/)
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
        const { text, blocks } = compose(lines.join('\n'), blockId)
        expect(render({ text: '', blocks }, names).text).toBe(shown(text).text)
      }),
    )
  })
})

describe('markdown block', () => {
  it.each([
    ['# Head\n\n**bold** *it* ~~no~~ `x`', 'Head\n\nbold it no x'],
    ['- a\n  - b\n    - c\n- d', '• a\n  • b\n    • c\n• d'],
    ['2. two\n3. three', '2. two\n3. three'],
    ['> quoted\n> more', '> quoted\n> more'],
    ['```js\nif (a < b) x\n```', 'if (a < b) x'],
    ['`a &lt; b && c`', 'a < b && c'],
    ['a &lt; b && c &amp; d', 'a < b && c & d'],
    ['| a | b |\n|---|---|\n| 1 | `x` |', 'a | b\n1 | x'],
    ['- [x] done\n- [ ] open', '• ☑ done\n• ☐ open'],
    ['a\n\n---\n\nb', 'a\n———\nb'],
    ['one <div> two', 'one <div> two'],
    ['hi <@U0ANN>, see <#C0DEV>', 'hi @Ann, see #dev'],
  ])('%j shows %j', (text, visible) => {
    expect(markdown(text).text).toBe(visible)
  })

  it('joins the styled parts of a label into one link', () => {
    expect(markdown('[see **this** now](https://wiki.example/Foo_(bar))').links).toEqual([
      { text: 'see this now', url: 'https://wiki.example/Foo_(bar)' },
    ])
  })

  it('reads tokens in code too: what was not escaped can page', () => {
    expect(markdown('`<@U0ANN>`').pings).toEqual(['U0ANN'])
    expect(markdown('`&lt;@U0ANN>` `&lt;!here&gt;`').pings).toEqual([])
  })
})

describe('blocks', () => {
  it('shows sections, contexts, headers; buttons apart', () => {
    const blocks: Block[] = [
      { type: 'header', text: { type: 'plain_text', text: 'Head *1*' } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*hi* <@U0ANN>' },
        fields: [{ type: 'plain_text', text: '*f*' }],
      },
      { type: 'context', elements: [{ type: 'mrkdwn', text: '_c_' }] },
      { type: 'divider' },
      {
        type: 'actions',
        block_id: 'act',
        elements: [
          { type: 'button', text: { type: 'plain_text', text: 'Go' }, value: 'v1', action_id: 'a1' },
        ],
      },
    ]
    expect(render({ text: 'fallback <@U0BOB>', blocks }, names)).toEqual({
      text: 'Head *1*\nhi @Ann\n*f*\nc\n———',
      links: [],
      pings: ['U0ANN', 'U0BOB'],
      buttons: [{ label: 'Go', value: 'v1', actionId: 'a1', blockId: 'act' }],
    })
  })

  it('keeps the numbers of a list over what is nested in it', () => {
    const { blocks } = compose('1. a\n  - b\n1. c', blockId)
    expect(render({ text: '', blocks: blocks satisfies RichText[] }, names).text).toBe('1. a\n  • b\n2. c')
    expect(render({ text: '', blocks: compose('- a\n1. b', blockId).blocks }, names).text).toBe('• a\n1. b')
    expect(parseMrkdwn('')).toEqual([])
  })

  it.each([
    ['👍', '+1', '👍'],
    [':thumbsup:', '+1', '👍'],
    ['party-parrot', 'party-parrot', ':party-parrot:'],
  ])('emoji %s is named %s and seen as %s', (given, name, seen) => {
    expect(emojiName(given)).toBe(name)
    expect(emojiCharacter(name)).toBe(seen)
  })
})
