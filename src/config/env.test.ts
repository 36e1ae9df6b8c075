// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expand, maskReferences, unmaskReferences } from './env.js'

describe('expand', () => {
  const env = { A: 'one', B: 'two', EMPTY: '', TRICK: '${A} $& $1' }

  it.each([
    ['${A}', 'one'],
    ['x-${A}-${B}.', 'x-one-two.'],
    ['${MISSING:-default}', 'default'],
    ['${EMPTY:-default}', 'default'],
    ['${A:-default}', 'one'],
    ['${MISSING:-}', ''],
    ['$${A}', '${A}'],
    ['$$${A}', '$${A}'],
    ['$A $ {A} $', '$A $ {A} $'],
  ])('%s', (written, text) => {
    expect(expand(written, env)).toMatchObject({ text, bad: [] })
  })

  it('takes a value as it is: nothing in it is a reference again', () => {
    expect(expand('${TRICK}', env).text).toBe('${A} $& $1')
  })

  it.each(['${MISSING}', '${EMPTY}', '${}', '${1A}', '${A B}', '${A', '${A:default}', '${constructor}'])(
    '%s is refused',
    (written) => {
      expect(expand(written, env).bad).toHaveLength(1)
    },
  )

  it('says which variables it used, and where each bad reference starts', () => {
    const made = expand('${A} ${X} ${B:-b} ${Y}', env)
    expect(made.used).toEqual([
      { name: 'A', value: 'one' },
      { name: 'B', value: 'two' },
    ])
    expect(made.bad.map((bad) => bad.index)).toEqual([5, 18])
  })

  it('leaves a text without references alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('${'))
        expect(expand(text, {}).text).toBe(text)
      }),
    )
  })
})

describe('masking', () => {
  it('keeps every offset and gives the text back', () => {
    const text = fc.string({
      unit: fc.constantFrom('$', '{', '}', ',', '#', '[', ']', 'A', ':-', ' ', '\n', '界'),
    })
    fc.assert(
      fc.property(text, (source) => {
        const masked = maskReferences(source)
        expect(masked).toHaveLength(source.length)
        expect(unmaskReferences(masked)).toBe(source)
      }),
    )
  })
})
