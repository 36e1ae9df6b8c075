/** What people see: text, rich text, both kinds of card. */
import { describe, expect, it } from 'vitest'
import { Canvas, type Names, type Rendered, valueText } from './canvas.js'
import { renderCard } from './card.js'
import { type Dialect, renderMarkdown } from './markdown.js'
import { renderText } from './plain.js'
import { renderPost, toldPost } from './post.js'

const names: Names = {
  person: (id) => (id === 'ou_ann' || id === '@_user_1' ? { who: 'on_ann', name: 'Ann' } : undefined),
  everyone: ['on_ann', 'on_bob'],
  all: '所有人',
}

const see = (draw: (canvas: Canvas) => string): Rendered => {
  const canvas = new Canvas(names)
  return canvas.done(draw(canvas))
}
const md = (text: string, dialect: Dialect = 'card'): Rendered =>
  see((canvas) => renderMarkdown(text, canvas, dialect))
const text = (value: string, isOfApp = true): Rendered => see((canvas) => renderText(value, canvas, isOfApp))

describe('text of an app', () => {
  it('reads styles that match, links, and placeholders', () => {
    expect(
      text('<b>bold <i>both</i></b> @_user_1 [site](https://a.example) https://b.example.'),
    ).toMatchObject({
      text: 'bold both @Ann site https://b.example.',
      pings: ['on_ann'],
      links: [
        { text: 'site', url: 'https://a.example' },
        { text: 'https://b.example', url: 'https://b.example' },
      ],
    })
  })

  it.each([
    ['<b>open', '<b>open'],
    ['<b><i>crossed</b></i>', '<b><i>crossed</b></i>'],
    ['[label](javascript:x)', '[label](javascript:x)'],
    ['**stars** # and `ticks`', '**stars** # and `ticks`'],
    ['@_user_10', '@_user_10'],
  ])('leaves %s as it is', (given, shown) => {
    expect(text(given).text).toBe(shown)
  })

  it('pages everybody by @_all', () => {
    expect(text('@_all now')).toMatchObject({ text: '@所有人 now', pings: ['on_ann', 'on_bob'] })
  })
})

it('text of people has no markup', () => {
  expect(text('<b>x</b> [a](https://a.example)', false).text).toBe('<b>x</b> [a](https://a.example)')
})

describe('Markdown of a card', () => {
  it.each([
    ['**bold** *it* ~~gone~~ `code`', 'bold it gone code'],
    ['# Title\n\ntext', 'Title\ntext'],
    ['- a\n    - b\n- c', '• a\n  • b\n• c'],
    ['3. a\n4. b', '3. a\n4. b'],
    ['> quote\n> more', '> quote\n> more'],
    ['```js\na < b\n```', 'a < b'],
    ['| a | b |\n|---|---|\n| 1 | **2** |', 'a | b\n1 | 2'],
    ['---', '———'],
    ['one<br>two', 'one\ntwo'],
    ["<font color='red'>red</font> <text_tag color='blue'>tag</text_tag>", 'red tag'],
    ['&#42;&#60;b&#62;&#42;', '*<b>*'],
    [':DONE: :NOSUCH:', '✅ :NOSUCH:'],
    ['[x] and <unknown>hidden</unknown>', '[x] and hidden'],
    ['<https://a.example>', 'https://a.example'],
  ])('%j is seen as %j', (given, shown) => {
    expect(md(given).text).toBe(shown)
  })

  it('names people, and everybody', () => {
    expect(md('<at id=ou_ann></at>, <at ids="ou_ann,ou_ann"></at>')).toMatchObject({
      text: '@Ann, @Ann @Ann',
      pings: ['on_ann'],
    })
    expect(md("<at id='all'></at>").pings).toEqual(['on_ann', 'on_bob'])
    expect(md("<person id='ou_ann'></person>")).toMatchObject({ text: 'Ann', pings: [] })
  })

  it('names nobody in code', () => {
    expect(md('`<at id=all></at>`\n\n```\n<at id=ou_ann></at>\n```')).toMatchObject({ pings: [] })
  })

  it('links what has a scheme that is followed', () => {
    const { links, text } = md(
      "[a](https://a.example) <a href='https://b.example'>b</a> <link url='https://c.example'>c</link> [d](mailto:d@e.example)",
    )
    expect(text).toBe('a b c d')
    expect(links.map(({ url }) => url)).toEqual([
      'https://a.example',
      'https://b.example',
      'https://c.example',
    ])
  })
})

