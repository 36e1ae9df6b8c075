/**
 * What is told to some stays with them. Two worlds that differ in one secret only, of an audience that does not hold
 * everybody who reads along elsewhere, look the same elsewhere: the same prompt, byte for byte, and the same results of
 * every tool. And it is shown that the test would see it if a wall were gone.
 */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { type Breach, type Happening, OUTSIDER, type Spot, World } from './support/walls.js'

const wall = vi.hoisted(() => ({ open: false }))
vi.mock('../src/messaging/facts.js', async (real) => {
  const facts = await real<typeof import('../src/messaging/facts.js')>()
  return {
    ...facts,
    mayShow: (...args: Parameters<typeof facts.mayShow>) => wall.open || facts.mayShow(...args),
  }
})

const PEOPLE = ['ann', 'bob', 'carl', OUTSIDER]
const GROUPS: Spot[] = ['local', 'slack', 'slack.two'].flatMap((connection) =>
  ['red', 'blue'].map((chat) => ({ connection, chat })),
)
const DIRECT: Spot[] = ['local', 'slack'].flatMap((connection) =>
  ['ann', 'bob'].map((who) => ({ connection, chat: `d-${who}`, with: who })),
)
const SPOTS = [...GROUPS, ...DIRECT]
const WORDS = ['walrus', '会議', 'plan', '版本发布', 'tea at four']

const spot = fc.constantFrom(...SPOTS)
const who = fc.constantFrom(...PEOPLE)
const text = fc
  .array(fc.constantFrom(...WORDS, 'the', 'of', '明日'), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(' '))
const kinds = fc.constantFrom(
  'say',
  'say',
  'fact',
  'fact',
  'file',
  'add',
  'workspace',
  'forget',
  'new',
  'title',
  'listed',
  'leaves',
)
const happening: fc.Arbitrary<Happening> = fc
  .record({ do: kinds, at: spot, who, text, addressed: fc.boolean() })
  .map(({ do: what, at, who: by, text: words, addressed }) => ({
    do: what,
    at,
    who: by,
    text: what === 'say' && addressed ? `@Golem ${words}` : words,
  }))

const secretKinds = fc.constantFrom<Happening['do']>('say', 'fact', 'file', 'add', 'title')

interface Story {
  before: Happening[]
  after: Happening[]
  /** The secret's own happening, without its words. */
  secret: { do: Happening['do']; at: Spot; who: string }
  words: [string, string]
  from: Spot
  who: string
}

const story: fc.Arbitrary<Story> = fc
  .record({
    before: fc.array(happening, { maxLength: 8 }),
    after: fc.array(happening, { maxLength: 6 }),
    secret: fc.record({ do: secretKinds, at: spot, who }),
    words: fc.tuple(text, text),
    from: spot,
    who,
  })
  // Everybody who reads along at the secret's own place may know it.
  .filter(({ secret, from }) => secret.at !== from)

/** The organisation's facts: looked at from where somebody is from outside, or from another account. */
const shared: fc.Arbitrary<Story> = fc
  .record({
    before: fc.array(happening, { maxLength: 6 }),
    after: fc.array(happening, { maxLength: 6 }),
    words: fc.tuple(text, text),
    from: fc.constantFrom(...GROUPS.filter(({ connection }) => connection !== 'slack.two')),
    elsewhere: fc.boolean(),
    who,
  })
  .map(({ elsewhere, before, after, from, ...rest }) => ({
    ...rest,
    from,
    before: elsewhere ? before : [...before, { do: 'say' as const, at: from, who: OUTSIDER, text: 'hello' }],
    after: [...after, { do: 'listed' as const, at: from, who: 'ann', text: '' }],
    secret: {
      do: 'workspace' as const,
      at: { connection: elsewhere ? 'slack.two' : from.connection, chat: 'hall' },
      who: 'ann',
    },
  }))

/** What is seen from one place of the world in which these words are the secret. */
async function seen(told: Story, words: string, breach: Breach): Promise<string> {
  const world = new World(breach)
  try {
    await world.live([...told.before, { ...told.secret, text: words }, ...told.after])
    return await world.look(told.from, told.who, WORDS)
  } finally {
    await world.close()
  }
}

function law(stories: fc.Arbitrary<Story>, breach: Breach = {}) {
  return fc.asyncProperty(stories, async (told) => {
    const [one, other] = [await seen(told, told.words[0], breach), await seen(told, told.words[1], breach)]
    expect(one).toBe(other)
  })
}

describe('the walls of memory', () => {
  it('a secret of another chat or person changes nothing', async () => {
    await fc.assert(law(story), { numRuns: 60 })
  }, 120_000)

  it('a secret of the organisation changes nothing where somebody else reads along', async () => {
    await fc.assert(law(shared), { numRuns: 25 })
  }, 120_000)

  it('the organisation’s facts are seen where everybody is of it: the test is not blind', async () => {
    const at = { connection: 'slack', chat: 'red' }
    const told = (words: string): Story => ({
      before: [{ do: 'say', at, who: 'bob', text: 'hello' }],
      after: [{ do: 'listed', at, who: 'ann', text: '' }],
      secret: { do: 'workspace', at: { connection: 'slack', chat: 'hall' }, who: 'ann' },
      words: [words, words],
      from: at,
      who: 'bob',
    })
    expect(await seen(told('walrus'), 'walrus', {})).toContain('of the organisation: walrus')
  })
})

describe('without one of them the test fails', () => {
  /** Not by an error of its own: because two worlds look different. */
  const broken = async (breach: Breach, stories = story): Promise<boolean> => {
    const found = await fc.check(law(stories, breach), { numRuns: 60, endOnFailure: true })
    return found.errorInstance instanceof Error && found.errorInstance.name === 'AssertionError'
  }

  it('facts', async () => {
    wall.open = true
    const sql = (text: string) =>
      text.replace(
        "(audience, key) IN (VALUES ('chat', ?), ('person', ?), ('connection', ''))",
        '(? || ?) IS NOT NULL',
      )
    try {
      expect(await broken({ sql })).toBe(true)
    } finally {
      wall.open = false
    }
  }, 120_000)

  it('facts of the organisation', async () => {
    wall.open = true
    try {
      expect(await broken({}, shared)).toBe(true)
    } finally {
      wall.open = false
    }
  }, 120_000)

  it('search', async () => {
    const sql = (text: string) => text.replace('MATCH ? AND m.conversation = ?', 'MATCH ? AND ? IS NOT NULL')
    expect(await broken({ sql })).toBe(true)
  }, 120_000)

  it('history', async () => {
    const sql = (text: string) =>
      text.replace('WHERE conversation = ? AND at < ?', 'WHERE ? IS NOT NULL AND at < ?')
    expect(await broken({ sql })).toBe(true)
  }, 120_000)

  it('context', async () => {
    const sql = (text: string) =>
      text.replace(
        'WHERE m.conversation = ? AND m.ctx IS NOT NULL',
        'WHERE ? IS NOT NULL AND m.ctx IS NOT NULL',
      )
    expect(await broken({ sql })).toBe(true)
  }, 120_000)

  it('memory files', async () => {
    const at = { connection: 'local', chat: 'red' }
    const kept = story
      .map((told): Story => ({ ...told, secret: { do: 'file', at, who: 'ann' } }))
      .filter(({ from }) => from.chat !== 'red')
    expect(await broken({ memoryOf: () => 'local:red' }, kept)).toBe(true)
  }, 120_000)
})
