import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countWords, indexWords, queryWords } from './search-words.js'

describe('words of the index', () => {
  it.each([
    ['Deploying the queues', ['deploy', 'the', 'queu']],
    ['群记忆', ['群记', '记忆', '忆']],
    ['我的书', ['我的', '的书', '书']],
    ['API延迟', ['api', '延迟', '迟']],
    ['ｶﾞｲﾄﾞ', ['ガイ', 'イド', 'ド']],
    ['ガイト\u3099', ['ガイ', 'イド', 'ド']],
    ['ＡＢＣ　１２', ['abc', '12']],
    ['배포는', ['배포', '포는', '는']],
    ['ㄅㄆ', ['ㄅㄆ', 'ㄆ']],
    ['𠮷野家', ['𠮷野', '野家', '家']],
    ['々', ['々']],
    ['', []],
    ['!? … 🎉 \u0301', []],
  ])('%s', (text, words) => {
    expect(indexWords(text)).toEqual(words)
  })
})

describe('words of a question', () => {
  it('one character is the beginning of a pair; more are pairs, each once', () => {
    expect(queryWords('版')).toEqual([{ word: '版', prefix: true }])
    expect(queryWords('版本版本')).toEqual([
      { word: '版本', prefix: false },
      { word: '本版', prefix: false },
    ])
    expect(queryWords('the THE')).toEqual([{ word: 'the', prefix: false }])
  })

  it('whatever is cut out of a text is counted in it', () => {
    const text = fc.string({
      unit: fc.constantFrom('版', '本', 'の', 'ガ', '배', '的', '吗', 'a', ' ', '、', '７'),
      minLength: 2,
      maxLength: 30,
    })
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (whole, from, size) => {
        const runs = whole.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu)
        const run = [...(runs?.[from % runs.length] ?? '')]
        const part = run.slice(size % Math.max(1, run.length)).join('')
        fc.pre(part !== '')
        const wanted = queryWords(part)
        expect(wanted.length).toBeGreaterThan(0)
        for (const count of countWords(whole, wanted).counts) expect(count).toBeGreaterThan(0)
      }),
    )
  })

  it('takes time in proportion to the text', () => {
    const start = process.cpuUsage().user
    expect(indexWords('記憶word'.repeat(40_000)).length).toBe(120_000)
    expect((process.cpuUsage().user - start) / 1_000).toBeLessThan(3_000)
  })
})
