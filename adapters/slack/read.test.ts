import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Inbound,
  mentionsOf,
  plainText,
  type Skipped,
  sourceText,
} from '../../src/messaging/contract.js'
import slack from './index.js'
import type { SlackRaw } from './raw.js'

const SELF = { id: 'UBOT00001', name: 'relay' }
const read = (raw: unknown, self = SELF): Inbound | Skipped => slack.codec.read(raw as SlackRaw, self)
const event = (fields: object, outer: object = {}): SlackRaw => ({
  body: { type: 'event_callback', team_id: 'T00000001', event_id: 'Ev01', ...outer, event: fields },
  bot: { botId: 'BBOT00001', appId: 'ABOT00001' },
})
const said = (fields: object, outer?: object): SlackRaw =>
  event(
    {
      type: 'message',
      channel: 'C00000001',
      channel_type: 'channel',
      user: 'U00000011',
      ts: '1700000000.000100',
      event_ts: '1700000000.000100',
      ...fields,
    },
    outer,
  )
const message = (raw: unknown) => {
  const found = read(raw)
  if (found.kind !== 'message') throw new Error(`it is ${JSON.stringify(found)}`)
  return found
}
const stripped = (raw: unknown): string =>
  sourceText(message(raw).doc, (mention) => (mention.id === SELF.id ? null : `@${mention.name}`))
const isAddressed = (raw: unknown): boolean =>
  mentionsOf(message(raw).doc).some(({ target, id }) => target === 'user' && id === SELF.id)
const section = (...elements: object[]) => [
  { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] },
]

describe('named cases', () => {
  it('sl-bot-id-inside-code: an id that is shown is no call', () => {
    const shown = said({
      text: 'write `<@UBOT00001>` in the config',
      blocks: section(
        { type: 'text', text: 'write ' },
        { type: 'text', text: '<@UBOT00001>', style: { code: true } },
        { type: 'text', text: ' in the config' },
      ),
    })
    const called = said({
      text: '<@UBOT00001> see `x`',
      blocks: section(
        { type: 'user', user_id: 'UBOT00001' },
        { type: 'text', text: ' see ' },
        { type: 'text', text: 'x', style: { code: true } },
      ),
    })
    expect([isAddressed(shown), isAddressed(called)]).toEqual([false, true])
    // The same where there are no blocks, in a fence, in a quote, and as an element that is styled as code.
    expect(isAddressed(said({ text: 'write `<@UBOT00001>`' }))).toBe(false)
    expect(isAddressed(said({ text: '```\n<@UBOT00001>\n```' }))).toBe(false)
    expect(isAddressed(said({ text: '&gt; <@UBOT00001> said' }))).toBe(false)
    const styled = section({ type: 'user', user_id: 'UBOT00001', style: { code: true } })
    expect(isAddressed(said({ text: 'x', blocks: styled }))).toBe(false)
  })

  it('sl-message-event-before-app-mention: both are one post, whichever comes, however often', () => {
    const text = '<@UBOT00001> hello'
    const plain = said({ text })
    const mention = event({
      type: 'app_mention',
      channel: 'C00000001',
      user: 'U00000011',
      text,
      ts: '1700000000.000100',
      event_ts: '1700000000.000100',
    })
    expect(message(plain).event).toBe(message(mention).event)
    for (const raw of [plain, mention]) {
      expect(isAddressed(raw)).toBe(true)
      expect(stripped(raw)).toBe('hello')
    }
    expect(message(said({ text, ts: '1700000000.000200' })).event).not.toBe(message(plain).event)
    expect(message(said({ text, channel: 'C00000002' })).event).not.toBe(message(plain).event)
  })

  it('sl-reply-stays-in-thread: the thread is the root’s ts, and a root stands in none', () => {
    const root = said({ text: 'start', ts: '1700000001.000100' })
    const reply = said({ text: 'go on', ts: '1700000002.000100', thread_ts: '1700000001.000100' })
    const answeredRoot = said({ text: 'start', ts: '1700000001.000100', thread_ts: '1700000001.000100' })
    expect(message(root).place).toEqual({ chat: 'C00000001' })
    expect(message(answeredRoot).place).toEqual({ chat: 'C00000001' })
    expect(message(reply).place).toEqual({ chat: 'C00000001', thread: '1700000001.000100' })
  })

  it('sl-file-share-subtype: uploads, broadcasts and /me are people speaking; joins are not', () => {
    const file = { id: 'F0001', name: 'a.csv', mimetype: 'text/csv', size: 12 }
    const shared = said({ subtype: 'file_share', text: '<@UBOT00001> read this', files: [file] })
    expect(isAddressed(shared)).toBe(true)
    expect(stripped(shared)).toBe('read this')
    expect(message(shared).files).toEqual([{ id: 'F0001', name: 'a.csv', mime: 'text/csv', bytes: 12 }])
    for (const subtype of ['thread_broadcast', 'me_message'])
      expect(message(said({ subtype, text: 'x' })).author.kind).toBe('person')
    expect(read(said({ subtype: 'channel_join', text: '' }))).toMatchObject({
      kind: 'skipped',
      reason: 'service-notice',
    })
  })

  it('sl-connect-member-has-a-name: a guest has one, a stranger their id, both are from outside', () => {
    const names = { users: { UEXT00001: { name: 'Guest Person', outside: true } } }
    const guest = { ...said({ user: 'UEXT00001', text: 'hi', user_team: 'T00000099' }), names }
    const stranger = said({ user: 'UEXT00002', text: 'hi', user_team: 'T00000099' })
    expect(message(guest).author).toEqual({
      id: 'UEXT00001',
      name: 'Guest Person',
      kind: 'person',
      outside: true,
    })
    expect(message(stranger).author).toMatchObject({ name: 'UEXT00002', outside: true })
    expect(message(said({ text: 'hi', user_team: 'T00000001' })).author.outside).toBeUndefined()
  })
})

