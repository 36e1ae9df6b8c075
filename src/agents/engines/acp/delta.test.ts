import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildPrompt } from '../../prompt/prompt.js'
import { line, talk } from './acp.fixture.js'
import { freshRecord, withAnswer } from './book.js'
import { deltaPrompt, shown, wholePrompt } from './delta.js'

const fresh = () => freshRecord({ session: 's', context: 'c', cwd: '/w', program: 'p', at: 0 })

describe('what a session is told', () => {
  test('of a property: nothing that it has not seen is left out, nothing that it has seen is repeated', () => {
    const text = fc
      .string({ unit: fc.constantFrom('a', 'b', '\n', '>', '[', '-', ' ', '好') })
      .map((it) => `x${it}`)
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), fc.nat({ max: 6 }), text, (texts, known, question) => {
        const lines = texts.map((it) => line(it))
        const seen = lines.slice(0, known)
        const record = {
          ...shown(fresh(), talk(seen.slice(0, -1), seen.at(-1) ?? line('first')), 1),
          proven: true,
        }
        const input = talk(lines, line(question))
        const prompt = deltaPrompt(input, record, [])
        const kept = prompt.split('\n').filter((each) => each.startsWith('> [')).length
        expect(kept).toBe(Math.max(0, lines.length - known) + 1)
        expect(prompt).toContain(`> [Ann] ${question.split('\n')[0]}`)
      }),
    )
  })

  test('parts that changed are shown, parts that are gone are named, the rest is left out', () => {
    const blocks = {
      'About this room': 'A room',
      'Standing instructions of this room': 'Be kind.',
      'Group memory': 'old',
    }
    const record = { ...shown(fresh(), talk([], line('one'), {}, blocks), 1), proven: true }
    const later = { 'About this room': 'A room', 'Group memory': 'new' }
    const prompt = deltaPrompt(talk([], line('two'), {}, later), record, ['| Own rule'])
    expect(prompt).not.toContain('A room')
    expect(prompt).toContain('--- Group memory ---\n| new')
    expect(prompt).toContain('[System: These parts hold no more: Standing instructions of this room.]')
    expect(prompt).toContain('| Own rule')
    expect(prompt).toContain('> [Ann] two')
  })

  test('an edited line is shown again, and its own answers are known', () => {
    const first = line('before')
    const answer = line('It is done.', { kind: 'agent', author: { id: 'Golem', name: 'Golem' } })
    const record = { ...withAnswer(shown(fresh(), talk([], first), 1), 'It is done.'), proven: true }
    const prompt = deltaPrompt(talk([{ ...first, text: 'after' }, answer], line('next')), record, [])
    expect(prompt).toContain('> [Ann] after')
    expect(prompt).not.toContain('It is done.')
  })

  test('lines and messages that do not match: everything is told', () => {
    const record = { ...shown(fresh(), talk([], line('one')), 1), proven: true }
    const input = talk([line('a'), line('b')], line('two'))
    const odd = { ...input, messages: input.messages.slice(1) }
    expect(deltaPrompt(odd, record, [])).toBe(wholePrompt(odd, []))
  })

  test('the rules stand behind the frame’s own, in a prompt as turns have it', () => {
    const prompt = buildPrompt({
      agent: { name: 'Golem', role: 'helper' },
      turn: {
        kind: 'message',
        chatKey: 'local:room',
        chat: { kind: 'group', title: 'Room' },
        addressed: true,
        ask: null,
        cut: 0,
      },
      lines: [
        {
          message: 1,
          native: 'a',
          author: { id: 'u', name: 'Ann' },
          kind: 'person',
          text: 'before',
          at: 0,
          new: false,
        },
        {
          message: 2,
          native: 'b',
          author: { id: 'u', name: 'Ann' },
          kind: 'person',
          text: 'now',
          at: 0,
          new: true,
        },
      ],
      settings: { groupPolicy: 'mention-only', bulletin: 'Be kind.', description: null },
      teammates: [{ name: 'Reviewer', role: 'reviews' }],
      mayAsk: true,
      skills: [],
      memory: { path: '/w/m.md', text: 'a fact' },
      files: [],
      missing: [],
      cwd: '/w',
      now: 0,
      again: null,
    })
    const input = { ...talk([line('before', { id: 'a' })], line('now', { id: 'b' })), prompt }
    const whole = wholePrompt(input, []).split('\n')
    expect(whole.filter((each) => prompt.split('\n').includes(each))).toEqual(prompt.split('\n'))
    expect(whole[2]).toContain('Only your last message')
    const record = { ...shown(fresh(), input, 1), proven: true }
    const delta = deltaPrompt(input, record, [])
    for (const gone of ['Be kind.', 'a fact', 'reviews', '> [Ann] before']) expect(delta).not.toContain(gone)
    expect(delta).toContain('> [Ann] now')
  })
})
