/** What people see of what the bot writes: the same as from the parts, but with the platform's own eyes. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Doc, type Limits, parseDoc } from '../../src/messaging/contract.js'
import type { Seen } from '../simulators/kit/stage.js'
import { follow } from './kit/follow.js'
import { type Expected, normalise, squeezed } from './kit/normalise.js'
import { runs } from './kit/runs.js'
import { Session } from './kit/session.js'
import { at, markdown, naming } from './kit/texts.js'
import { SUBJECTS } from './platforms/index.js'

/** Texts that page somebody on one platform or another. On none do they when an agent writes them. */
const HOSTILE = [
  '@everyone',
  '@here',
  '@channel',
  '@all',
  '＠everyone',
  '@\u200beveryone',
  '@every\u200bone',
  '<!channel>',
  '<!here|here>',
  '<!everyone>',
  '<!subteam^S1>',
  '<!subteam^S1|@ops>',
  '<@U1>',
  '<@U1|ann>',
  '<@!1>',
  '<@&1>',
  '<#C1|general>',
  '<at user_id="all">all</at>',
  '<at id=all></at>',
  '@username',
  'tg://user?id=1',
  '[click](tg://user?id=1)',
  '[@everyone](https://x.example)',
  '<a href="tg://user?id=1">Ann</a>',
  '<tg-user id="1">Ann</tg-user>',
  '&lt;!channel&gt;',
  '&#60;!channel&#62;',
  '\\<!channel\\>',
  '\\@everyone',
  '**<!channel>**',
  '`<!channel>`',
  '```\n<!channel> @everyone\n```',
  '> <!channel> @everyone',
  '# <!channel> @everyone',
  '| <!channel> | @everyone |\n| - | - |\n| <@U1> | @here |',
  '<!chan\u00adnel>',
  '<\u200b!channel>',
  '<!channel',
  '<<!channel>>',
  '<mailto:a@b.example|<!channel>>',
  '![<!channel>](https://x.example/i.png)',
  '[<!channel>](https://x.example)',
  '[x](<!channel>)',
  'https://x.example/<!channel>',
]

