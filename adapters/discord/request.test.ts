import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyOf, buttonsOf, nonceOf, quoting } from './request.js'

describe('a nonce', () => {
  it('is short enough, the same for a key, and another for another', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 36 }), fc.string({ maxLength: 36 }), (one, other) => {
        expect(nonceOf(one)).toMatch(/^[\w-]{25}$/)
        expect(nonceOf(one) === nonceOf(other)).toBe(one === other)
      }),
    )
  })
})

describe('a body', () => {
  it('pings those who were resolved, whatever the part’s own body says', () => {
    const body = { content: 'hi <@1> <@2>', allowed_mentions: { parse: ['everyone'], users: ['9'] } }
    expect(bodyOf({ text: 'hi', body, mentions: ['1'] })).toMatchObject({
      allowed_mentions: { parse: [], users: ['1'], replied_user: false },
    })
  })

  it('is the text where the codec made none, and nothing where there is nothing', () => {
    expect(bodyOf({ text: 'plain', body: { text: 'x' }, mentions: [] }).content).toBe('plain')
    expect(() => bodyOf({ text: ' ', body: {}, mentions: [] })).toThrow(/no text/)
  })

  it('quotes without failing when the quoted message is gone', () => {
    expect(quoting('5', false, { allowed_mentions: { parse: [] } })).toEqual({
      message_reference: { message_id: '5', fail_if_not_exists: false },
      allowed_mentions: { parse: [], replied_user: true },
    })
    expect(quoting(undefined, false, {})).toEqual({})
  })
})

describe('buttons', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ label: `b${at}`, value: `v${at}` }))

  it('stand five in a row', () => {
    expect(buttonsOf(many(7)).map((row) => (row.components as unknown[]).length)).toEqual([5, 2])
    expect(buttonsOf()).toEqual([])
    expect(() => buttonsOf(many(26))).toThrow(/at most 25/)
  })

  it('have a label of some length and a value that is not cut', () => {
    const [row] = buttonsOf([{ label: 'x\n'.repeat(200), value: 'v'.repeat(100), style: 'danger' }])
    const [button] = (row?.components ?? []) as { label: string; style: number }[]
    expect(button?.label.length).toBeLessThanOrEqual(80)
    expect(button?.style).toBe(4)
    expect(() => buttonsOf([{ label: 'x', value: 'v'.repeat(101) }])).toThrow(/100/)
  })
})
