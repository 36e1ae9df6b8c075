/** What a card is refused for. */
import { describe, expect, it } from 'vitest'
import { ApiError } from '../api/errors.js'
import { checkCard } from './card-check.js'

const context = {
  isPerson: (id: string) => id === 'ou_ann',
  mayNameAll: false,
  isImage: (key: string) => key === 'img_1',
}
const table = '| a |\n|---|\n| 1 |'

function refusal(card: unknown): string {
  try {
    checkCard(typeof card === 'string' ? card : JSON.stringify(card), context)
    return ''
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`
    throw error
  }
}
const refused = (...elements: unknown[]): string => refusal({ schema: '2.0', body: { elements } })
const md = (content: string) => ({ tag: 'markdown', content })

describe('a card is taken', () => {
  it('of either schema', () => {
    expect(refused(md('x'), { tag: 'hr' })).toBe('')
    expect(refusal({ elements: [{ tag: 'note', elements: [] }] })).toBe('')
    expect(refusal({ i18n_elements: { zh_cn: [md('x')] } })).toBe('')
  })

  it('with five tables, however they are written', () => {
    const component = { tag: 'table', columns: [{ name: 'a' }], rows: [{ a: '1' }] }
    expect(refused(md(Array(3).fill(table).join('\n\ntext\n\n')), component, component)).toBe('')
  })

  it('with tables in code', () => {
    expect(refused(md(Array(9).fill(`\`\`\`\n${table}\n\`\`\``).join('\n\n')))).toBe('')
  })
})

describe('a card is refused', () => {
  it.each([
    [
      'for a sixth table',
      [md(Array(6).fill(table).join('\n\ntext\n\n'))],
      'ErrCode: 11310; ErrMsg: card table number over limit; ErrorValue: table',
    ],
    [
      'for tables that are folded away',
      [
        md(Array(3).fill(table).join('\n\nx\n\n')),
        { tag: 'collapsible_panel', header: {}, elements: [md(Array(3).fill(table).join('\n\nx\n\n'))] },
      ],
      'ErrCode: 11310',
    ],
    [
      'for more than 200 elements',
      Array(201).fill({ tag: 'hr' }),
      'ErrCode: 11310; ErrMsg: element exceeds the limit',
    ],
    ['for a person nobody knows', [md('<at id=ou_nobody></at>')], 'ErrCode: 100290'],
    ['for naming everybody where that is not allowed', [md('<at id=all></at>')], 'ErrCode: 100290'],
    ['for an image that is not there', [{ tag: 'img', img_key: 'img_2' }], 'ErrCode: 200570'],
    [
      'for an element of schema 1.0',
      [{ tag: 'note', elements: [] }],
      'ErrCode: 200861; ErrPath: ROOT -> body -> elements -> [0](tag: note)',
    ],
    ['for a field nobody knows', [{ ...md('x'), text_color: 'red' }], 'ErrCode: 200621'],
    ['for an element nobody knows', [{ tag: 'hologram' }], 'ErrCode: 200621'],
    [
      'for an id twice',
      [
        { ...md('a'), element_id: 'e1' },
        { ...md('b'), element_id: 'e1' },
      ],
      'ErrCode: 200621',
    ],
    ['for a bad id', [{ ...md('a'), element_id: '1e' }], 'ErrCode: 200621'],
    [
      'for a table in a column',
      [
        {
          tag: 'column_set',
          columns: [{ tag: 'column', elements: [{ tag: 'table', columns: [{ name: 'a' }] }] }],
        },
      ],
      'ErrCode: 200621',
    ],
    [
      'for a row of no column',
      [{ tag: 'table', columns: [{ name: 'a' }], rows: [{ b: 1 }] }],
      'ErrCode: 200915',
    ],
    [
      'for a long label',
      [{ tag: 'button', text: { tag: 'plain_text', content: 'x'.repeat(101) } }],
      'ErrCode: 200621',
    ],
  ])('%s', (_, elements, reason) => {
    expect(refused(...elements)).toContain(`230099 Failed to create card content, ext=${reason}`)
  })

  it.each([
    ['for being no JSON', '{"a"', '200621'],
    ['for having no elements', '{"schema":"2.0","body":{}}', '200621'],
    [
      'for not being shared',
      '{"schema":"2.0","config":{"update_multi":false},"body":{"elements":[]}}',
      '200621',
    ],
    [
      'for a subtitle that is a bare text',
      '{"schema":"2.0","header":{"subtitle":"x"},"body":{"elements":[]}}',
      '200621',
    ],
    ['for a template that is not there', '{"type":"template","data":{"template_id":"t1"}}', '200380'],
  ])('%s', (_, text, code) => {
    expect(refusal(text)).toContain(`ErrCode: ${code}`)
  })
})
