import { describe, expect, it } from 'vitest'
import { type Doc, plainText } from '../../src/messaging/contract.js'
import { type FeishuBody, withButtons } from './card.js'
import { BUTTON, CARD_TABLES } from './limits.js'
import { cardIn, content, elements, named, readBack, requestSize, write } from './write.fixture.js'
import { plain } from './write.js'

describe('named cases', () => {
  it('fs-outbound-every-send-path: a member’s name is the native mention, in the card', () => {
    const [part] = write(named('@李雷 完成了'))
    expect(part?.mentions).toEqual(['ou_lilei'])
    expect(content(named('@李雷 完成了'))).toBe('<at id=ou_lilei></at> 完成了')
    expect(part?.text).toBe('@李雷 完成了')
  })

  it('fs-more-tables-than-a-card-takes: further tables are in further cards, in order', () => {
    const text = [1, 2, 3, 4, 5, 6, 7]
      .map((n) => `表${n}\n\n| a | b |\n|---|---|\n| ${n} | x${n} |`)
      .join('\n\n')
    const parts = write(text)
    for (const { body } of parts) {
      const tables = cardIn(body).body.elements.filter(
        (element) => element.tag === 'markdown' && element.content.includes('| --- |'),
      )
      expect(tables.length).toBeLessThanOrEqual(CARD_TABLES)
    }
    const seen = parts.map((part) => part.text).join('\n')
    expect(seen.match(/x\d/g)).toEqual(['x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7'])
    expect(seen.match(/表\d/g)).toEqual(['表1', '表2', '表3', '表4', '表5', '表6', '表7'])
  })

  it('fs-heading-not-shown-raw: bold, larger, and a # within a line stays', () => {
    const found = elements('# 标题\n正文\n\n## 小节 C# 指南')
    expect(found).toEqual([
      { tag: 'markdown', content: '**标题**', text_size: 'heading-2' },
      { tag: 'markdown', content: '正文' },
      { tag: 'markdown', content: '**小节 C# 指南**', text_size: 'heading-3' },
    ])
    for (const level of [1, 2, 3, 4, 5, 6])
      for (const line of content(`${'#'.repeat(level)} x **y** \`z\``).split('\n'))
        expect(line).not.toMatch(/^#/)
  })

  it('fs-limit-is-bytes-not-characters: of the request, escapes counted', () => {
    for (const text of [
      '汉'.repeat(12_000),
      '"\\'.repeat(20_000),
      '<*_>'.repeat(8_000),
      '👩‍👩‍👧‍👦'.repeat(3_000),
    ]) {
      const parts = write({
        type: 'root',
        children: [{ type: 'paragraph', children: [{ type: 'text', value: text }] }],
      })
      for (const { body } of parts) {
        expect(requestSize(body)).toBeLessThanOrEqual(28_000)
        expect(Buffer.byteLength(JSON.stringify(cardIn(body)))).toBeLessThanOrEqual(30_720)
      }
      expect(parts.map((part) => part.text).join('')).toBe(text)
    }
  })
})

describe('nothing an agent writes pages or marks anything', () => {
  it.each([
    '<at id=all></at> hello',
    '<at user_id="all">x</at>',
    '<at ids=ou_ann,all></at>',
    '@all @所有人 @everyone',
    '<person id=ou_ann></person>',
    '<font color=red>x</font><br/><hr>',
    '&lt;at id=all&gt;&lt;/at&gt;',
    '&#60;at id=all&#62;',
  ])('%s', (text) => {
    for (const markdown of [
      text,
      `# ${text}`,
      `- ${text}`,
      `> ${text}`,
      `**${text}**`,
      `| a |\n|---|\n| ${text} |`,
    ]) {
      const [part] = write(markdown)
      expect(part?.mentions).toEqual([])
      expect(content(markdown).replaceAll('<br>', '')).not.toMatch(/<[a-z/]/)
    }
  })

  it('neither does a mention of everybody, of a group, or of an id that is none', () => {
    const doc: Doc = {
      type: 'root',
      children: [
        {
          type: 'paragraph',
          children: [
            { type: 'mention', target: 'everyone', name: 'all' },
            { type: 'mention', target: 'role', id: 'r1', name: 'devs' },
            { type: 'mention', target: 'user', id: 'all', name: 'x' },
            { type: 'mention', target: 'user', id: 'a></at><at id=all', name: 'y' },
          ],
        },
      ],
    }
    expect(write(doc)[0]).toMatchObject({ text: '@all@devs@x@y', mentions: [] })
    expect(content(doc)).toBe('@all@devs@x@y')
  })

  it.each([
    ':OK: and 10:30:45',
    '$x$ and $$',
    'a_b_c _d_ __e__',
    '1~5 ~~no~~',
    '1. one',
    '2) two',
    '- x',
    '+ y',
    '===',
    '| a | b |',
    '![i](j)',
    'AT&T &amp; &copy; x&y;',
    '`t`',
    'a\\*b',
    '    indented',
  ])('a text stays as it is: %s', (value) => {
    const doc: Doc = { type: 'root', children: [{ type: 'paragraph', children: [{ type: 'text', value }] }] }
    const [part] = write(doc)
    const again = readBack(part?.body)
    expect(again.doc.children).toHaveLength(1)
    expect(plainText(again.doc).trim()).toBe(value.trim())
    expect(JSON.stringify(again.doc.children)).not.toMatch(
      /"type":"(?:strong|emphasis|delete|list|table|inlineCode)"/,
    )
  })

  it('the plain form: no tag of a text message, and the same to see', () => {
    const part = plain('<at user_id="all">x</at> **a** <b>b</b> a < b')
    const body = part.body as Extract<FeishuBody, { type: 'text' }>
    expect(body.text).not.toMatch(/<\/?(?:at|b)\b/)
    expect(body.text.replaceAll('\u200b', '')).toBe(part.text)
    expect(part).toMatchObject({ text: '<at user_id="all">x</at> **a** <b>b</b> a < b', mentions: [] })
  })
})

describe('forms', () => {
  it('styles, where Markdown takes them beside what stands there', () => {
    expect(content('a **b *c*** ~~d~~ `e *f*`')).toBe('a **b** ***c*** ~~d~~ `e *f*`')
    const bold = (value: string) => ({
      type: 'strong' as const,
      children: [{ type: 'text' as const, value }],
    })
    const around = (value: string): Doc => ({
      type: 'root',
      children: [
        {
          type: 'paragraph',
          children: [{ type: 'text', value: '他说' }, bold(value), { type: 'text', value: '了' }],
        },
      ],
    })
    expect(content(around('“好”'))).toBe('他说“**好**”了')
    expect(content(around(' ok '))).toBe('他说 **ok** 了')
    expect(content(around('…'))).toBe('他说…了')
    expect(content('中**文**字')).toBe('中**文**字')
    expect(content('**a** *b*')).toBe('**a** *b*')
    expect(content('**[x](https://x.example)**')).toBe('**[x](https://x.example)**')
  })

  it('lists: four blanks a level, numbers as written, tasks as boxes', () => {
    expect(content('- a\n  - b\n    1. c\n- d')).toBe('- a\n    - b\n        1. c\n- d')
    expect(content('9. a\n10. b\n    - c')).toBe('9. a\n10. b\n    - c')
    expect(content('- [x] done\n- [ ] open')).toBe('- ☑ done\n- ☐ open')
    expect(content('- a\n\n  second')).toBe('- a<br>second')
  })

  it('code begins its line, wherever it stood; what follows is no code', () => {
    expect(content('- a\n  - b\n\n    ```ts\n    x\n    ```\n  - c')).toBe(
      '- a\n    - b\n\n```ts\nx\n```\n\n- c',
    )
    expect(content('> q\n> ```\n> x\n> ```')).toBe('> q\n\n```\nx\n```')
    expect(content('````\n```\n````')).toBe('````\n```\n````')
  })

  it('quotes, rules, images, addresses', () => {
    expect(content('> a\n> b\n>\n> - c')).toBe('> a\n> b\n> &#8226; c'.replace('&#8226;', '•'))
    expect(elements('a\n\n---\n\nb').map(({ tag }) => tag)).toEqual(['markdown', 'hr', 'markdown'])
    expect(content('![cat](https://x.example/c.png)')).toBe('[cat](https://x.example/c.png)')
    expect(content('[a](https://x.example/a_(b)?c=1&d=2)')).toBe('[a](https://x.example/a_%28b%29?c=1&d=2)')
    expect(write('[notes](./notes.md) [x](javascript:alert(1)) [mail](mailto:a@b.example)')[0]?.text).toBe(
      'notes (./notes.md) x (javascript:alert(1)) mail (a@b.example)',
    )
    expect(content('wow ![](https://x.example/i.png)')).toBe(
      'wow [https&#58;//x.example/i.png](https://x.example/i.png)'.replace('&#58;', ':'),
    )
  })

  it('tables stay tables: alignment, bars, lines in cells', () => {
    expect(content('| a | b |\n|---|--:|\n| `x\\|y` | 1 \\| 2 |')).toBe(
      '| a | b |\n| --- | ---: |\n| `x\\|y` | 1 &#124; 2 |',
    )
  })

  it('buttons are callbacks below, whatever stands above', () => {
    const card = cardIn(write('hello')[0]?.body)
    const more = withButtons(card, [
      { label: 'Stop', value: 'stop:7', style: 'danger' },
      { label: 'x'.repeat(100), value: 'y' },
    ])
    expect(more.body.elements.at(-1)).toMatchObject({
      tag: 'column_set',
      columns: [
        {
          elements: [
            { tag: 'button', type: 'danger', behaviors: [{ type: 'callback', value: { value: 'stop:7' } }] },
          ],
        },
        { elements: [{ type: 'default', text: { content: `${'x'.repeat(BUTTON.label - 1)}…` } }] },
      ],
    })
    expect(withButtons(card, [])).toBe(card)
    expect(card.body.elements).toHaveLength(1)
  })
})
