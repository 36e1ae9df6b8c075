/** One golem.yaml with all four platforms: the same conversation gives the same decisions and the same words on each. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { ReceiptView } from '../../src/messaging/views.js'
import type { Seen, Simulator } from '../simulators/kit/stage.js'
import {
  Chat,
  type Daemon,
  discord,
  feishu,
  OBEYS,
  onPlatforms,
  type Person,
  programAgent,
  slack,
  telegram,
  verbatim,
} from './platforms.js'

const PLATFORMS = ['telegram', 'slack', 'discord', 'feishu'] as const
type PlatformName = (typeof PLATFORMS)[number]

const START: Record<PlatformName, () => Promise<Simulator>> = {
  telegram: () => telegram(),
  slack: () => slack(),
  discord: () => discord(),
  feishu: () => feishu(),
}

/** What every form of Markdown may become: headings, lists, a table, code, a link, and what looks like a mention. */
const RICH = [
  '## Findings',
  '',
  'It is **bold**, *leaning*, ~~gone~~ and `code`; see [the guide](https://example.com/guide).',
  '',
  '1. first',
  '2. second',
  '   - inner',
  '',
  '- [x] done',
  '',
  '> quoted words',
  '',
  '```js',
  'const answer = 6 * 7 // @everyone',
  '```',
  '',
  '| name | sum |',
  '|---|---|',
  '| a_b | 1 < 2 |',
  '',
  '@everyone <!channel> <@U123> <at id=all></at> & that is **all**',
].join('\n')

/** One thing that is said, and by whom; `to` what came before. */
interface Line {
  name: string
  by: 'Ann' | 'Bob'
  text: string
  mention?: boolean
  /** Answers the bot's last post: as a reply, or in its thread where replies are threads. */
  reply?: boolean
}

const CONVERSATION: readonly Line[] = [
  { name: 'to nobody', by: 'Bob', text: 'do say this is not for you' },
  { name: 'a mention', by: 'Ann', text: 'do say hello @Bob, *well done*', mention: true },
  { name: 'a mention only', by: 'Ann', text: '', mention: true },
  { name: 'the name in code', by: 'Bob', text: '`@Golem do say no`' },
  { name: 'a longer name', by: 'Bob', text: '@Golemite do say no' },
  { name: 'a teammate by name', by: 'Bob', text: '@Coder do say forty-two' },
  { name: 'a teammate in Chinese', by: 'Ann', text: '请交给@Coder do say 好的' },
  { name: 'every form of Markdown', by: 'Ann', text: verbatim(RICH), mention: true },
  { name: 'a delegation', by: 'Bob', text: 'do delegate Coder do say from the teammate', mention: true },
  { name: 'silence that is not taken', by: 'Ann', text: 'do pass', mention: true },
  { name: 'a failure', by: 'Ann', text: 'do exit 3', mention: true },
]

/** What is common to all platforms of a decision. */
function judged({ decision, outcome, turns }: ReceiptView): unknown {
  return {
    outcome,
    verdict: decision?.verdict,
    reason: decision?.reason,
    addressed: decision?.addressed,
    responders: decision?.responders,
    gates: decision?.gates.map(({ gate, verdict }) => `${gate}: ${verdict}`),
    turns: turns.map(({ agent, state, kind }) => ({ agent, state, kind })),
  }
}

/**
 * The words a person reads, whatever draws lists, tables and boxes around them. Left out: the receipt's name, which is
 * made of ids, and the invisible joiner that keeps Telegram from making a mention of what is none.
 */
function words(text: string): string {
  return text
    .toLowerCase()
    .replace(/receipt \S+/u, 'receipt')
    .replaceAll('\u2060', '')
    .replace(/[•◦▪☑☐✅⬜│|—–\-─┼+=_*#>"“”「」[\]]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
}

interface Told {
  decision: unknown
  answers: {
    text: string
    /** People it notifies by name; not the one it answers. */
    pings: string[]
    links: string[]
    /** It notifies whom it answers, by its quote alone. */
    calls: boolean
  }[]
}

async function tell(daemon: Daemon, stage: Simulator): Promise<Map<string, Told>> {
  const people: Record<Line['by'], Person> = { Ann: stage.person('Ann'), Bob: stage.person('Bob') }
  const chat = new Chat(daemon, stage, stage.group('Lobby', Object.values(people)))
  // Both have spoken before anybody is named.
  for (const person of Object.values(people)) chat.say(person, 'good morning')
  await chat.rest()
  const told = new Map<string, Told>()
  for (const { name, by, text, mention = false } of CONVERSATION) {
    const before = new Set(chat.own.map(({ id }) => id))
    const id = chat.say(people[by], text, { mention })
    await chat.rest()
    const said = chat.own.filter((post) => !before.has(post.id))
    told.set(name, {
      decision: judged(await chat.receipt(id)),
      answers: said.map((post) => shown(post, people, by)),
    })
  }
  return told
}

function shown(post: Seen, people: Record<Line['by'], Person>, asker: Line['by']): Told['answers'][number] {
  const names = post.pings.map((id) => Object.values(people).find((person) => person.id === id)?.name ?? id)
  return {
    text: words(post.text),
    pings: names.filter((name) => name !== asker),
    links: post.links.map(({ url }) => url),
    calls: names.includes(asker),
  }
}

describe('the same conversation on four platforms', () => {
  const heard = new Map<PlatformName, Map<string, Told>>()
  let daemon: Daemon

  beforeAll(async () => {
    const stages = await Promise.all(PLATFORMS.map((name) => START[name]()))
    daemon = await onPlatforms(
      stages.map((stage) => ({ stage })),
      { agents: `${OBEYS}${programAgent('Coder', 'obeys', 'role: "writes programs"')}` },
    )
    await Promise.all(
      stages.map(async (stage, index) => {
        heard.set(PLATFORMS[index] as PlatformName, await tell(daemon, stage))
      }),
    )
  }, 180_000)

  const of = (platform: PlatformName, name: string): Told => heard.get(platform)?.get(name) as Told

  describe.each(CONVERSATION.map(({ name }) => name))('%s', (name) => {
    it.each(PLATFORMS.slice(1))('on %s it is decided as on Telegram', (platform) => {
      expect(of(platform, name).decision).toEqual(of('telegram', name).decision)
    })

    it.each(PLATFORMS.slice(1))('on %s people read what they read on Telegram', (platform) => {
      const read = ({ answers }: Told): unknown => answers.map(({ calls: _, ...answer }) => answer)
      expect(read(of(platform, name))).toEqual(read(of('telegram', name)))
    })
  })

  it('what is expected of it came of it', () => {
    const answers = (name: string): string[] => of('telegram', name).answers.map(({ text }) => text)
    expect(answers('to nobody')).toEqual([])
    expect(answers('a mention')).toEqual(['hello @bob, well done'])
    expect(answers('the name in code')).toEqual([])
    expect(answers('a longer name')).toEqual([])
    expect(answers('a teammate by name').join()).toContain('forty two')
    expect(answers('a teammate in Chinese').join()).toContain('好的')
    expect(answers('a delegation').join()).toContain('from the teammate')
    expect(of('telegram', 'a mention').answers[0]?.pings).toEqual(['Bob'])
    expect(of('telegram', 'every form of Markdown').answers).toMatchObject([
      { pings: [], links: ['https://example.com/guide'] },
    ])
  })

  it('only Discord’s quote notifies whom it answers', () => {
    const called = PLATFORMS.filter((platform) =>
      of(platform, 'a teammate by name').answers.some(({ calls }) => calls),
    )
    expect(called).toEqual(['discord'])
  })
})
