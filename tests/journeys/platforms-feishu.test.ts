/** What only Feishu has: topics beside quotes, rich text, cards and their limits, several apps in one chat, recalls. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import type { FeishuSimulator } from '../simulators/feishu/index.js'
import {
  again,
  Chat,
  connection,
  Daemon,
  feishu,
  OBEYS,
  onPlatforms,
  type Person,
  phase,
  telegram,
  until,
  verbatim,
} from './platforms.js'

let daemon: Daemon
let stage: FeishuSimulator
let ann: Person
let bob: Person
const chat = (id: string): Chat => new Chat(daemon, stage, id)
const group = (title: string): Chat => chat(stage.group(title, [ann, bob]))

beforeAll(async () => {
  stage = await feishu()
  ann = stage.person('Ann')
  bob = stage.person('Bob')
  daemon = await onPlatforms([{ stage }], { more: 'rooms: { "*": { workingFolder: . } }\n' })
})

async function working(file: string): Promise<void> {
  await until(() => existsSync(join(daemon.folder, `${file}.started`)), 'nobody works')
}
const finish = (file: string): void => writeFileSync(join(daemon.folder, file), '')
const at = (person: Person): string => `<at user_id="${person.id}">${person.name}</at>`
const kindsIn = (room: Chat): unknown[] =>
  stage.calls
    .filter(
      ({ method, chat: of, effect }) => of === room.id && effect && /message\.(?:create|reply)$/.test(method),
    )
    .map(({ params }) => params.msg_type)

describe.concurrent('side by side', () => {
  it('rich text is read with its title, links, code, pictures and what is new in it', async ({ expect }) => {
    const room = group('周报')
    stage.feishu.richText(room.id, bob, {
      title: '周报',
      content: [
        [
          { tag: 'text', text: '看看 ' },
          { tag: 'a', text: '链接', href: 'https://doc.example/x' },
        ],
        [{ tag: 'code_block', language: 'JS', text: 'a < b' }],
        [{ tag: 'new_tag_2030', text: '未知' }],
      ],
    })
    const [answer] = await room.ask(ann, 'do context')
    const text = answer?.text ?? ''
    for (const part of ['周报', '看看', '链接', 'a < b', '未知']) expect(text).toContain(part)
    expect(text).not.toMatch(/"tag"|@_user_/)
    const files = [{ name: 'a.png', mime: 'image/png', bytes: PNG }]
    const [seen] = await room.ask(ann, 'do files', { files })
    expect(seen?.text).toMatch(/[0-9a-f]{64}$/)
  })

  it('files and voice messages are read by whoever replies to them', async ({ expect }) => {
    const room = group('files')
    const bytes = Buffer.from('OggS')
    const voice = room.say(bob, '', { files: [{ name: 'voice.opus', mime: 'audio/ogg', bytes }] })
    const [heard] = await room.ask(ann, 'do files', { replyTo: voice })
    expect(heard?.text).toMatch(/^\S+ [0-9a-f]{64}$/)
    stage.feishu.sticker(room.id, bob)
    expect((await room.ask(ann, 'do say fine'))[0]?.text).toBe('fine')
  })

  it('merged forwards are read with the names and words in them', async ({ expect }) => {
    const source = group('source')
    const ids = [source.say(bob, 'the roof leaks'), source.say(ann, 'since Monday')]
    const room = group('forwards')
    stage.feishu.forward(room.id, bob, ids)
    const [answer] = await room.ask(ann, 'do context')
    expect(answer?.text).toContain('the roof leaks')
    expect(answer?.text).toContain('since Monday')
  })

  it('@all is an announcement, and a mention beside it is a question', async ({ expect }) => {
    const room = group('announcements')
    const id = room.say(ann, '<at user_id="all"></at> do say no')
    await room.rest()
    expect(room.own).toEqual([])
    expect((await room.receipt(id)).decision?.addressed).toBe(false)
    const both = room.say(ann, `<at user_id="all"></at> ${at(stage.bot)} do say yes`)
    await room.rest()
    expect(room.answers(both)).toMatchObject([{ text: 'yes' }])
  })

  it('other people’s names stay, only the bot’s own goes', async ({ expect }) => {
    const room = group('names')
    const id = room.say(ann, `${at(stage.bot)} 请通知 ${at(bob)}`)
    await room.rest()
    expect(room.answers(id)[0]?.text).toMatch(/^heard: 请通知 @Bob$/)
  })

  it('a quote is no topic: what is answered stays in the chat, as a quote', async ({ expect }) => {
    const room = group('quotes')
    const said = room.say(bob, 'the roof leaks')
    const id = room.say(ann, 'do say noted', { replyTo: said, mention: true })
    await room.rest()
    const [answer] = room.answers(id)
    expect(answer).toMatchObject({ text: 'noted', replyTo: id })
    expect(answer?.thread).toBeUndefined()
  })

  it('a topic is a conversation of its own, and answered inside', async ({ expect }) => {
    const topics = chat(stage.feishu.topicGroup('topics', [ann, bob]))
    const release = topics.say(bob, 'the release is on Friday')
    const garden = topics.say(bob, 'the garden')
    const thread = stage.feishu.topic(topics.id, release)
    const [answer] = await topics.ask(ann, 'do context', { thread })
    expect(answer).toMatchObject({ thread })
    expect(answer?.text).toBe('Bob: the release is on Friday\nAnn: do context')
    const other = stage.feishu.topic(topics.id, garden)
    const [beside] = await topics.ask(ann, 'do context', { thread: other })
    expect(beside?.thread).toBe(other)
    expect(beside?.text).not.toContain('Friday')
  })

  it('a topic that a reply opens in an ordinary chat is answered inside', async ({ expect }) => {
    const room = group('opened')
    const root = room.say(bob, 'the roof leaks')
    const id = stage.feishu.say(room.id, ann, 'do say inside', {
      replyTo: root,
      inThread: true,
      mention: true,
    })
    await room.rest()
    expect(room.answers(id)).toMatchObject([{ text: 'inside', thread: room.message(id).thread }])
  })

  it('members who never spoke are mentioned natively, people who are not there stay text', async ({
    expect,
  }) => {
    const cid = stage.person('李雷')
    const room = chat(stage.group('members', [ann, cid]))
    const [answer] = await room.ask(ann, 'do say @李雷 完成了, @Nobody')
    expect(answer).toMatchObject({ text: '@李雷 完成了, @Nobody', pings: [cid.id] })
  })

  it('a card that Feishu refuses becomes a text, once', async ({ expect }) => {
    const room = group('refused')
    stage.fault({
      method: 'im.message.reply',
      chat: room.id,
      times: 1,
      do: {
        kind: 'refuse',
        code: 230_099,
        description: 'Failed to create card content, ext=ErrCode: 200621; ErrMsg: parse card json err',
      },
    })
    const id = room.say(ann, 'do say **the answer** is 42', { mention: true })
    await room.rest()
    expect(room.own).toHaveLength(1)
    expect(room.answers(id)[0]?.text).toContain('the answer')
    expect(room.answers(id)[0]?.text).toContain('is 42')
    expect(kindsIn(room)).not.toContain('interactive')
  })

  it('more than a card of 30 kB holds, and more tables than one takes, come whole and in order', async ({
    expect,
  }) => {
    const room = group('large')
    await room.ask(ann, verbatim('汉'.repeat(24_000)))
    expect(room.own.map(({ text }) => text).join('')).toBe('汉'.repeat(24_000))
    const tables = Array.from({ length: 9 }, (_, n) => `表${n}\n\n| a | b |\n|---|---|\n| ${n} | x${n} |`)
    const before = room.own.length
    await room.ask(ann, verbatim(tables.join('\n\n')))
    const text = room.own
      .slice(before)
      .map((one) => one.text)
      .join('\n')
    expect(text.match(/x\d/g)).toEqual(tables.map((_, n) => `x${n}`))
    const refused = stage.calls.filter(({ chat: of, status }) => of === room.id && status !== 200)
    expect(refused).toEqual([])
  })

  it('Stop is a button: whoever presses is answered in time', async ({ expect }) => {
    const room = group('buttons')
    const id = room.say(ann, 'do hang', { mention: true })
    const status = () => room.own.find(({ buttons }) => buttons.length > 0)
    await until(() => status() !== undefined, 'no status post appeared')
    const { id: post = '', buttons = [] } = status() ?? {}
    expect(buttons.map(({ label }) => label)).toEqual(['Stop'])
    const toasts = (who: Person) =>
      stage.feishu.toasts.filter(({ person, message }) => person === who.id && message === post)
    stage.press(room.id, post, bob, buttons[0]?.value ?? '')
    await until(() => stage.pending === 0, 'not taken')
    expect((await room.receipt(id)).outcome).toBe('running')
    stage.press(room.id, post, ann, buttons[0]?.value ?? '')
    await room.rest()
    await until(() => status() === undefined, 'the status post stays')
    expect(room.own.filter(({ onlyFor }) => onlyFor === undefined).map(({ text }) => text)).toContain(
      'Golem was stopped.',
    )
    for (const who of [ann, bob]) expect(toasts(who).filter(({ type }) => type === 'failed')).toEqual([])
  })

  it('a question that is recalled before its turn is not answered, and its words are gone', async ({
    expect,
  }) => {
    const room = group('recalls')
    room.say(ann, 'do wait recall.txt', { mention: true })
    await working('recall.txt')
    const id = room.say(bob, 'do say swordfish', { mention: true })
    await until(() => stage.pending === 0, 'not taken')
    stage.delete(room.id, id)
    await until(() => stage.pending === 0, 'not taken')
    finish('recall.txt')
    await room.rest()
    expect(room.own.map(({ text }) => text)).toEqual(['recall.txt is there'])
    expect(JSON.stringify(await room.receipt(id))).not.toContain('swordfish')
  })

  it.each([
    ['230011', { kind: 'refuse', code: 230_011, description: 'The message was withdrawn.' }],
    ['231003', { kind: 'refuse', code: 231_003, description: 'The message is not found' }],
    ['no code', { kind: 'status', status: 400, body: '{"msg":"The message was withdrawn."}' }],
  ] as const)(
    'an answer to what was just recalled is shown once, without a quote: %s',
    async (name, refusal) => {
      const room = group(`withdrawn ${name}`)
      stage.fault({ method: 'im.message.reply', chat: room.id, do: refusal })
      room.say(ann, 'do say 答案是 42', { mention: true })
      await room.rest()
      const said = room.own.map(({ text, replyTo }) => [text, replyTo])
      if (JSON.stringify(said) !== JSON.stringify([['答案是 42', undefined]]))
        throw new Error(`it was answered by ${JSON.stringify(said)}`)
    },
  )

  it('a command stands behind the mention', async ({ expect }) => {
    const room = group('commands')
    room.say(bob, 'the roof leaks')
    await room.ask(ann, '/new')
    const [answer] = await room.ask(ann, 'do context')
    expect(answer?.text).not.toContain('the roof leaks')
  })

  it('people of another company have a name, and are not the bot', async ({ expect }) => {
    const guest = stage.feishu.externalPerson('外部访客')
    const room = chat(stage.group('shared', [ann, guest]))
    const id = room.say(ann, `${at(guest)} do say no`)
    await room.rest()
    expect(room.own).toEqual([])
    expect((await room.receipt(id)).outcome).toBe('kept')
    room.say(guest, 'hello from next door')
    const [answer] = await room.ask(ann, 'do context')
    expect(answer?.text).toContain('hello from next door')
  })
})

it('two apps in one chat: each answers what names it, and neither the other', async ({ expect }) => {
  const tenant = await feishu({ hearsBots: true })
  const cid = tenant.person('Cid')
  const labs = tenant.feishu.app({ name: 'Labs' })
  const lobby = tenant.feishu.group('lobby', { people: [cid], apps: [labs] })
  const channels = {
    local: false,
    feishu: [
      { id: 'main', ...tenant.settings('socket') },
      { id: 'labs', ...labs.settings('socket') },
    ],
  }
  const both = await Daemon.start(
    `name: Golem\ngroupChat: { debounce: 50ms }\nchannels: ${JSON.stringify(channels)}\nagents:\n${OBEYS}`,
  )
  for (const id of ['feishu', 'feishu.labs']) await phase(both, id, 'ready')
  const room = new Chat(both, tenant, lobby)
  const said = () =>
    room
      .seen()
      .filter(({ author }) => author.bot)
      .map(({ author, text }) => [author.name, text])
  room.say(cid, 'do say I am the first', { mention: true })
  await until(() => said().length === 1, 'nobody answered')
  room.say(cid, `${at(labs.person)} do say I am the other`)
  await until(() => said().length === 2, 'the other did not answer')
  await both.quiet()
  expect(said()).toEqual([
    ['Golem', 'I am the first'],
    ['Labs', 'I am the other'],
  ])
})

describe.concurrent('what goes wrong', () => {
  it('what comes again hours later, also after a restart and under another id, is answered once', async ({
    expect,
  }) => {
    const late = await feishu({ freshEventIds: true })
    const cid = late.person('Cid')
    const seats = [{ stage: late }]
    const going = await onPlatforms(seats)
    const room = new Chat(going, late, late.group('lobby', [cid]))
    await room.ask(cid, 'do say once')
    late.clock.advance(6 * 3_600_000)
    late.redeliver(3)
    await room.rest()
    await going.kill('SIGTERM')
    await again(going, seats)
    late.clock.advance(3_600_000)
    late.redeliver(3)
    await room.rest()
    expect(room.own.map(({ text }) => text)).toEqual(['once'])
  })

  it('frames that are none end nothing', async ({ expect }) => {
    const noisy = await feishu()
    const cid = noisy.person('Cid')
    const going = await onPlatforms([{ stage: noisy }])
    const room = new Chat(going, noisy, noisy.group('lobby', [cid]))
    for (const bytes of [
      Uint8Array.of(),
      Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
      Buffer.from('{"not":"protobuf"}'),
      Uint8Array.from({ length: 4_096 }, (_, index) => (index * 197 + 129) & 0xff),
    ])
      noisy.garble(bytes)
    const id = room.say(cid, 'do say fine', { mention: true })
    await until(() => room.answers(id).length > 0, 'it hears nothing any more')
    expect(going.alive).toBe(true)
    await phase(going, 'feishu', 'ready')
  })

  it('with the scope for mentions only, a smart room is refused with a sentence, and mentions still answered', async ({
    expect,
  }) => {
    const shy = await feishu({ sees: 'addressed' })
    const cid = shy.person('Cid')
    const id = shy.group('shy', [cid])
    const careful = await onPlatforms([{ stage: shy }], {
      more: `rooms: { "feishu:${id}": { groupPolicy: smart } }\n`,
    })
    const room = new Chat(careful, shy, id)
    room.say(cid, 'do say I should not know')
    const asked = room.say(cid, 'do say yes', { mention: true })
    await room.rest()
    expect(room.own.map(({ text }) => text)).toEqual(['yes'])
    const health = await connection(careful, 'feishu')
    expect(health).toMatchObject({ phase: 'ready', sees: 'addressed' })
    expect(health.note).toMatch(/im:message\.group_msg/)
    expect(health.note).toMatch(/smart or always behave as mention-only/)
    const gates = (await room.receipt(asked)).decision?.gates
    expect(gates?.find(({ gate }) => gate === 'policy')?.saw).toMatchObject({
      policy: 'smart',
      sees: 'addressed',
    })
  })

  it('an app that may not post is shown with its cure, and another platform goes on', async ({ expect }) => {
    const [mute, other] = [await feishu({ scopes: ['im:message.group_msg'] }), await telegram()]
    const going = await onPlatforms([{ stage: mute }, { stage: other }], { early: true })
    await phase(going, 'feishu', 'failed')
    const health = await connection(going, 'feishu')
    expect(health.reason).toMatch(/im:message/)
    expect(health.cure).toMatch(/Permissions & Scopes/)
    await phase(going, 'telegram', 'ready')
    const cid = other.person('Cid')
    const room = new Chat(going, other, other.group('lobby', [cid]))
    expect(await room.ask(cid, 'do say here')).toMatchObject([{ text: 'here' }])
  })

  it('tokens that end before their time are asked for again, without anybody noticing', async ({
    expect,
  }) => {
    const short = await feishu()
    const cid = short.person('Cid')
    const going = await onPlatforms([{ stage: short }])
    const room = new Chat(going, short, short.group('lobby', [cid]))
    await room.ask(cid, 'do say one')
    short.expireTokens()
    await room.ask(cid, 'do say two')
    expect(room.own.map(({ text }) => text)).toEqual(['one', 'two'])
  })
})

it('has nothing to complain about', ({ expect }) => {
  // What was made to fail: the refused card and what was recalled.
  const expected = /230099|230011|231003|withdrawn/
  expect(daemon.warnings.filter(({ msg }) => !expected.test(msg))).toEqual([])
})

/** One dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