describe('text', () => {
  it('entities are decoded once', () => {
    expect(plainText(message(said({ text: '&amp;lt; &lt; &amp; &gt;' })).doc)).toBe('&lt; < & >')
  })

  it.each([
    ['<@U00000012>', '@U00000012'],
    ['<@U00000012|ann>', '@ann'],
    ['<!subteam^S00000001|@devs>', '@devs'],
    ['<!here>', '@here'],
    ['<#C00000002|plans>', '#plans'],
    ['<https://u.example/?a=1&amp;b=2|label>', 'label'],
    ['<https://u.example>', 'https://u.example'],
    ['<mailto:a@b.example|a@b.example>', 'a@b.example'],
    ['<!date^1392734382^{date}|18 Feb 2014>', '18 Feb 2014'],
    ['a < b and c > d', 'a < b and c > d'],
    ['<no token>', '<no token>'],
  ])('%s reads as %s', (text, shown) => {
    expect(plainText(message(said({ text })).doc)).toBe(shown)
  })

  it('an id that objects know by themselves names nobody', () => {
    const raw = {
      ...said({ text: '<@constructor> <#toString>', channel: 'constructor' }),
      names: { users: {}, channels: {} },
    }
    const event = read(raw)
    expect(JSON.parse(JSON.stringify(event))).toEqual(event)
  })
  it('names come from the directory; an email address mentions nobody', () => {
    const names = {
      users: { U00000012: { name: 'Ann Lee' } },
      groups: { S1: 'devs' },
      channels: { C00000001: 'general' },
    }
    const raw = { ...said({ text: '<@U00000012> <!subteam^S1> x@relay.example' }), names }
    expect(plainText(message(raw).doc)).toBe('@Ann Lee @devs x@relay.example')
    expect(mentionsOf(message(raw).doc)).toMatchObject([
      { target: 'user', id: 'U00000012' },
      { target: 'role', id: 'S1' },
    ])
    expect(message(raw).chat).toEqual({ kind: 'group', title: 'general' })
  })

  it('nodes know their place in the source', () => {
    const raw = said({
      text: '',
      blocks: [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_quote',
              elements: [{ type: 'text', text: 'one\ntwo' }],
            },
            {
              type: 'rich_text_list',
              style: 'bullet',
              indent: 0,
              elements: [{ type: 'rich_text_section', elements: [{ type: 'user', user_id: 'U00000012' }] }],
            },
            { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'a\n```\nb' }] },
          ],
        },
      ],
    })
    const { doc } = message(raw)
    expect(doc.source).toBe('> one\n> two\n\n- @U00000012\n\n````\na\n```\nb\n````')
    expect(sourceText(doc, ({ id }) => `<${id}>`)).toContain('- <U00000012>')
  })

  it('what is forwarded is a quote, a preview of a link is nothing', () => {
    const shared = { is_share: true, author_name: 'Bob', text: 'we chose <@UBOT00001>' }
    const preview = { service_name: 'Example', title: 'A page', text: 'about things' }
    const raw = said({ text: 'see', attachments: [shared, preview] })
    expect(message(raw).doc.source).toBe('see\n\n> Bob: we chose @relay')
    expect(isAddressed(raw)).toBe(false)
    const bot = said({
      subtype: 'bot_message',
      bot_id: 'B1',
      username: 'CI',
      text: '',
      attachments: [preview],
    })
    expect(message(bot)).toMatchObject({ author: { kind: 'bot', name: 'CI' } })
    expect(plainText(message(bot).doc)).toContain('about things')
  })

  it('a file that lies elsewhere is a link, one that is gone is nothing', () => {
    const elsewhere = {
      id: 'F1',
      mode: 'external',
      is_external: true,
      title: 'Plan',
      external_url: 'https://d.example/1',
    }
    const raw = said({ subtype: 'file_share', text: '', files: [elsewhere, { id: 'F2', mode: 'tombstone' }] })
    expect(message(raw).files).toBeUndefined()
    expect(message(raw).doc.source).toBe('[Plan](https://d.example/1)')
    expect(
      read(said({ subtype: 'file_share', text: '', files: [{ id: 'F2', mode: 'tombstone' }] })),
    ).toMatchObject({
      reason: 'no-content',
    })
  })
})

