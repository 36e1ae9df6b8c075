import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fit as fitOf, keywords, tokens } from './score.js'

describe('tokens', () => {
  it.each([
    ['Reviewing the queues', ['review', 'the', 'queu']],
    ['messages, message; messaged', ['messag', 'messag', 'messag']],
    ['stopped stopping stops stop', ['stop', 'stop', 'stop', 'stop']],
    ['policies policy', ['policy', 'policy']],
    ['process status is bus', ['process', 'status', 'is', 'bus']],
    ['群记忆文件', ['群记', '记忆', '忆文', '文件']],
    ['我的猫', ['我', '猫']],
    ['Golem支持Slack吗', ['golem', '支持', 'slack']],
    ['ＡＢＣ１２３', ['abc123']],
    ['', []],
    ['!?…', []],
  ])('%s', (text, expected) => {
    expect(tokens(text)).toEqual(expected)
  })

  it('is idempotent: the tokens of joined tokens are the same tokens', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('review', 'golem', 'stop', '记忆', '群', 'x1'), { maxLength: 8 }),
        (list) => {
          expect(tokens(list.join(' '))).toEqual(list)
        },
      ),
    )
  })

  it('gives the same tokens for its own tokens, for any words', () => {
    const word = fc.stringMatching(/^[a-z]{1,6}(ing|ed|s|es|ies|eding|nning|sses)?$/)
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const once = tokens(words.join(' '))
        expect(tokens(once.join(' '))).toEqual(once)
      }),
      { numRuns: 500 },
    )
  })

  it('never throws and never yields an empty token, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const token of tokens(text)) expect(token.length).toBeGreaterThan(0)
      }),
    )
  })

  it('takes time in proportion to the text', () => {
    const long = `${'记忆word'.repeat(40_000)}${'a'.repeat(200_000)}`
    const start = process.cpuUsage().user
    expect(tokens(long).length).toBeGreaterThan(40_000)
    expect((process.cpuUsage().user - start) / 1_000).toBeLessThan(3_000)
  })
})

describe('keywords', () => {
  it('drops what every question has', () => {
    expect(keywords('What is Golem, please?')).toEqual(['golem'])
    expect(keywords('请问 Golem 是什么？')).toEqual(['golem'])
    expect(keywords('How do I add an agent?')).toEqual(['add', 'agent'])
  })
})

describe('fit', () => {
  it.each([
    ['please review this code', ['code reviewer'], 0.6],
    ['summarise the meeting', ['Scribe', 'notes, summaries and decisions'], 0.3],
    ['who can find that in the library?', ['Librarian'], 0.3],
    ['前端页面坏了', ['前端工程师'], 0.25],
  ])('%s fits %j', (text, words, least) => {
    expect(fitOf(text, words)).toBeGreaterThanOrEqual(least)
  })

  it.each([
    ['what is for lunch?', ['code reviewer']],
    ['the and of', ['the and of']],
    ['', ['code reviewer']],
    ['control the lights', ['contract lawyer']],
    ['今天天气', ['前端工程师']],
  ])('%s does not fit %j', (text, words) => {
    expect(fitOf(text, words)).toBe(0)
  })

  it('prefers the field that more of the text is about', () => {
    const text = 'the deployment of the database failed, can somebody look at the query plan?'
    expect(fitOf(text, ['database query tuning'])).toBeGreaterThan(fitOf(text, ['deployments']))
  })

  it('stays in 0..1 and never falls when the field grows', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), fc.string(), (text, words, more) => {
        const score = fitOf(text, words)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
        expect(fitOf(text, [...words, more])).toBeGreaterThanOrEqual(score)
      }),
    )
  })
})
