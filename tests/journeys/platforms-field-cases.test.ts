/** Field cases of Telegram and Slack as they were reported, through the built daemon: what came in, and what people saw. */
import { beforeAll, describe, expect, it } from 'vitest'
import { fieldCase } from '../fixtures/field-cases.js'
import type { Seen } from '../simulators/kit/stage.js'
import type { SlackSimulator } from '../simulators/slack/index.js'
import type { TelegramSimulator } from '../simulators/telegram/index.js'
import {
  again,
  Chat,
  type Daemon,
  onPlatforms,
  type Person,
  slack,
  telegram,
  until,
  verbatim,
} from './platforms.js'

let daemon: Daemon
let tele: TelegramSimulator
let slac: SlackSimulator
let ann: Person
let alice: Person
let chats = 0

const HUNDRED = 100

beforeAll(async () => {
  tele = await telegram({ name: 'Relay Helper', username: 'relaybot', limits: 'off' })
  slac = await slack({ bot: 'relay', limits: 'off' })
  ann = tele.person('Ann')
  alice = slac.person('alice')
  daemon = await onPlatforms([{ stage: tele }, { stage: slac }])
})

/** What people see of this Markdown. */
async function shown(stage: TelegramSimulator | SlackSimulator, markdown: string): Promise<Seen[]> {
  const person = stage === slac ? alice : ann
  const room = new Chat(daemon, stage, stage.group(`Case ${++chats}`, [person]))
  await room.ask(person, verbatim(markdown))
  return room.own
}

const textOf = (seen: readonly Seen[]): string => seen.map(({ text }) => text).join('\n')
/** What is seen, wherever it is cut. */
const letters = (text: string): string => text.replace(/\s+/g, '')

describe('what comes in on Telegram', () => {
  /** Delivers the case's updates, in a chat of its own. */
  async function delivered(id: string, updates: readonly unknown[]): Promise<Chat> {
    const chat = String(-1_001_000_000_000 - HUNDRED - ++chats)
    const lines = updates.map((body, index) => {
      const own = JSON.stringify(body).replaceAll('-1001000000001', chat)
      return `{"kind":"delivery","at":0,"id":"${id}-${index}","body":${own}}`
    })
    expect(await tele.replay(lines.join('\n'))).toBe(updates.length)
    const room = new Chat(daemon, tele, chat)
    await room.rest()
    return room
  }
  const updatesOf = (id: string) => fieldCase(id).input.updates as { message?: { message_id: number } }[]

  it.each(['tg-mention-after-emoji-or-cjk', 'tg-text-mention-display-name'])(
    '%s: addressed, and read without the mention',
    async (id) => {
      const room = await delivered(id, updatesOf(id))
      const { turns } = fieldCase(id).expected as { turns: { text: string }[] }
      // What is said in one breath is answered at once: the last words stand for all.
      expect(room.own.at(-1)?.text).toBe(`heard: ${turns.at(-1)?.text}`)
      for (const { message } of updatesOf(id))
        expect((await room.receipt(String(message?.message_id))).decision?.addressed).toBe(true)
    },
  )

  it('tg-command-at-suffix: a command for this bot is answered, one for another is not', async () => {
    const room = await delivered('tg-command-at-suffix', updatesOf('tg-command-at-suffix'))
    expect(room.answers('101')).toHaveLength(1)
    expect(room.answers('102')).toEqual([])
  })

  it('tg-topic-root-is-not-a-reply: a line in a topic that the bot made is not addressed to it', async () => {
    const room = await delivered('tg-topic-root-is-not-a-reply', updatesOf('tg-topic-root-is-not-a-reply'))
    expect((await room.receipt('187')).decision?.addressed).toBe(false)
    expect(room.own).toEqual([])
  })

  it('tg-edit-does-not-rerun-command: an edit of an old command runs nothing', async () => {
    const room = await delivered(
      'tg-edit-does-not-rerun-command',
      updatesOf('tg-edit-does-not-rerun-command'),
    )
    expect(room.own.length).toBeLessThanOrEqual(1)
  })

  it('tg-general-topic-has-no-thread-id: the answer goes to General without an id', async () => {
    const room = await delivered('tg-general-topic-has-no-thread-id', [
      fieldCase('tg-general-topic-has-no-thread-id').input.inbound,
    ])
    const sent = tele.calls.filter(({ method, chat }) => method === 'sendMessage' && chat === room.id)
    expect(sent.map(({ params }) => 'message_thread_id' in params)).toEqual([false])
    expect(room.own).toMatchObject([{ text: 'heard: hi' }])
  })
})

