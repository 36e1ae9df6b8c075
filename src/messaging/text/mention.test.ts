import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskText } from './mask.js'
import {
  type Candidate,
  EVERYONE,
  findMentions,
  isEveryone,
  isMentionBoundary,
  isNameContinuation,
  NameIndex,
} from './mention.js'

interface Row {
  id: string
  mechanism: string
  input: { text: string; at: number; rest: string; roster: string }
  expected: unknown
  note?: string
}
interface Rooms {
  fixtures: Record<string, (Candidate & { hidden?: boolean })[]>
  vectors: Row[]
}
const rooms = JSON.parse(
  readFileSync(new URL('../../../tests/fixtures/rooms-vectors.json', import.meta.url), 'utf8'),
) as Rooms
const rows = (mechanism: string) => rooms.vectors.filter((row) => row.mechanism === mechanism)

const named = (text: string, names: readonly string[], cjkNames: 'strict' | 'longest' = 'strict') =>
  findMentions(
    text,
    names.map((name) => ({ name })),
    { masked: maskText(text), cjkNames },
  ).mentions.map((mention) => mention.candidate.name)
const missed = (text: string, names: readonly string[]) =>
  findMentions(
    text,
    names.map((name) => ({ name })),
    { masked: maskText(text) },
  ).nearMisses.map((miss) => `${miss.kind} ${miss.name}`)

describe('vectors', () => {
  it.each(rows('mention.boundary'))('$id $input.text', ({ input, expected }) => {
    expect(isMentionBoundary(input.text, input.at)).toBe(expected)
  })
  it.each(rows('mention.continuation'))('$id $input.rest', ({ input, expected }) => {
    expect(isNameContinuation('Otto', input.rest)).toBe(expected)
  })
  it.each(rows('mention.resolve'))('$id $input.text', ({ input, expected }) => {
    const roster = (rooms.fixtures[input.roster] ?? []).filter((agent) => !agent.hidden)
    const found = findMentions(input.text, roster, { masked: maskText(input.text) })
    expect([...new Set(found.mentions.map((mention) => mention.candidate.name))]).toEqual(expected)
  })
  it.each(rows('mention.everyone'))('$id $input.text', ({ input, expected }) => {
    expect(isEveryone(input.text, maskText(input.text))).toBe(expected)
  })
})

describe('where a mention starts', () => {
  it.each([
    ['at the start', '@Otto', true],
    ['after an opening mark', '（@Otto）「@Otto」“@Otto”', true],
    ['after a CJK character', '交给@Otto', true],
    ['after Hangul', '안녕@Otto', true],
    ['after CJK punctuation', '好的，@Otto', true],
    ['after a closing CJK quote', '他说“好”@Otto', true],
    ['after an invisible direction mark', '\u200f@Otto', true],
    ['after nested emphasis', '**_@Otto_**', true],
    ['after a letter', 'x@Otto', false],
    ['after an accented letter', 'é@Otto', false],
    ['after a full-width letter', 'Ａ@Otto', false],
    ['after a Cyrillic letter', 'д@Otto', false],
    ['after a digit', '1@Otto', false],
    ['after a hyphen', '-@Otto', false],
    ['after an underscore that belongs to a word', 'snake_@Otto', false],
    ['after a full-width at', '＠@Otto', false],
  ])('%s', (_, text, expected) => {
    expect(named(text, ['Otto']).length > 0).toBe(expected)
  })
})

describe('where a name ends', () => {
  it.each([
    ['a change of script ends it', '@dev你好', 'dev'],
    ['kana after Han ends it', '@田中さん', '田中'],
    ['Cyrillic after Latin ends it', '@devпривет', 'dev'],
    ['Han after a trailing digit ends it', '@Team Bot 2你好', 'Team Bot 2'],
    ['an apostrophe ends it', "@Otto's turn", 'Otto'],
    ['a typographic apostrophe ends it', '@Otto’s turn', 'Otto'],
    ['emphasis ends it', '_@Otto_', 'Otto'],
    ['an emoji ends it', '@Otto🙂', 'Otto'],
    ['a full stop ends it', '@Otto.', 'Otto'],
    ['an ellipsis ends it', '@Otto...well', 'Otto'],
    ['a dash of two hyphens ends it', '@Otto--now', 'Otto'],
    ['a colon ends it', '@Otto:help', 'Otto'],
    ['a full-width comma ends it', '@Otto，帮我看看', 'Otto'],
  ])('%s', (_, text, name) => {
    expect(named(text, [name])).toEqual([name])
  })
  it.each([
    ['@Juniper2', 'Juniper', 'continues'],
    ['@調査担当者', '調査担当', 'cjk'],
    ['@助手二号', '助手', 'cjk'],
    ['@mybot-dev', 'mybot', 'continues'],
    ['@bob.smith', 'bob', 'continues'],
    ['@bob_smith', 'bob', 'continues'],
    ['@bob__smith', 'bob', 'continues'],
    ['@アリスー', 'アリス', 'cjk'],
    ['@约翰·史密斯', '约翰', 'continues'],
    ['@Otto\u0301', 'Otto', undefined],
  ])('%s does not name %s', (text, name, kind) => {
    expect(named(text, [name])).toEqual([])
    if (kind) expect(missed(text, [name])).toEqual([`${kind} ${name}`])
  })
})