describe('who and where', () => {
  it('the bot’s own posts are no input, but part of history', () => {
    const own = { user: 'UBOT00001', bot_id: 'BBOT00001', text: 'hi' }
    expect(read(said(own))).toMatchObject({ kind: 'skipped', reason: 'own-message' })
    // As another persona there is no user; the app tells.
    const persona = {
      user: undefined,
      subtype: 'bot_message',
      bot_id: 'B9',
      app_id: 'ABOT00001',
      username: 'Rev',
    }
    expect(read(said({ ...persona, text: 'hi' }))).toMatchObject({ reason: 'own-message' })
    const back = read({
      body: { ...own, type: 'message', ts: '1700000000.000100' },
      from: 'history',
      channel: 'C1',
    })
    expect(back).toMatchObject({ kind: 'message', author: { kind: 'self' } })
  })

  it('other apps are bots', () => {
    const raw = said({ user: 'U0OTHER', bot_id: 'B0OTHER', app_id: 'A0OTHER', text: 'hi' })
    expect(message(raw).author.kind).toBe('bot')
  })

  it.each([
    ['im', 'D00000001', 'dm'],
    ['mpim', 'G00000001', 'group'],
    ['group', 'C00000009', 'group'],
    [undefined, 'D00000001', 'dm'],
    [undefined, 'C00000001', 'group'],
  ])('a channel of type %s with the id %s is a %s', (channel_type, channel, kind) => {
    expect(message(said({ channel_type, channel, text: 'x' })).chat.kind).toBe(kind)
  })

  it('two edits of one message in one second are two', () => {
    const edit = (event_ts: string, text: string) =>
      said({
        subtype: 'message_changed',
        ts: event_ts,
        event_ts,
        message: { ts: '1700000000.000100', user: 'U1', text, edited: { ts: '1700000009.000000' } },
        previous_message: { ts: '1700000000.000100', user: 'U1', text: 'before' },
      })
    const [first, second] = [read(edit('1700000009.000100', 'a')), read(edit('1700000009.000200', 'b'))]
    expect(first.kind).toBe('edit')
    expect(first.event).not.toBe(second.event)
    expect(read(edit('1700000009.000100', 'a')).event).toBe(first.event)
    expect(read(edit('1700000009.000100', 'before'))).toMatchObject({ reason: 'service-notice' })
  })
})