describe('what is shown on Telegram', () => {
  interface Raw {
    text: string
    entities?: { type: string; offset: number; length: number; language?: string }[]
  }
  const entities = (seen: readonly Seen[]) =>
    seen.flatMap(({ raw }) => {
      const { text, entities = [] } = raw as Raw
      return entities.map(({ offset, length, ...more }) => ({
        ...more,
        text: text.slice(offset, offset + length),
      }))
    })

  it.each(['tg-underscores-in-urls', 'tg-asterisk-as-multiplication'])('%s: shown as written', async (id) => {
    const { input, expected } = fieldCase(id)
    const seen = await shown(tele, String(input.markdown))
    expect(textOf(seen)).toBe(expected.rendered_text)
    expect(entities(seen).filter(({ type }) => type === 'italic')).toEqual([])
    expect(entities(seen)).toEqual(
      expect.arrayContaining(
        ((expected.entities ?? []) as object[]).map((one) => expect.objectContaining(one)),
      ),
    )
  })

  it('tg-html-in-code: angle brackets in code are shown', async () => {
    const { input, expected } = fieldCase('tg-html-in-code')
    const seen = await shown(tele, String(input.markdown))
    for (const part of expected.rendered_text_contains as string[]) expect(textOf(seen)).toContain(part)
    for (const entity of expected.entities as object[])
      expect(entities(seen)).toContainEqual(expect.objectContaining(entity))
  })

  it('tg-escaping-grows-past-limit: whole, in order, and every post accepted', async () => {
    for (const markdown of fieldCase('tg-escaping-grows-past-limit').input.markdowns as string[]) {
      const from = tele.calls.length
      const seen = await shown(tele, markdown)
      const posts = tele.calls.slice(from).filter(({ method }) => method === 'sendMessage')
      expect(posts.map(({ status }) => status)).toEqual(posts.map(() => 200))
      expect(letters(textOf(seen))).toEqual(letters(markdown.replaceAll('> q', 'q')))
      for (const { text } of seen) expect(text.length).toBeLessThanOrEqual(4_096)
    }
  })

  it('tg-chunk-does-not-cut-markup: each post is well-formed, and together they are the answer', async () => {
    const markdown = String(fieldCase('tg-chunk-does-not-cut-markup').input.markdown)
    const seen = await shown(tele, markdown)
    expect(seen.length).toBeGreaterThan(1)
    expect(letters(textOf(seen))).toEqual(letters(markdown.replace(/[`*]/g, '')))
  })

  it('tg-emoji-not-cut-in-half: no post begins or ends with half a character', async () => {
    const { input, expected } = fieldCase('tg-emoji-not-cut-in-half')
    const seen = await shown(tele, String(input.markdown))
    expect(seen.map(({ text }) => text).join('')).toBe(expected.joined)
    for (const { text } of seen) expect(text).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/)
  })
})

describe('what comes in on Slack', () => {
  it('sl-bot-id-inside-code and sl-message-event-before-app-mention: as Slack delivers them', async () => {
    const room = new Chat(daemon, slac, slac.group(`Case ${++chats}`, [alice]))
    const names = { UBOT00001: slac.bot.id, U00000011: alice.id, C00000001: room.id }
    const own = (value: unknown) =>
      JSON.parse(
        Object.entries(names).reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(value)),
      ) as { event: Record<string, unknown> }
    for (const event of fieldCase('sl-bot-id-inside-code').input.events as unknown[])
      slac.inject(own(event).event)
    await room.rest()
    const addressed = fieldCase('sl-bot-id-inside-code').expected.addressed as boolean[]
    const receipts = await Promise.all(
      ['1700000000.000100', '1700000000.000200'].map((ts) => room.receipt(ts)),
    )
    expect(receipts.map(({ decision }) => decision?.addressed)).toEqual(addressed)

    const runs = fieldCase('sl-message-event-before-app-mention').input.runs as unknown[][]
    for (const [index, run] of runs.entries()) {
      const ts = `170000010${index}.000100`
      for (const event of run) slac.inject({ ...own(event).event, ts, event_ts: ts })
      await room.rest()
      const receipt = await room.receipt(ts)
      expect(receipt.turns).toHaveLength(1)
      expect(receipt.outcome).toBe('answered')
    }
  })

  it('sl-connect-member-has-a-name: whoever is unknown has a name all the same', async () => {
    const guest = slac.slack.connectPerson('Guest Person')
    const room = new Chat(
      daemon,
      slac,
      slac.slack.channel(`case-${++chats}`, { people: [alice, guest], shared: true }),
    )
    room.say(guest, 'hi')
    const unknown = {
      type: 'message',
      channel: room.id,
      channel_type: 'channel',
      user: 'UEXT00002',
      text: 'hi',
    }
    slac.inject({
      ...unknown,
      ts: '1700000000.000300',
      event_ts: '1700000000.000300',
      user_team: 'T00000099',
    })
    await room.rest()
    const [answer] = await room.ask(alice, 'do context')
    expect(answer?.text).toContain('Guest Person: hi')
    expect(answer?.text).not.toMatch(/undefined|null|^: /m)
    expect((await room.receipt('1700000000.000300')).message.author.name).not.toMatch(/^$|undefined|null/)
  })
})

describe('what is shown on Slack', () => {
  it('sl-heading-with-bold: no stray marks', async () => {
    const { input, expected } = fieldCase('sl-heading-with-bold')
    expect(textOf(await shown(slac, String(input.markdown)))).toBe(expected.visible_text)
  })

  it('sl-nested-list-keeps-depth: one item a line, each at its depth', async () => {
    const { input, expected } = fieldCase('sl-nested-list-keeps-depth')
    const lines = textOf(await shown(slac, String(input.markdown))).split('\n')
    const wanted = expected.lines as [string, number][]
    expect(lines.map((line) => line.replace(/^[^a-z]+/, ''))).toEqual(wanted.map(([text]) => text))
    const depths = lines.map((line) => /^\s*/.exec(line)?.[0].length ?? 0)
    for (const [index, [, depth]] of wanted.entries())
      for (const [other, [, otherDepth]] of wanted.entries())
        expect(Math.sign((depths[index] ?? 0) - (depths[other] ?? 0))).toBe(Math.sign(depth - otherDepth))
  })

  it('sl-link-with-parentheses: the address is whole', async () => {
    const { input, expected } = fieldCase('sl-link-with-parentheses')
    const [post] = await shown(slac, String(input.markdown))
    expect(post?.links.map(({ text, url }) => [text, url])).toEqual(expected.or_equivalent_links)
  })

  it('sl-agent-text-cannot-page-people: what pages nobody is shown as it was written', async () => {
    const { input, expected } = fieldCase('sl-agent-text-cannot-page-people')
    const paged = slac.slack.person({ name: 'ann', handle: 'ann' })
    const room = new Chat(daemon, slac, slac.group(`Case ${++chats}`, [paged, alice]))
    for (const [index, output] of (input.agent_output as string[]).entries()) {
      const [post] = await room.ask(alice, verbatim(output))
      const pages = (expected.pages as string[][])[index] ?? []
      expect(post?.pings).toEqual(pages.map(() => paged.id))
      expect(post?.text).toBe((expected.visible_text as string[])[index])
    }
  })

  it('sl-outbound-scan-email-code-url: only who is named is mentioned', async () => {
    const { input, expected } = fieldCase('sl-outbound-scan-email-code-url')
    const acme = slac.person('acme')
    const room = new Chat(daemon, slac, slac.group(`Case ${++chats}`, [acme, alice]))
    const [post] = await room.ask(alice, verbatim(String(input.markdown)))
    expect(post?.pings).toEqual([alice.id])
    for (const part of expected.unchanged as string[]) expect(post?.text).toContain(part)
  })
})

it('tg-approval-not-replayed-after-restart: a press or a command that comes again acts on nothing newer', async () => {
  const stage = await telegram()
  const cid = stage.person('Cid')
  const seats = [{ stage }]
  const own = await onPlatforms(seats)
  const room = new Chat(own, stage, stage.group('Lobby', [cid]))
  const offer = async (): Promise<Seen> => {
    const id = room.say(cid, 'do say old', { mention: true })
    await room.rest()
    stage.edit(room.id, id, `@${stage.bot.username} do say new`)
    await room.rest()
    const found = room.own.findLast(({ buttons }) => buttons.length > 0)
    if (found === undefined) throw new Error('nothing was offered')
    return found
  }
  const first = await offer()
  stage.press(room.id, first.id, cid, first.buttons[0]?.value ?? '')
  await room.rest()
  room.say(cid, `/stop@${stage.bot.username}`)
  await room.rest()
  const answered = room.own.filter(({ text }) => text === 'new').length
  expect(answered).toBe(1)

  const second = await offer()
  const working = room.say(cid, 'do hang', { mention: true })
  await until(async () => (await room.receipt(working)).turns[0]?.firstEventAt != null, 'nobody works')
  await own.kill('SIGKILL')
  stage.redeliver(stage.acknowledged.length)
  await again(own, seats)
  // A mark that was under way at the crash takes its time; nothing else is left to do.
  await until(() => stage.pending === 0, 'what came again was not taken')
  await until(async () => (await own.queue()).turns.length === 0, 'something is at work')
  await until(() => room.answers(working).length > 0, 'nothing was said of the crash')
  expect(room.own.filter(({ text }) => text === 'new')).toHaveLength(answered)
  expect(room.message(second.id).buttons).toHaveLength(1)
  // It was the crash that ended it, not the old command.
  expect((await room.receipt(working)).outcome).toBe('interrupted')
})
