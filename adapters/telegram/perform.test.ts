import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Failure, InboundChange, Member } from '../../src/messaging/contract.js'
import {
  type Bench,
  bench,
  failure,
  folder,
  json,
  partOf,
  serve,
  TestHost,
  until,
  VirtualClock,
} from './harness.fixture.js'
import telegram from './index.js'
import type { TelegramBody } from './write.js'

const T0 = 1_700_000_000_000

describe('a post', () => {
  it('quotes the question, names its asker and shows no preview', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    const asked = one.sim.say(chat, ann, 'why?', { mention: true })
    await one.heard(asked)
    const doc = {
      type: 'root' as const,
      children: [
        {
          type: 'paragraph' as const,
          children: [
            { type: 'mention' as const, target: 'user' as const, id: ann.id, name: 'Ann' },
            { type: 'text' as const, value: ': see https://example.com' },
          ],
        },
      ],
    }
    const [part] = telegram.codec.write(doc, telegram.limits)
    if (part === undefined) throw new Error('no part')
    const { id } = await one.perform({ kind: 'post', place: { chat }, part, replyTo: asked })
    const seen = one.sim.seen(chat).at(-1)
    expect(seen).toMatchObject({ id, replyTo: asked, pings: [ann.id], silent: false })
    expect(seen?.text).toBe('@Ann: see https://example.com')
    const call = one.sim.calls.findLast(({ method }) => method === 'sendMessage')
    expect(call?.params).toMatchObject({
      reply_parameters: { message_id: Number(asked), allow_sending_without_reply: true },
      link_preview_options: { is_disabled: true },
    })
  })

  it('stands without its quote when that is gone', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    const { id } = await one.post(chat, 'still here', { replyTo: '99999' })
    expect(one.sim.seen(chat).at(-1)).toMatchObject({ id, text: 'still here' })
  })

  it('tg-general-topic-has-no-thread-id, and a topic has one', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const chat = one.sim.forum('Forum', [ann])
    const thread = one.sim.topic(chat, ann, 'Plans')
    await one.perform({ kind: 'post', place: { chat, thread: '1' }, part: partOf('in General') })
    await one.perform({ kind: 'post', place: { chat, thread }, part: partOf('in Plans') })
    const [general, plans] = one.sim.calls.filter(({ method }) => method === 'sendMessage')
    expect(general?.params).not.toHaveProperty('message_thread_id')
    expect(plans?.params.message_thread_id).toBe(Number(thread))
    expect(one.sim.seen(chat).at(-1)?.thread).toBe(thread)
  })

  it('carries buttons whose value Telegram takes, and refuses others before any request', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    const buttons = [
      { label: 'Stop', value: 'x'.repeat(64) },
      { label: '重试', value: 'é'.repeat(32) },
    ]
    const { id = '' } = await one.post(chat, 'working', { buttons })
    expect(one.sim.seen(chat).at(-1)?.buttons).toEqual(buttons)
    await one.perform({ kind: 'edit', place: { chat }, id, part: partOf('done'), buttons: [] })
    expect(one.sim.seen(chat).at(-1)).toMatchObject({ text: 'done', buttons: [], edited: true })
    const before = one.sim.calls.length
    for (const value of ['x'.repeat(65), 'é'.repeat(33), '']) {
      const error = await failure(one.post(chat, 'x', { buttons: [{ label: 'Too long', value }] }))
      expect(error.failure).toEqual({ kind: 'invalid', field: 'other' })
      expect(error.message).toContain('Too long')
    }
    expect(one.sim.calls.length).toBe(before)
  })

  it('may make no noise', async () => {
    const one = await bench()
    const chat = one.sim.group('Lobby', [one.sim.person('Ann')])
    await one.post(chat, 'hush', { silent: true })
    expect(one.sim.seen(chat).at(-1)?.silent).toBe(true)
  })

  it('of any size goes in parts that are all taken, and reads whole', async () => {
    const one = await bench()
    const chat = one.sim.group('Lobby', [one.sim.person('Ann')])
    const { parseDoc } = await import('../../src/messaging/contract.js')
    const text = `Run \`${'abcdefgh '.repeat(600)}end\` and **${'bold '.repeat(300)}end** ${'> q\n'.repeat(50)}`
    for (const part of telegram.codec.write(parseDoc(text), telegram.limits))
      await one.perform({ kind: 'post', place: { chat }, part })
    for (const call of one.sim.calls.filter(({ method }) => method === 'sendMessage'))
      expect(call.status).toBe(200)
  })
})

