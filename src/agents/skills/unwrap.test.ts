import { describe, expect, it } from 'vitest'
import { unwrap } from './unwrap.js'

describe('unwrap', () => {
  it.each([
    ['a paragraph', 'one\ntwo\nthree\n\nfour\nfive', 'one two three\n\nfour five'],
    ['Chinese, without a blank', '消息先写入\n数据库。', '消息先写入数据库。'],
    [
      'list items and what goes on below them',
      '- one\n  two\n- three\n1. four\n   five',
      '- one two\n- three\n1. four five',
    ],
    ['deliberate breaks', 'one  \ntwo\\\nthree', 'one  \ntwo\\\nthree'],
    ['code', 'so:\n\n```sh\na\nb\n```\nand\non', 'so:\n\n```sh\na\nb\n```\nand on'],
    [
      'tables, quotes and headings',
      '| a |\n| - |\n| b |\n\n> q\n> r\n\n# h\ntext',
      '| a |\n| - |\n| b |\n\n> q\n> r\n\n# h\ntext',
    ],
  ])('%s', (_, markdown, expected) => {
    expect(unwrap(markdown)).toBe(expected)
  })

  it('changes nothing the second time', () => {
    const once = unwrap('a\nb\n- c\n  d\n```\ne\nf\n```\ng\nh')
    expect(unwrap(once)).toBe(once)
  })
})
