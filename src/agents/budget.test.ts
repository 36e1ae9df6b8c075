import fc from 'fast-check'
import { expect, test } from 'vitest'
import { turnInput } from '../../tests/fixtures/agents/kit.js'
import { line } from '../../tests/fixtures/agents/workshop.js'
import { cutTo, estimateTokens, fitTo, type Window } from './budget.js'

const MEMORY = 'a fact that is remembered\n'.repeat(100)

function build(window: Window) {
  const memory = window.memory === null ? MEMORY : cutTo(MEMORY, window.memory)
  const prompt = [`${'frame '.repeat(20)}`, memory, ...window.lines.map(({ text }) => text)].join('\n')
  return turnInput({ prompt, memory: { path: '', text: MEMORY } })
}

const window = (texts: readonly string[], fresh: number): Window => ({
  lines: texts.map((text, index) => line(text, { new: index >= texts.length - fresh })),
  cut: 0,
  memory: null,
})

test('a token is four characters, and one of Chinese, Japanese or Korean', () => {
  expect(estimateTokens('')).toBe(0)
  expect(estimateTokens('abcdefgh')).toBe(2)
  expect(estimateTokens('你好世界')).toBe(4)
  expect(estimateTokens('カレンダー')).toBe(5)
  expect(estimateTokens('😀')).toBe(1)
  expect(estimateTokens('ok 你好')).toBe(3)
})

test('without a budget nothing is left out', () => {
  const all = window(
    Array.from({ length: 30 }, () => 'x'.repeat(4_000)),
    1,
  )
  expect(fitTo(null, all, build).window).toEqual(all)
})

test('the oldest earlier lines go first, then memory, then what is asked', () => {
  const texts = Array.from({ length: 10 }, (_, index) => `${index} ${'word '.repeat(80)}`)
  const few = fitTo(1_300, window(texts, 1), build)
  const left = few.window.lines.map(({ text }) => Number(text[0]))
  expect(left.length).toBeGreaterThan(1)
  expect(left).toEqual(Array.from({ length: left.length }, (_, index) => 10 - left.length + index))
  expect(few.window.cut).toBe(10 - few.window.lines.length)
  expect(few.window.memory).toBeNull()
  const less = fitTo(600, window(texts, 1), build)
  expect(less.window.lines).toHaveLength(1)
  expect(less.window.lines[0]?.text).toBe(texts[9])
  expect(less.window.memory).not.toBeNull()
  const least = fitTo(300, window([...texts.slice(0, 9), 'y'.repeat(8_000)], 1), build)
  expect(least.window.lines[0]?.text).toMatch(/^y+… \[\d+ characters left out\]$/)
})

test('it fits whatever was said, where the frame leaves room; the asked lines stay, in their order', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '你', '😀', '\n'), maxLength: 2_000 })
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 3 }),
      (texts, fresh) => {
        const wanted = Math.min(fresh, texts.length)
        const { window: fitted, tokens } = fitTo(1_000, window(texts, wanted), build)
        expect(tokens).toBeLessThanOrEqual(1_000)
        expect(fitted.lines.filter((one) => one.new)).toHaveLength(wanted)
      },
    ),
  )
})

test('what is cut says so, and cuts no character in half', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '😀', '你'), maxLength: 300 }),
      fc.nat(100),
      (text, tokens) => {
        const cut = cutTo(text, tokens)
        expect(cut).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/)
        if (cut !== text) expect(cut).toMatch(/… \[\d+ characters left out\]$/)
      },
    ),
  )
})

test('10 MB are fitted at once', () => {
  const started = process.cpuUsage().user
  const { window: fitted } = fitTo(2_000, window(['x'.repeat(10_000_000)], 1), build)
  expect(fitted.lines[0]?.text.length).toBeLessThan(9_000)
  expect((process.cpuUsage().user - started) / 1_000).toBeLessThan(5_000)
})
