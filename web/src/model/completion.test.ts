import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { complete, keyAction, queryAt, suggest } from './completion.js'
import { indexOf, type Nameable, nameables, nativeMentions, pieces } from './mentions.js'

const NAMES: readonly Nameable[] = nameables(
  ['Golem', 'Team Bot', 'Team Bot 2', '助手'],
  [
    { id: 'alice', name: 'Alice' },
    { id: 'gerd', name: 'Gerd Großmann' },
  ],
)
/** `|` is the caret. */
function ask(marked: string) {
  const caret = marked.indexOf('|')
  const text = marked.replace('|', '')
  const query = queryAt(text, caret)
  return { text, caret, query, found: query === null ? [] : suggest(query, NAMES).map((one) => one.name) }
}

describe('completing a name', () => {
  it('offers everybody after a bare @, agents first', () => {
    expect(ask('@|').found).toEqual([
      'Golem',
      'Team Bot',
      'Team Bot 2',
      '助手',
      'Alice',
      'Gerd Großmann',
      'everyone',
    ])
  })

  it('finds by beginning, by a later word and by what stands inside, in this order', () => {
    expect(ask('hi @g|').found).toEqual(['Golem', 'Gerd Großmann'])
    expect(ask('@bo|').found).toEqual(['Team Bot', 'Team Bot 2'])
    expect(ask('@lic|').found).toEqual(['Alice'])
  })

  it('folds case as the daemon does', () => {
    expect(ask('@GERD GROSS|').found).toEqual(['Gerd Großmann'])
    expect(ask('@TEAM b|').found).toEqual(['Team Bot', 'Team Bot 2'])
  })

  it('starts directly after Chinese text, and completes Chinese names', () => {
    expect(ask('交给@助|').found).toEqual(['助手'])
  })

  it('completes nothing where no mention may stand', () => {
    for (const text of [
      'mail me@g|',
      'a/@g|',
      '`@g|',
      '> @g|',
      '@g\n|',
      'https://x.io/@g|',
      '@Alice and then|',
    ]) {
      expect(ask(text).found, text).toEqual([])
    }
  })

  it('is not misled by a code span that opens behind the caret', () => {
    expect(ask('@go| and `code').found).toEqual(['Golem'])
  })

  it('puts the name in with one blank after it', () => {
    const put = (marked: string, name: string) => {
      const { text, caret, query } = ask(marked)
      if (query === null) throw new Error(`nothing to complete in ${marked}`)
      const done = complete(text, caret, query, name)
      return `${done.text.slice(0, done.caret)}|${done.text.slice(done.caret)}`
    }
    expect(put('hi @go|', 'Golem')).toBe('hi @Golem |')
    expect(put('hi @go| there', 'Golem')).toBe('hi @Golem |there')
    expect(put('交给@助|处理', '助手')).toBe('交给@助手 |处理')
  })

  it('always makes a mention that the rule reads as exactly that name', () => {
    const index = indexOf(NAMES)
    const around = fc.constantFrom('', ' ', 'hi ', '你好', '(', 'x y', '2', '手', '-', ' Bot', "'s")
    fc.assert(
      fc.property(around, fc.constantFrom(...NAMES), around, (before, name, after) => {
        const text = `${before}@`
        const query = queryAt(text, text.length)
        if (query === null) return
        const done = complete(text + after, text.length, query, name.name)
        const named = pieces(done.text, index, true).flatMap((piece) => piece.of?.name ?? [])
        // A name followed by the rest of a longer one is that longer one: "Team Bot" + " 2".
        expect(named[0]?.startsWith(name.name)).toBe(true)
      }),
    )
  })
})

describe('keys in the compose box', () => {
  const key = (name: string, change: Partial<Parameters<typeof keyAction>[0]> = {}) => ({
    key: name,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isComposing: false,
    keyCode: 13,
    ...change,
  })

  it('walk and choose while the list is open', () => {
    expect(
      ['ArrowDown', 'ArrowUp', 'Enter', 'Tab', 'Escape', 'a'].map((name) => keyAction(key(name), true)),
    ).toEqual(['next', 'previous', 'choose', 'choose', 'close', 'none'])
  })

  it('send with Enter, break the line with Shift+Enter, and leave Tab alone', () => {
    expect(keyAction(key('Enter'), false)).toBe('send')
    expect(keyAction(key('Enter', { shiftKey: true }), false)).toBe('none')
    expect(keyAction(key('Enter', { shiftKey: true }), true)).toBe('none')
    expect(keyAction(key('Tab'), false)).toBe('none')
    expect(keyAction(key('Enter', { metaKey: true }), false)).toBe('send')
  })

  it("never take an input method's Enter", () => {
    for (const open of [true, false]) {
      expect(keyAction(key('Enter', { isComposing: true }), open)).toBe('none')
      expect(keyAction(key('Enter', { keyCode: 229 }), open)).toBe('none')
      expect(keyAction(key('Tab', { isComposing: true }), open)).toBe('none')
    }
  })
})

describe('mentions in a text', () => {
  const index = indexOf(NAMES)

  it('come in pieces that join to the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('@', 'Golem', ' ', '`', '>', '\n', 'Alice', '助手', 'x') }),
        (text) => {
          for (const markdown of [true, false]) {
            expect(
              pieces(text, index, markdown)
                .map((piece) => piece.text)
                .join(''),
            ).toBe(text)
          }
        },
      ),
    )
  })

  it('are none inside code and quotes', () => {
    expect(pieces('`@Golem` @Golem', index, true).flatMap((piece) => (piece.of ? piece.start : []))).toEqual([
      9,
    ])
  })

  it('name people by id for the daemon, agents by text alone', () => {
    expect(nativeMentions('@Golem ask @alice and @Alice', index)).toEqual([{ id: 'alice', name: 'Alice' }])
  })
})