it('Markdown of an old card has no headings, quotes, inline code and tables', () => {
  expect(md('# T\n\n> q\n\n`c` **b**', 'old-card').text).toBe('# T\n> q\n`c` b')
  expect(md('| a |\n|---|\n| 1 |', 'old-card').text).toBe('| a |\n|---|\n| 1 |')
})

it('Markdown of a post has no headings, inline code, tables and HTML', () => {
  expect(md('# T\n\n> q\n\n`c` **b** <b>x</b> @_user_1', 'post')).toMatchObject({
    text: '# T\n> q\n`c` b <b>x</b> @Ann',
    pings: ['on_ann'],
  })
})

describe('rich text', () => {
  const content = {
    title: 'Report',
    content: [
      [
        { tag: 'at', user_id: '@_user_1' },
        { tag: 'text', text: ' see ' },
        { tag: 'a', text: 'this', href: 'https://a.example' },
      ],
      [{ tag: 'img', image_key: 'img_1' }],
      [{ tag: 'code_block', language: 'GO', text: 'a < b' }],
      [{ tag: 'hr' }],
      [{ tag: 'emotion', emoji_type: 'THUMBSUP' }],
      [{ tag: 'text', text: '&lt;&amp;', un_escape: true }],
      [{ tag: 'new_tag_2030', text: 'unknown' }],
    ],
  }

  it('is seen line by line under its title', () => {
    expect(see((canvas) => renderPost(content, canvas))).toMatchObject({
      text: 'Report\n@Ann see this\n\na < b\n———\n👍\n<&\nunknown',
      links: [{ text: 'this', url: 'https://a.example' }],
      pings: ['on_ann'],
    })
  })

  it('is told without Markdown: as what it shows', () => {
    const told = toldPost({ content: [[{ tag: 'md', text: 'x' }]] }, () => 'one\ntwo')
    expect(told).toEqual({
      title: '',
      content: [[{ tag: 'text', text: 'one', style: [] }], [{ tag: 'text', text: 'two', style: [] }]],
    })
  })
})

describe('cards', () => {
  it('of schema 2.0 show header, elements, tables; buttons apart', () => {
    const card = {
      schema: '2.0',
      header: {
        title: { tag: 'plain_text', content: '**Head**' },
        subtitle: { tag: 'plain_text', content: 'sub' },
      },
      body: {
        elements: [
          { tag: 'markdown', content: '**text**' },
          { tag: 'div', text: { tag: 'lark_md', content: '*more*' } },
          {
            tag: 'column_set',
            columns: [{ tag: 'column', elements: [{ tag: 'markdown', content: 'in a column' }] }],
          },
          {
            tag: 'table',
            columns: [
              { name: 'a', display_name: 'A', data_type: 'text' },
              { name: 'b', display_name: 'B', data_type: 'lark_md' },
            ],
            rows: [{ a: '1', b: '**2**' }],
          },
          {
            tag: 'button',
            text: { tag: 'plain_text', content: 'Go' },
            behaviors: [
              { type: 'open_url', default_url: 'https://a.example' },
              { type: 'callback', value: { value: 'go' } },
            ],
          },
        ],
      },
    }
    expect(see((canvas) => renderCard(card, canvas))).toEqual({
      text: '**Head**\nsub\ntext\nmore\nin a column\nA | B\n1 | 2',
      links: [{ text: 'Go', url: 'https://a.example' }],
      pings: [],
      buttons: [{ label: 'Go', value: 'go', action: { value: 'go' } }],
    })
  })

  it('of schema 1.0 have actions and notes', () => {
    const card = {
      elements: [
        { tag: 'div', text: { tag: 'plain_text', content: 'plain **text**' } },
        {
          tag: 'action',
          actions: [{ tag: 'button', text: { tag: 'plain_text', content: 'No' }, value: { a: 1 } }],
        },
        { tag: 'note', elements: [{ tag: 'plain_text', content: 'small' }] },
      ],
    }
    expect(see((canvas) => renderCard(card, canvas))).toMatchObject({
      text: 'plain **text**\nsmall',
      buttons: [{ label: 'No', value: '{"a":1}' }],
    })
  })

  it('what a button carries is told apart by one text', () => {
    expect(valueText('a')).toBe('a')
    expect(valueText({ value: 'a' })).toBe('a')
    expect(valueText({ value: 'a', more: 1 })).toBe('{"value":"a","more":1}')
    expect(valueText(undefined)).toBe('')
  })
})