describe('buttons, commands, shortcuts', () => {
  const command = (text: string) => ({
    body: {
      command: '/golem',
      text,
      user_id: 'U00000011',
      user_name: 'ann',
      channel_id: 'C00000001',
      team_id: 'T1',
      trigger_id: '1.2.abc',
    },
    at: 5,
  })
  it.each([
    ['why', 'why', '/golem why'],
    ['/why', 'why', '/golem /why'],
    ['Status', 'status', '/golem Status'],
    ['why <@U00000012|bob> said', 'why', '/golem why @bob said'],
    ['', 'help', '/golem'],
    // A question to an agent: what it reads are the words alone.
    ['what is new', 'ask', 'what is new'],
  ])('/golem %s is %s and reads %j', (text, name, rest) => {
    const found = message(command(text))
    expect(found).toMatchObject({ command: { name }, author: { id: 'U00000011', name: 'ann' }, at: 5 })
    expect(found.doc.source).toBe(rest)
    // It is no message: nothing can be posted below it.
    expect(found.id).not.toMatch(/^\d+\.\d+$/)
  })

  it('a select has a value as well; what has none is skipped', () => {
    const press = (action: object) => ({
      body: {
        type: 'block_actions',
        user: { id: 'U1' },
        channel: { id: 'C1' },
        container: { message_ts: '1700000000.000100' },
        actions: [{ action_ts: '1700000001.000100', ...action }],
      },
    })
    expect(read(press({ selected_option: { value: 'v' } }))).toMatchObject({ kind: 'press', value: 'v' })
    expect(read(press({ type: 'datepicker' }))).toMatchObject({ reason: 'unsupported-kind' })
  })
})

describe('whatever comes', () => {
  const folder = new URL('./samples/', import.meta.url)
  const samples = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))

  it('never throws, and says why it skips', () => {
    const kinds = ['message', 'edit', 'delete', 'reaction', 'press', 'change', 'skipped']
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true }), (raw) => {
        expect(read(raw)).toMatchObject({ kind: 'skipped' })
      }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.nat(), fc.anything(), (text, at, value) => {
        const raw = JSON.parse(text) as unknown
        mutate(raw, at, value)
        const found = read(raw, { id: 'U061F7AUR', name: 'Golem' })
        expect(kinds).toContain(found.kind)
        expect(Number.isFinite(found.at)).toBe(true)
      }),
      { numRuns: 1_500 },
    )
  })

  it('an unknown event, subtype or interaction is named', () => {
    expect(read(event({ type: 'star_added', user: 'U1' }))).toMatchObject({
      reason: 'unsupported-kind',
      detail: 'event star_added',
    })
    expect(read(said({ subtype: 'new_thing', text: 'x' }))).toMatchObject({ reason: 'unsupported-kind' })
    expect(read({ body: { type: 'view_submission', user: { id: 'U1' } } })).toMatchObject({
      reason: 'unsupported-kind',
    })
    expect(read(said({ channel: '../C1', text: 'x' }))).toMatchObject({ reason: 'malformed' })
  })
})

/** Replaces the `at`-th value of a tree. */
function mutate(root: unknown, at: number, value: unknown): void {
  const places: [Record<string, unknown>, string][] = []
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key])
      walk((node as Record<string, unknown>)[key])
    }
  }
  walk(root)
  const place = places[at % Math.max(places.length, 1)]
  if (place !== undefined) place[0][place[1]] = value
}
