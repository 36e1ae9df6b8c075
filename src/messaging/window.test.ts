import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONTEXT_CHARACTERS, CONTEXT_LINE_CHARACTERS, CONTEXT_LINES, RESULT_CHARACTERS } from './limits.js'
import { windowOf } from './window.js'

const line = (id: number, text = `line ${id}`) => ({ id, text })
const lines = (count: number, text?: string) =>
  Array.from({ length: count }, (_, index) => line(index + 1, text))

describe('the window', () => {
  it('keeps the newest lines, as many as the room says, and the ones being answered', () => {
    const shown = windowOf(lines(50), 1, 20)
    expect(shown.lines.map(({ id }) => id)).toEqual(Array.from({ length: 21 }, (_, index) => index + 30))
    expect(shown.cut).toBe(29)
  })

  it('a limit of nothing shows what is answered', () => {
    expect(windowOf(lines(5), 2, 0).lines.map(({ id }) => id)).toEqual([4, 5])
  })

  it('a long line is shortened, and says so', () => {
    const { lines: shown, cut } = windowOf([line(1, 'x'.repeat(5_000)), line(2)], 1, 20)
    expect(shown[0]?.text.length).toBeLessThanOrEqual(CONTEXT_LINE_CHARACTERS)
    expect(shown[0]?.text).toMatch(/characters left out\]$/)
    expect(cut).toBe(1)
  })

  it('a result that was asked for is shown whole', () => {
    const result = { ...line(2, 'r'.repeat(RESULT_CHARACTERS)), kind: 'result', new: true }
    expect(windowOf([line(1), result], 1, 20).lines.at(-1)?.text).toHaveLength(RESULT_CHARACTERS)
    const old = { ...line(1, 'r'.repeat(RESULT_CHARACTERS)), kind: 'result', new: false }
    expect(windowOf([old, line(2)], 1, 20).lines[0]?.text.length).toBeLessThanOrEqual(CONTEXT_LINE_CHARACTERS)
  })

  it('law: at most the lines and characters there are, newest last, all that is answered is there', () => {
    const anyLine = fc.record({
      text: fc.oneof(
        fc.string({ minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 20_000 }).map((length) => '😀'.repeat(length / 2 + 1)),
      ),
      kind: fc.constantFrom('person', 'result'),
    })
    fc.assert(
      fc.property(
        fc.array(anyLine, { maxLength: 60 }),
        fc.nat(CONTEXT_LINES),
        fc.nat(CONTEXT_LINES),
        (given, fresh, historyLimit) => {
          const answered = Math.min(fresh, given.length)
          const all = given.map((one, id) => ({ ...one, id, new: id >= given.length - answered }))
          const { lines: shown, cut } = windowOf(all, answered, historyLimit)
          const ids = shown.map(({ id }) => id)
          expect(ids).toEqual(all.slice(all.length - shown.length).map(({ id }) => id))
          expect(shown.length).toBeLessThanOrEqual(CONTEXT_LINES)
          expect(shown.length).toBeGreaterThanOrEqual(answered)
          expect(shown.length - answered).toBeLessThanOrEqual(historyLimit)
          expect(shown.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(
            CONTEXT_CHARACTERS,
          )
          expect(cut).toBeGreaterThanOrEqual(all.length - shown.length)
          for (const { text } of shown) expect(Buffer.from(text).toString() === text).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })
})