describe('faults seen elsewhere', () => {
  it.each([
    ['any-agent-mention-boundaries 1', '@dev你好', ['dev']],
    ['any-agent-mention-boundaries 2', '交给@Scout处理', ['Scout']],
    ['any-agent-mention-boundaries 3', '@developer 看下', ['developer']],
    ['any-agent-mention-boundaries 4', '@devops help', []],
    ['any-agent-mention-boundaries 5', 'mail dev@scout.example', []],
  ])('%s', (_, text, expected) => {
    expect(named(text, ['dev', 'developer', 'Scout'])).toEqual(expected)
  })
  it.each([
    ['a longer CJK name is not the shorter one', '@小助手二号 你好', ['小助手'], []],
    ['a domain is no mention', 'alice@mybot.com', ['mybot'], []],
    ['a suffix makes another name', '@mybot-plus', ['mybot'], []],
    ['a file name is no mention', '@mybot.dev', ['mybot'], []],
    ['an accented letter goes on', '@botélia', ['bot'], []],
    ['code is no mention', '`@mybot`', ['mybot'], []],
    ['a full-width at is an at', '＠mybot hi', ['mybot'], ['mybot']],
    ['a name before kana resolves', '@さくら、お願い', ['さくら'], ['さくら']],
    ['a Chinese name before Chinese text is a near miss', '@张三你来处理', ['张三'], []],
    ['a name with a blank resolves', 'ask @John Smith to review', ['John Smith', 'John'], ['John Smith']],
    ['an accented name resolves', '@José hola', ['José'], ['José']],
    ['a Cyrillic name resolves', '@Иван, привет', ['Иван'], ['Иван']],
    ['a hyphenated name resolves', '@o-neil ok', ['o-neil'], ['o-neil']],
    ['an address pings nobody', 'write to x@alice.com', ['alice'], []],
    ['a decorator in code pings nobody', '`@alice` is a decorator', ['alice'], []],
    ['overlapping names ping the right ones', '@al and @alice', ['al', 'alice'], ['al', 'alice']],
    ['a scoped package in code pings nobody', 'run `npm i @acme/cli`', ['acme'], []],
    ['a profile URL pings nobody', 'read https://git.example/@alice/x and @alice', ['alice'], ['alice']],
    ['a repository address pings nobody', 'git clone git@github.com:a/b.git', ['github', 'github.com'], []],
    [
      'the longest name with a blank wins',
      '@Support Bot, cc @Support',
      ['Support', 'Support Bot'],
      ['Support Bot', 'Support'],
    ],
  ])('%s', (_, text, names, expected) => {
    expect(named(text, names)).toEqual(expected)
  })
})

describe('names', () => {
  it('longest mode takes the longest known name before CJK text', () => {
    expect(named('@小助手帮我查天气', ['小助手', '小助手二号'], 'longest')).toEqual(['小助手'])
    expect(named('@小助手二号帮我', ['小助手', '小助手二号'], 'longest')).toEqual(['小助手二号'])
    expect(named('@助手2', ['助手'], 'longest')).toEqual([])
  })
  it('folds case over the whole of Unicode', () => {
    expect(named('@STRASSE', ['Straße'])).toEqual(['Straße'])
    expect(named('@STRAẞE', ['strasse'])).toEqual(['strasse'])
    expect(named('@ΟΔΟΣ!', ['οδος'])).toEqual(['οδος'])
  })
  it('refers to the text as written when normalisation changes its length', () => {
    const text = '請 @José, hola'.normalize('NFD')
    const [mention] = findMentions(text, [{ name: 'José' }]).mentions
    expect(text.slice(mention?.start, mention?.end)).toBe('@José'.normalize('NFD'))
    const hangul = '@지은 '.normalize('NFD')
    expect(findMentions(hangul, [{ name: '지은' }]).mentions[0]?.end).toBe(hangul.length - 1)
  })
  it('treats names as data', () => {
    expect(named('@a.*(b hi', ['a.*(b', '.*'])).toEqual(['a.*(b'])
    expect(named('@C++ hi', ['C++', 'C'])).toEqual(['C++'])
  })
  it('finds aliases, ignores blank names, and refuses a name that two have', () => {
    const a = { name: 'Alice', aliases: ['al', 'alice'] }
    const b = { name: 'Bob', aliases: ['AL', ' '] }
    expect(findMentions('@alice', [a, b]).mentions[0]?.candidate).toBe(a)
    const both = findMentions('@al hi', [a, b])
    expect(both.mentions).toEqual([])
    expect(both.nearMisses[0]).toMatchObject({ kind: 'ambiguous', start: 0, end: 3 })
  })
  it('says what a mention in code, or one glued to a comma, would have needed', () => {
    expect(missed('`@Otto`', ['Otto'])).toEqual(['masked Otto'])
    expect(missed('ok,@Otto', ['Otto'])).toEqual(['boundary Otto'])
    expect(missed('mail bob@Otto.example', ['Otto'])).toEqual([])
  })
  it('an agent whose name begins like the call for everyone keeps its name', () => {
    const stars = { name: 'All Stars' }
    expect(findMentions('@All Stars hi', [stars, EVERYONE]).mentions[0]?.candidate).toBe(stars)
    expect(isEveryone('@所有人 开会')).toBe(true)
    expect(isEveryone('@everyone你好')).toBe(true)
    expect(isEveryone('`@all`', maskText('`@all`'))).toBe(false)
  })
})