describe.each(SUBJECTS)('people on $platform.id', (subject) => {
  const { platform, shows } = subject
  const [way = 'inside'] = subject.ways
  let session: Session
  beforeAll(async () => {
    session = await Session.open(subject, way)
  })
  afterAll(() => session?.close())

  /** Posts a document as the core does, and looks. */
  async function shown(doc: Doc, limits: Limits = platform.limits): Promise<readonly Seen[]> {
    const chat = await session.scene.group('Page', session.people)
    const before = new Set((await session.scene.seen(chat)).map(({ id }) => id))
    for (const part of platform.codec.write(doc, limits)) {
      await session.perform({ kind: 'post', place: { chat }, part })
    }
    return (await session.scene.seen(chat)).filter(({ id }) => !before.has(id))
  }

  function agree(seen: readonly Seen[], expected: Expected): void {
    const { problem } = follow(
      expected.atoms,
      seen.map(({ text }) => text),
      shows,
    )
    expect(problem).toBeNull()
    expect(new Set(seen.flatMap(({ pings }) => pings))).toEqual(new Set(expected.mentions))
    linked(seen, expected)
  }

  /** Links with a label are there, each once and whole; nothing else is a link but an address that stands there. */
  function linked(seen: readonly Seen[], expected: Expected): void {
    const there = seen.flatMap(({ links }) =>
      links.map(({ text, url }) => ({ text: squeezed(text), url: address(url) })),
    )
    const bare = (link: { text: string; url: string }) =>
      schemeless(address(link.text)) === schemeless(link.url)
    const wanted = expected.links
      .filter((link) => !link.bare)
      .map(({ text, url }) => ({ text: squeezed(text), url: address(url) }))
    expect(there.filter((link) => !bare(link))).toEqual(wanted.filter((link) => !bare(link)))
  }

  it('see all of a document, its links and its mentions, and nothing else', async () => {
    const names = session.people.map(at)
    await fc.assert(
      fc.asyncProperty(markdown(names), async (text) => {
        const doc = naming(text, session.people)
        agree(await shown(doc), normalise(doc, shows))
      }),
      runs(40),
    )
  })

  it('see it in smaller parts as well', async () => {
    const names = session.people.map(at)
    const limits = { ...platform.limits, text: { ...platform.limits.text, max: 500 } }
    await fc.assert(
      fc.asyncProperty(markdown(names), async (text) => {
        const doc = naming(text, session.people)
        agree(await shown(doc, limits), normalise(doc, shows))
      }),
      runs(15),
    )
  })

  it('see what the part says that they see', async () => {
    const doc = parseDoc(
      '# Title\n\n**Bold** `code` [label](https://x.example/)\n\n- one\n- two\n\n> said\n\n```\na\n```',
    )
    const [part] = platform.codec.write(doc, platform.limits)
    const [seen] = await shown(doc)
    expect(squeezed(seen?.text ?? '')).toBe(squeezed(part?.text ?? ''))
  })

  it.each([...HOSTILE, ...subject.hostile])('are not paged by %j', async (text) => {
    const doc = parseDoc(text)
    const seen = await shown(doc)
    expect(seen.flatMap(({ pings }) => pings)).toEqual([])
    expect(
      follow(
        normalise(doc, shows).atoms,
        seen.map((one) => one.text),
        shows,
      ).problem,
    ).toBeNull()
    // As the core writes it when the platform refuses the markup: text, and nothing but text.
    const bare: Doc = {
      type: 'root',
      children: [{ type: 'paragraph', children: [{ type: 'text', value: text }] }],
    }
    expect((await shown(bare)).flatMap(({ pings }) => pings)).toEqual([])
  })

  it('are not paged by such texts in any company, around a mention that does page', async () => {
    const person = session.person
    const all = [...HOSTILE, ...subject.hostile].filter((text) => !text.includes('\n'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...all, ' ', '*', '_', '`'), { maxLength: 12 }),
        async (texts) => {
          const doc = naming(`${texts.join('')}\n\n${at(person)} please`, [person])
          const seen = await shown(doc)
          expect(seen.flatMap(({ pings }) => pings)).toEqual(normalise(doc, shows).mentions)
        },
      ),
      runs(25),
    )
  })

  it('are paged by their mention wherever it stands, and by nothing but an identity', async () => {
    const [ann, lee, zhang, bob] = session.people.map(at)
    const doc = naming(
      `# For ${zhang}\n\n- **${lee}**, ${ann}\n\n| who | what |\n| - | - |\n| ${bob} | rest |\n\n\`${ann}\` and 交给${zhang}处理`,
      session.people,
    )
    const seen = await shown(doc)
    expect(new Set(seen.flatMap(({ pings }) => pings))).toEqual(new Set(session.people.map(({ id }) => id)))
    const unknown = parseDoc(`hello ${ann}, ${lee} and @everyone`)
    expect((await shown(unknown)).flatMap(({ pings }) => pings)).toEqual([])
    for (const target of ['everyone', 'role', 'agent'] as const) {
      const mention = { type: 'mention' as const, target, id: session.person.id, name: 'everyone' }
      const tree: Doc = { type: 'root', children: [{ type: 'paragraph', children: [mention] }] }
      const [one] = await shown(tree)
      expect(one?.pings).toEqual([])
      expect(one?.text).toContain('everyone')
    }
  })

  it('see an edited text by the same rules', async () => {
    if (!platform.can.operations.includes('edit')) return
    const [before, after] = ['before', `after <!channel> @everyone [x](https://x.example/a_(b)) **b**`]
    const id = await session.post(before)
    await session.perform({ kind: 'edit', place: { chat: session.chat }, id, part: session.part(after) })
    const seen = (await session.scene.seen(session.chat)).filter((one) => one.id === id)
    agree(seen, normalise(parseDoc(after), shows))
  })
})

/** An address as a browser would ask for it: how a platform writes it is its own affair. */
function address(url: string): string {
  try {
    const { href } = new URL(/^[a-z][a-z\d+.-]*:/i.test(url) ? url : `https://${url}`)
    // What stands in parentheses may write its own as it must.
    return href.replace(/\/$/, '').replace(/%28/g, '(').replace(/%29/g, ')')
  } catch {
    return url
  }
}

const schemeless = (url: string) => url.replace(/^(?:https?:\/\/|mailto:)/, '')
