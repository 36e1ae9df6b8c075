import { describe, expect, it } from 'vitest'
import { TestClock } from '../../tests/support/clock.js'
import { TestPlatform } from '../../tests/support/core.js'
import { agent } from '../../tests/support/policy.js'
import type { Member } from './contract.js'
import { renderAnswer, renderText, wakesOf } from './render.js'
import type { ReplyStyle } from './roster.js'

const platform = new TestPlatform(new TestClock()).platform
const person = (id: string, name: string, aliases: string[] = []): Member => ({
  id,
  name,
  aliases,
  kind: 'person',
})
const answer = { text: 'hello', agent: 'Golem', place: { chat: 'lobby' }, replyTo: 'q', files: [] }
const render = (
  style: ReplyStyle,
  change: Partial<typeof answer> & { place?: { chat: string; thread?: string } } = {},
) => renderAnswer({ ...answer, ...change }, platform, [], style)

describe('an answer', () => {
  it('quotes its question, stands in a thread under it, or alone', () => {
    expect(render('quote')).toMatchObject([
      { kind: 'post', place: { chat: 'lobby' }, replyTo: 'q', agent: 'Golem' },
    ])
    expect(render('thread')).toMatchObject([{ place: { chat: 'lobby', thread: 'q' }, replyTo: 'q' }])
    expect(render('plain')[0]).not.toHaveProperty('replyTo')
  })

  it('stays in the thread it was asked in', () => {
    const place = { chat: 'lobby', thread: 't' }
    for (const style of ['quote', 'thread', 'plain'] as const)
      expect(render(style, { place })[0]?.place).toEqual(place)
  })

  it('opens no thread where there are none', () => {
    const plain = { ...platform, can: { ...platform.can, threads: false } }
    expect(renderAnswer(answer, plain, [], 'thread')[0]?.place).toEqual({ chat: 'lobby' })
  })

  it('only its first part quotes; files follow, under names that are safe', () => {
    const parts = {
      ...platform,
      codec: {
        ...platform.codec,
        write: () => ['a', 'b'].map((text) => ({ text, body: {}, mentions: [] })),
      },
    }
    const files = [{ path: '/out/1', name: 'a\n[b].txt' }]
    const operations = renderAnswer({ ...answer, files }, parts, [], 'quote')
    expect(operations.map((op) => [op.kind, 'replyTo' in op])).toEqual([
      ['post', true],
      ['post', false],
      ['upload', false],
    ])
    expect(operations[2]).toMatchObject({ path: '/out/1', name: 'a (b).txt' })
  })

  it('is without control characters, and nothing when it was nothing else', () => {
    const [post] = render('plain', { text: 'a\u0000b\u001b[31mred\u0007\u0085\n\tend' })
    expect(post).toMatchObject({ part: { text: expect.stringMatching(/^ab\[31mred\s+end$/) } })
    expect(render('plain', { text: '\u001b\u0007' })).toEqual([])
  })

  it('of files alone has no post', () => {
    expect(render('quote', { text: ' \n', files: [{ path: '/out/1', name: 'a' }] as never })).toMatchObject([
      { kind: 'upload' },
    ])
  })
})

describe('names in an answer', () => {
  const members = [
    person('u1', 'Ann', ['annie']),
    person('u2', 'Ann Lee'),
    person('u3', 'Sam'),
    person('u4', 'Sam'),
  ]
  const said = (text: string): string => {
    const body = renderText(text, platform, members)[0]?.body as { text: string } | undefined
    return body?.text ?? ''
  }

  it.each([
    ['@Ann look', '<@u1> look'],
    ['@Ann Lee look', '<@u2> look'],
    ['(@annie)', '(<@u1>)'],
    ['@ann, @ann lee', '<@u1>, <@u2>'],
    ['交给@Ann处理', '交给<@u1>处理'],
  ])('%s: %s', (text, expected) => {
    expect(said(text)).toBe(expected)
  })

  it.each(['@Sam look', '`@Ann`', 'mail ann@ann.example', '@Anna', '@everyone', 'https://x.example/@Ann'])(
    '%s pings nobody',
    (text) => {
      expect(said(text)).not.toContain('<@')
    },
  )
})

describe('agents that an answer wakes', () => {
  const agents = [
    agent('Golem'),
    agent('Ada', { aliases: ['A'] }),
    agent('Old', { archived: true }),
    agent('Shade', { hidden: true }),
  ]
  const wakes = (text: string, hop = 0, spoken: string[] = []) => wakesOf(text, 'Golem', hop, agents, spoken)

  it('those it names, once, for one hop', () => {
    expect(wakes('@Ada please, @a!')).toEqual(['Ada'])
    expect(wakes('@Ada', 1)).toEqual([])
    expect(wakes('@Ada', 0, ['Ada'])).toEqual([])
  })

  it('not itself, nor who is archived or hidden, nor who is quoted or shown as code', () => {
    expect(wakes('@Golem @Old @Shade')).toEqual([])
    expect(wakes('> @Ada said so\n\nhe did')).toEqual([])
    expect(wakes('`@Ada`')).toEqual([])
  })
})