describe('laws', () => {
  const name = fc.constantFrom('Otto', 'Team Bot', 'Team Bot 2', '張三', 'José', 'bob.smith', 'さくら', 'ßa')
  const glue = fc.constantFrom(
    ' ',
    '，',
    '@',
    '_',
    '-',
    '.',
    'x',
    '2',
    '張',
    'さ',
    '\u0301',
    '`',
    '\n',
    '/',
    '😀',
    '＠',
  )
  const text = fc
    .array(
      fc.oneof(
        name,
        name.map((n) => `@${n}`),
        glue,
      ),
      { maxLength: 24 },
    )
    .map((parts) => parts.join(''))

  it('removing what was found leaves nothing to find at those places, and spans are in order', () => {
    fc.assert(
      fc.property(text, fc.array(name, { minLength: 1 }), (value, names) => {
        const candidates = [...new Set(names)].map((n) => ({ name: n }))
        const { mentions } = findMentions(value, candidates)
        let last = 0
        let rest = value
        for (const mention of mentions) {
          expect(mention.start).toBeGreaterThanOrEqual(last)
          expect('@＠').toContain(value[mention.start])
          last = mention.end
        }
        for (const mention of mentions.toReversed()) {
          rest = `${rest.slice(0, mention.start)}\uFFFC${rest.slice(mention.end)}`
        }
        expect(findMentions(rest, candidates).mentions).toEqual([])
      }),
    )
  })
  it('a longer known name always wins', () => {
    fc.assert(
      fc.property(name, fc.constantFrom('2', ' X', '-b', '.c'), (short, more) => {
        const candidates = [{ name: short }, { name: short + more }]
        expect(findMentions(`@${short}${more}!`, candidates).mentions[0]?.candidate).toBe(candidates[1])
      }),
    )
  })
  it('an e-mail address never mentions', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9][a-z0-9._%+'-]{0,12}$/), label, label, (local, host, top) => {
        const value = `${local}@${host}.${top}`
        const names = [host, top, `${host}.${top}`, value]
        expect(named(value, names)).toEqual([])
        expect(named(`mail (${value}), please`, names)).toEqual([])
        expect(named(`发给${value}。`, names)).toEqual([])
      }),
    )
  })
  it('a form of Unicode never decides', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('NFC', 'NFD'), (value, form) => {
        const candidates = ['Otto', 'José', 'Team Bot', '張三'].map((n) => ({ name: n }))
        const seen = (t: string) => findMentions(t, candidates).mentions.map((m) => m.candidate.name)
        expect(seen(value.normalize(form))).toEqual(seen(value.normalize('NFC')))
      }),
    )
  })
})

describe('speed', () => {
  const index = new NameIndex([
    ...Array.from({ length: 5000 }, (_, i) => ({ name: `a${'b'.repeat(i % 60)}${i}` })),
    { name: 'Otto' },
  ])
  it.each([
    ['ats', '@'.repeat(100_000)],
    ['ats apart', ' @a'.repeat(33_000)],
    ['half names', ' @abbbbbbbbbbbbbbbb'.repeat(6000)],
    ['wide ats', '＠'.repeat(100_000)],
    ['underscores', '_'.repeat(50_000) + '@Otto'.repeat(10_000)],
    ['marks', `@a${'\u0301\u0316'.repeat(50_000)}`],
    ['joiners', ` @Otto${'\u200d'.repeat(100)}`.repeat(1000)],
  ])('hostile %s are fast', (_, text) => {
    const start = process.cpuUsage()
    findMentions(text, index, { masked: maskText(text) })
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1500)
  })
})