describe('an edit', () => {
  it('to what stands there already is done', async () => {
    const one = await bench()
    const chat = one.sim.group('Lobby', [one.sim.person('Ann')])
    const { id = '' } = await one.post(chat, 'same')
    const edit = { kind: 'edit' as const, place: { chat }, id, part: partOf('same') }
    await expect(one.perform(edit)).resolves.toMatchObject({ id })
    expect(one.sim.calls.at(-1)?.status).toBe(400)
  })
})

describe('a mark', () => {
  it('replaces the one before, from what Telegram has', async () => {
    const one = await bench({ botIsAdmin: true })
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    const id = one.sim.say(chat, ann, 'do it')
    const shown: string[] = []
    for (const mark of ['received', 'done', 'failed', 'stopped'] as const) {
      await one.perform({ kind: 'react', place: { chat }, id, mark })
      const { reactions = [] } = one.sim.seen(chat).find((message) => message.id === id) ?? {}
      shown.push(reactions.map(({ emoji }) => emoji).join())
    }
    expect(shown).toEqual(['👀', '👌', '👎', '🤷'])
  })
})

describe('typing, whispers and files', () => {
  it('typing is shown and ends by itself', async () => {
    const one = await bench()
    const chat = one.sim.group('Lobby', [one.sim.person('Ann')])
    await one.perform({ kind: 'typing', place: { chat }, on: true })
    expect(one.sim.isTyping(chat)).toBe(true)
    const before = one.sim.calls.length
    await one.perform({ kind: 'typing', place: { chat }, on: false })
    expect(one.sim.calls.length).toBe(before)
  })

  it('a whisper goes to the person alone, or not at all', async () => {
    const one = await bench()
    const [ann, bob] = [one.sim.person('Ann'), one.sim.person('Bob')]
    const chat = one.sim.group('Lobby', [ann, bob])
    const dm = one.sim.dm(ann)
    await one.perform({ kind: 'whisper', place: { chat }, to: ann.id, part: partOf('only you') })
    expect(one.sim.seen(dm).at(-1)?.text).toBe('only you')
    expect(one.sim.seen(chat).map(({ text }) => text)).not.toContain('only you')
    one.sim.strangerDm(bob)
    const error = await failure(
      one.perform({ kind: 'whisper', place: { chat }, to: bob.id, part: partOf('x') }),
    )
    expect(error.failure).toEqual({ kind: 'forbidden' })
  })

  it('a whisper to somebody who pressed a button is shown to them where they pressed it', async () => {
    const one = await bench()
    const [ann, bob] = [one.sim.person('Ann'), one.sim.person('Bob')]
    const chat = one.sim.group('Lobby', [ann, bob])
    const buttons = [{ label: 'Stop', value: 'stop' }]
    const { id = '' } = await one.post(chat, 'Working', { buttons })
    const whisper = (to: string, text = 'not yours') =>
      one.perform({ kind: 'whisper', place: { chat }, to, part: partOf(text) })
    // As the core does: it is told to say it while the press is being accepted.
    const accept = one.host.accept.bind(one.host)
    let said = Promise.resolve<unknown>(undefined)
    one.host.accept = async (event) => {
      const status = await accept(event)
      if (event.kind === 'press' && event.author.id === bob.id) said = whisper(bob.id)
      return status
    }
    one.sim.press(chat, id, bob, 'stop')
    await one.sim.until(() => one.sim.answers.length === 1, 'an answer')
    await said
    expect(one.sim.answers).toMatchObject([{ to: bob.id, text: 'not yours', alert: true }])
    one.sim.press(chat, id, ann, 'stop')
    await one.sim.until(() => one.sim.answers.length === 2, 'an answer')
    expect(one.sim.answers[1]).toMatchObject({ to: ann.id, text: '', alert: false })
    // Nobody waits any more: their own chat it is.
    const dm = one.sim.dm(bob)
    await whisper(bob.id, 'later')
    expect(one.sim.seen(dm).map(({ text }) => text)).toEqual(['later'])
    expect(one.sim.answers).toHaveLength(2)
  })

  it('a file goes as what it is', async () => {
    const one = await bench()
    const chat = one.sim.group('Lobby', [one.sim.person('Ann')])
    const path = join(await folder(), 'data')
    await writeFile(path, Buffer.alloc(3_000, 7))
    for (const name of ['report.pdf', 'a; "b" 图.txt', '../up.md']) {
      await one.perform({ kind: 'upload', place: { chat }, path, name })
      const [file] = one.sim.seen(chat).at(-1)?.files ?? []
      expect(file?.bytes).toBe(3_000)
      expect(file?.name).not.toMatch(/[/;"\\]/)
    }
    await one.perform({ kind: 'upload', place: { chat }, path, name: 'chart.png' })
    expect(one.sim.calls.at(-1)?.method).toBe('sendPhoto')
  })

  it('a picture that Telegram cannot show goes as a file, at the next attempt', async () => {
    const one = await bench()
    const chat = one.sim.group('Lobby', [one.sim.person('Ann')])
    const path = join(await folder(), 'data')
    await writeFile(path, 'no picture')
    one.sim.fault({
      method: 'sendPhoto',
      do: { kind: 'refuse', code: 400, description: 'Bad Request: PHOTO_INVALID_DIMENSIONS' },
    })
    const upload = { kind: 'upload' as const, place: { chat }, path, name: 'chart.png' }
    expect((await failure(one.perform(upload, 'one-key'))).failure).toEqual({ kind: 'unreachable' })
    await one.perform(upload, 'one-key')
    expect(one.sim.seen(chat).at(-1)?.files).toHaveLength(1)
  })

  it('a file that is none is refused before any request', async () => {
    const one = await bench()
    const chat = one.sim.group('Lobby', [one.sim.person('Ann')])
    const dir = await folder()
    await mkdir(join(dir, 'sub'))
    await writeFile(join(dir, 'empty'), '')
    const before = one.sim.calls.length
    for (const path of [join(dir, 'sub'), join(dir, 'empty'), join(dir, 'not-there')]) {
      const error = await failure(one.perform({ kind: 'upload', place: { chat }, path, name: 'x.txt' }))
      expect(error.failure).toEqual({ kind: 'invalid', field: 'file' })
    }
    expect(one.sim.calls.length).toBe(before)
  })
})

describe('a group that became a supergroup', () => {
  it('is told to the core, and the next attempt goes to its new id', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const old = one.sim.basicGroup('Small', [ann])
    one.host.refuse = 0
    const moved = one.sim.migrate(old, ann)
    expect((await failure(one.post(old, 'hello'))).failure).toEqual({ kind: 'unreachable' })
    await one.post(old, 'hello')
    expect(one.sim.seen(moved).at(-1)?.text).toBe('hello')
    const told = () =>
      one.host.accepted.filter(
        (event): event is InboundChange => event.kind === 'change' && event.movedTo !== undefined,
      )
    await until(() => told().length > 0, 'it is told')
    expect(told()).toMatchObject([{ place: { chat: old }, movedTo: moved }])
  })
})

/** Refusals as the Bot API server words them, and what they are. */
const REFUSALS: readonly [number, string, Failure][] = [
  [400, 'Bad Request: message to edit not found', { kind: 'gone', what: 'target' }],
  [400, 'Bad Request: message to delete not found', { kind: 'gone', what: 'target' }],
  [400, 'Bad Request: message to be replied not found', { kind: 'gone', what: 'target' }],
  [400, 'Bad Request: message to react not found', { kind: 'gone', what: 'target' }],
  [400, 'Bad Request: MESSAGE_ID_INVALID', { kind: 'gone', what: 'target' }],
  [400, 'Bad Request: message thread not found', { kind: 'gone', what: 'thread' }],
  [400, 'Bad Request: TOPIC_DELETED', { kind: 'gone', what: 'thread' }],
  [400, 'Bad Request: TOPIC_CLOSED', { kind: 'gone', what: 'thread' }],
  [400, 'Bad Request: chat not found', { kind: 'gone', what: 'chat' }],
  [403, 'Forbidden: the group chat was deleted', { kind: 'gone', what: 'chat' }],
  [403, 'Forbidden: bot was kicked from the supergroup chat', { kind: 'forbidden' }],
  [403, 'Forbidden: bot was blocked by the user', { kind: 'forbidden' }],
  [403, "Forbidden: bot can't initiate conversation with a user", { kind: 'forbidden' }],
  [403, 'Forbidden: user is deactivated', { kind: 'forbidden' }],
  [400, 'Bad Request: not enough rights to send text messages to the chat', { kind: 'forbidden' }],
  [400, "Bad Request: message can't be edited", { kind: 'forbidden' }],
  [400, "Bad Request: message can't be deleted for everyone", { kind: 'forbidden' }],
  [400, 'Bad Request: CHAT_WRITE_FORBIDDEN', { kind: 'forbidden' }],
  [400, 'Bad Request: message is too long', { kind: 'invalid', field: 'length' }],
  [413, 'Request Entity Too Large', { kind: 'invalid', field: 'length' }],
  [400, "Bad Request: can't parse entities: Unsupported start tag", { kind: 'invalid', field: 'markup' }],
  [400, 'Bad Request: message text is empty', { kind: 'invalid', field: 'other' }],
  [400, 'Bad Request: REACTION_INVALID', { kind: 'invalid', field: 'other' }],
  [401, 'Unauthorized', { kind: 'unauthorized' }],
  [404, 'Not Found', { kind: 'unauthorized' }],
  [404, 'Not Found: method not found', { kind: 'invalid', field: 'other' }],
  [500, 'Internal Server Error', { kind: 'ambiguous' }],
  [504, 'Gateway Timeout', { kind: 'ambiguous' }],
]

describe('a refusal', () => {
  /** A connection to a server that answers every post with this. */
  async function refusing(status: number, body: object) {
    const { url } = await serve((path, response) => {
      if (path.endsWith('/getMe'))
        return json(response, { ok: true, result: { id: 7, first_name: 'Golem', is_bot: true } })
      if (path.endsWith('/sendMessage'))
        return json(response, { ok: false, error_code: status, ...body }, status)
      if (!path.endsWith('/getUpdates')) json(response, { ok: true, result: true })
    })
    const clock = new VirtualClock({ manual: true, start: T0 })
    const host = new TestHost('telegram', await folder(), clock)
    const connection = await telegram.connect({ botToken: '7:AAtoken-of-the-test', apiUrl: url }, host)
    const op = { kind: 'post' as const, place: { chat: '-100123' }, part: partOf('x') }
    const error = await failure(connection.perform(op, 'k', new AbortController().signal))
    expect(error.message).not.toContain('AAtoken')
    await connection.close(clock.now())
    return error
  }

  it.each(REFUSALS)('%i %s', async (status, description, expected) => {
    expect((await refusing(status, { description })).failure).toEqual(expected)
  })

  it('tg-429-during-streaming-edits: says to the millisecond when to try again', async () => {
    const error = await refusing(429, {
      description: 'Too Many Requests: retry after 13938',
      parameters: { retry_after: 13_938 },
    })
    expect(error.failure).toEqual({ kind: 'rate-limited', retryAt: T0 + 13_938_000, scope: 'chat' })
    const told = await refusing(429, { description: 'Too Many Requests: retry after 5' })
    expect(told.failure).toEqual({ kind: 'rate-limited', retryAt: T0 + 5_000, scope: 'chat' })
  })

  it('before there was anybody to refuse is unreachable, after it ambiguous', async () => {
    const one = await bench()
    const chat = one.sim.group('Lobby', [one.sim.person('Ann')])
    const before = new AbortController()
    before.abort()
    const op = { kind: 'post' as const, place: { chat }, part: partOf('x') }
    expect((await failure(one.perform(op, 'a', before.signal))).failure.kind).toBe('unreachable')
    one.sim.fault({ method: 'sendMessage', times: 1, do: { kind: 'silent-success', how: 'cut' } })
    expect((await failure(one.perform(op))).failure.kind).toBe('ambiguous')
    one.sim.fault({ method: 'sendMessage', times: 1, do: { kind: 'silent-success', how: 'hang' } })
    const during = new AbortController()
    const hanging = failure(one.perform(op, 'b', during.signal))
    await until(() => one.sim.seen(chat).length > 1, 'it stands in the chat')
    during.abort()
    expect((await hanging).failure.kind).toBe('ambiguous')
  })

  it('of an id that Telegram never gave needs no request', async () => {
    const one = await bench()
    const before = one.sim.calls.length
    for (const chat of ['../../x', '-100; DROP', '9'.repeat(40), ''])
      expect((await failure(one.post(chat, 'x'))).failure).toEqual({ kind: 'invalid', field: 'other' })
    const chat = one.sim.group('Lobby', [one.sim.person('Ann')])
    const part = { text: 'x', mentions: [], body: { nothing: true } }
    expect((await failure(one.perform({ kind: 'post', place: { chat }, part }))).failure.kind).toBe('invalid')
    const body: TelegramBody = { text: 'x'.repeat(4_097), entities: [] }
    const long = { text: 'x', mentions: [], body }
    expect((await failure(one.perform({ kind: 'post', place: { chat }, part: long }))).failure).toEqual({
      kind: 'invalid',
      field: 'length',
    })
    expect(one.sim.calls.length).toBe(before)
  })
})

async function listed({ connection }: Bench, chat: string): Promise<Member[]> {
  const found: Member[] = []
  for await (const member of connection.members?.({ chat }) ?? []) found.push(member)
  return found
}

describe('members', () => {
  it('are the administrators, with the names they are called by', async () => {
    const one = await bench()
    const ann = one.sim.person('Ann')
    const chat = one.sim.group('Lobby', [ann])
    one.sim.anonymousAdmin(chat, ann)
    const found = await listed(one, chat)
    expect(found).toContainEqual({ id: ann.id, name: 'Ann', kind: 'person', aliases: [ann.username] })
    const dm = one.sim.dm(ann)
    expect(await listed(one, dm)).toEqual([])
  })
})
