import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { choices, optionFor, questionOf, ruleFor } from './permission.js'
import { readPermission } from './wire.js'

const option = (optionId: string, kind: string, name = optionId) => ({ optionId, kind, name })
const asked = (toolCall: object) =>
  readPermission({ sessionId: 's', toolCall: { toolCallId: 't', ...toolCall }, options: [] }).toolCall
const ALL = [
  option('a+', 'allow_always'),
  option('a', 'allow_once'),
  option('r', 'reject_once'),
  option('r+', 'reject_always'),
]

describe('rules', () => {
  it('tell kinds apart; what nobody knows is other', () => {
    const permissions = { read: 'allow', edit: 'ask', execute: 'deny', fetch: 'ask', other: 'deny' } as const
    const kinds = [
      'read',
      'search',
      'edit',
      'delete',
      'move',
      'execute',
      'fetch',
      'think',
      'switch_mode',
      undefined,
    ]
    expect(kinds.map((kind) => ruleFor(permissions, kind))).toEqual([
      ...['allow', 'allow', 'ask', 'ask', 'ask', 'deny', 'ask', 'deny', 'deny', 'deny'],
    ])
    expect(ruleFor('allow', 'execute')).toBe('allow')
  })

  it('choose the option for this once', () => {
    expect(optionFor(ALL, true)).toEqual({ outcome: 'selected', optionId: 'a' })
    expect(optionFor(ALL, false)).toEqual({ outcome: 'selected', optionId: 'r' })
    expect(optionFor([option('a+', 'allow_always')], true)).toMatchObject({ optionId: 'a+' })
    expect(optionFor([option('a', 'allow_once')], false)).toEqual({ outcome: 'cancelled' })
    // Nobody knows what the agent would take it for.
    const both = [option('x', 'allow_always'), option('x', 'reject_once')]
    expect(optionFor(both, false)).toEqual({ outcome: 'cancelled' })
    expect(choices(both)).toEqual([])
  })
})

describe('choices', () => {
  it('leave out what holds for ever, where there is something for this once', () => {
    expect(choices(ALL).map(({ id }) => id)).toEqual(['a', 'r'])
    expect(choices([option('a+', 'allow_always'), option('r', 'reject_once')]).map(({ id }) => id)).toEqual([
      'a+',
      'r',
    ])
  })

  it('whatever the agent sends: few, short, named, told apart, and what refuses is marked', () => {
    const kind = fc.constantFrom('allow_once', 'allow_always', 'reject_once', 'reject_always', '', 'new_kind')
    fc.assert(
      fc.property(
        fc.array(fc.record({ optionId: fc.string(), name: fc.string({ unit: 'binary' }), kind }), {
          maxLength: 20,
        }),
        (options) => {
          const made = choices(options)
          expect(made.length).toBeLessThanOrEqual(8)
          expect(new Set(made.map(({ id }) => id)).size).toBe(made.length)
          for (const { id, label, deny = false } of made) {
            expect([...label].length).toBeLessThanOrEqual(40)
            expect(label.trim()).not.toBe('')
            expect(options.find(({ optionId }) => optionId === id)?.kind.startsWith('reject')).toBe(deny)
          }
        },
      ),
    )
  })
})

describe('a question', () => {
  it('shows the command, the files and their new contents, each once', () => {
    const run = asked({ kind: 'execute', title: 'List', rawInput: { command: ['ls', '-l'] } })
    expect(questionOf(run, ALL, 'en')?.text).toBe('**Run a command**\n```\nList\n```\n```\nls -l\n```')
    const edit = asked({
      kind: 'edit',
      title: 'Write a.txt',
      content: [{ type: 'diff', path: '/w/a.txt', newText: 'new ```words```' }],
      locations: [{ path: '/w/a.txt' }],
    })
    expect(questionOf(edit, ALL, 'zh')?.text).toBe(
      '**修改文件**\n```\nWrite a.txt\n```\n````\n/w/a.txt:\nnew ```words```\n````',
    )
    expect(questionOf(run, [], 'en')).toBeNull()
  })

  it('is bounded, says what it leaves out, and nothing in it ends its code', () => {
    const words = fc.string({ unit: fc.constantFrom('`', 'a', '\n', '~', '#', '好'), maxLength: 3_000 })
    fc.assert(
      fc.property(words, words, (title, command) => {
        const text =
          questionOf(asked({ title, kind: 'execute', rawInput: { command } }), ALL, 'en')?.text ?? ''
        expect(text.length).toBeLessThanOrEqual(2_000)
        if (title.trim().length + command.trim().length > 2_000)
          expect(text).toContain('(the rest is left out)')
        let fence: string | null = null
        for (const line of text.split('\n')) {
          const run = /^(`{3,})\s*$/.exec(line)?.[1] ?? ''
          if (fence === null && run !== '') fence = run
          else if (fence !== null && run.length >= fence.length) fence = null
        }
        expect(fence).toBeNull()
      }),
    )
  })

  it('has the same subject for the same action, whichever call it is', () => {
    const subject = (toolCallId: string, command: string) =>
      questionOf(asked({ toolCallId, kind: 'execute', rawInput: { command } }), ALL, 'en')?.subject
    expect(subject('1', 'ls')).toBe(subject('2', 'ls'))
    expect(subject('1', 'ls')).not.toBe(subject('1', 'rm'))
  })
})
