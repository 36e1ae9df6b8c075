/** What only Discord has: servers with threads and forums, roles, reply pings, commands in its menus, sessions. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import type { DiscordSimulator } from '../simulators/discord/index.js'
import {
  again,
  Chat,
  connection,
  type Daemon,
  discord,
  onPlatforms,
  type Person,
  phase,
  slack,
  until,
} from './platforms.js'

let daemon: Daemon
let stage: DiscordSimulator
let ann: Person
let bob: Person
let open: string
let forum: string
const chat = (id: string): Chat => new Chat(daemon, stage, id)
const group = (title: string): Chat => chat(stage.group(title, [ann, bob]))

beforeAll(async () => {
  stage = await discord()
  ann = stage.person('Ann')
  bob = stage.person('Bob')
  open = stage.group('open', [ann, bob])
  forum = stage.discord.channel('questions', { kind: 'forum', people: [ann, bob] })
  daemon = await onPlatforms([{ stage }], {
    more: `rooms:
  "*": { workingFolder: . }
  "discord:${open}": { groupPolicy: always }
`,
  })
})

async function working(file: string): Promise<void> {
  await until(() => existsSync(join(daemon.folder, `${file}.started`)), 'nobody works')
}
const finish = (file: string): void => writeFileSync(join(daemon.folder, file), '')

describe.concurrent('side by side', () => {
  it('a thread has the settings of its channel, and is a conversation of its own', async ({ expect }) => {
    const room = chat(open)
    const root = room.say(bob, 'do say to the root')
    await room.rest()
    const id = room.say(ann, 'do context', { thread: root })
    await room.rest()
    const [answer] = room.answers(id)
    expect(answer?.thread).toBe(root)
    expect(answer?.text).toContain('Ann: do context')
    expect((await room.receipt(id)).decision?.gates.find(({ gate }) => gate === 'policy')?.saw).toMatchObject(
      { policy: 'always' },
    )
    const beside = stage.discord.thread(open, ann, 'beside', { text: 'do say in here' })
    await room.rest()
    expect(chat(beside).own.map(({ text, thread }) => [text, thread])).toEqual([['in here', beside]])
  })

  it('a post in a forum is a thread: it is answered inside, also its first message', async ({ expect }) => {
    const room = chat(forum)
    const post = stage.discord.forumPost(forum, ann, 'How?', `<@${stage.bot.id}> do say like this`)
    await room.rest()
    await until(() => room.own.some(({ thread }) => thread === post), 'the post is not answered')
    expect(room.own.filter(({ thread }) => thread === post)).toMatchObject([{ text: 'like this' }])
    const again = room.say(bob, 'do context', { thread: post, mention: true })
    await room.rest()
    expect(room.answers(again).at(-1)?.text).toContain('like this')
  })

  it('the role that Discord made for the bot is the bot, another role is not', async ({ expect }) => {
    const room = group('roles')
    const role = stage.discord.role('oncall', { people: [bob] })
    const other = room.say(ann, `<@&${role}> do say no`)
    await room.rest()
    expect(room.own).toEqual([])
    expect((await room.receipt(other)).outcome).toBe('kept')
    const id = room.say(ann, `<@&${stage.discord.botRole()}> do say yes`)
    await room.rest()
    expect(room.answers(id)).toMatchObject([{ text: 'yes' }])
  })

  it('a reply to the bot is for the bot, with or without its ping; one to a person is not', async ({
    expect,
  }) => {
    const room = group('replies')
    const [first] = await room.ask(ann, 'do say first')
    const replyTo = first?.id ?? ''
    const quiet = stage.discord.say(room.id, ann, 'do say second', { replyTo, pingReply: false })
    await room.rest()
    expect(room.answers(quiet)).toMatchObject([{ text: 'second' }])
    const loud = stage.discord.say(room.id, bob, 'do say third', { replyTo, pingReply: true })
    await room.rest()
    expect(room.answers(loud)).toMatchObject([{ text: 'third' }])
    const person = room.say(bob, 'lunch?')
    const reply = stage.discord.say(room.id, ann, 'do say no', { replyTo: person, pingReply: true })
    await room.rest()
    expect(room.answers(reply)).toEqual([])
    expect((await room.receipt(reply)).outcome).toBe('kept')
  })

  it('@everyone and @here are announcements, not questions', async ({ expect }) => {
    const room = group('announcements')
    const id = room.say(ann, '@everyone do say no')
    room.say(ann, '@here do say no')
    await room.rest()
    expect(room.own).toEqual([])
    expect((await room.receipt(id)).decision?.addressed).toBe(false)
  })

  it('people of the server are mentioned by name who never spoke; after a rename by the new one', async ({
    expect,
  }) => {
    const cid = stage.discord.person({ name: 'Cid', guild: stage.discord.guild })
    const room = group('names')
    const [one] = await room.ask(ann, 'do say @Cid, look here')
    expect(one).toMatchObject({ text: '@Cid, look here' })
    expect(one?.pings).toContain(cid.id)
    stage.discord.nickname(cid, 'Captain')
    const [two] = await room.ask(ann, 'do say @Captain and @Cid')
    expect(two?.pings).toContain(cid.id)
    expect(two?.text).toContain('@Captain')
  })

  it('a message that is deleted before its turn is not answered, and its words are gone', async ({
    expect,
  }) => {
    const room = group('deletions')
    room.say(ann, 'do wait deletion.txt', { mention: true })
    await working('deletion.txt')
    const id = room.say(bob, 'do say swordfish', { mention: true })
    await until(() => stage.pending === 0, 'not taken')
    stage.delete(room.id, id)
    await until(() => stage.pending === 0, 'not taken')
    finish('deletion.txt')
    await room.rest()
    expect(room.own.map(({ text }) => text)).toEqual(['deletion.txt is there'])
    const receipt = await room.receipt(id)
    expect(receipt).toMatchObject({ outcome: 'stopped', message: { text: null } })
    expect(JSON.stringify(receipt)).not.toContain('swordfish')
  })

  it('a question that is deleted while an agent works is worked on no more, and the next one is answered', async ({
    expect,
  }) => {
    const room = group('gone')
    const id = room.say(ann, 'do wait gone.txt', { mention: true })
    await working('gone.txt')
    const next = room.say(bob, 'do words 900', { mention: true })
    stage.delete(room.id, id)
    await until(() => stage.pending === 0, 'not taken')
    await room.rest()
    expect((await room.receipt(id)).outcome).toBe('stopped')
    expect(room.answers(next)).toHaveLength(1)
    expect(room.own.map(({ text }) => text).join(' ')).toMatch(/^word0 .* word899$/)
  })

  it('Stop is a button: whoever presses is answered in time, and only they are told that it is not theirs', async ({
    expect,
  }) => {
    const room = group('buttons')
    const id = room.say(ann, 'do hang', { mention: true })
    const status = () => room.own.find(({ buttons }) => buttons.length > 0)
    await until(() => status() !== undefined, 'no status post appeared')
    expect(status()).toMatchObject({ text: 'Working on it…', silent: true, buttons: [{ label: 'Stop' }] })
    const { id: post = '', buttons = [] } = status() ?? {}
    stage.press(room.id, post, bob, buttons[0]?.value ?? '')
    const told = () => room.seen(bob).filter(({ onlyFor }) => onlyFor === bob.id)
    await until(() => told().length > 0, 'the bystander was not told')
    expect(told()).toMatchObject([{ text: 'Only the person who asked may press this.' }])
    expect(room.seen(ann).filter(({ onlyFor }) => onlyFor !== undefined)).toEqual([])
    expect((await room.receipt(id)).outcome).toBe('running')
    stage.press(room.id, post, ann, buttons[0]?.value ?? '')
    await room.rest()
    await until(() => status() === undefined, 'the status post stays')
    expect(room.own.filter(({ onlyFor }) => onlyFor === undefined).map(({ text }) => text)).toEqual([
      'Well',
      'Golem was stopped.',
    ])
  })

  it('`/golem ask` is answered where it was asked, `/golem why` for the one who asked alone', async ({
    expect,
  }) => {
    const room = group('commands')
    stage.discord.slash(room.id, ann, 'golem ask', { question: 'do say by command' })
    await until(() => room.own.some(({ text }) => text.includes('by command')), 'it is not answered')
    room.say(bob, 'nobody is asked')
    await room.rest()
    stage.discord.slash(room.id, bob, 'golem why')
    const told = () => room.seen(bob).filter(({ onlyFor, text }) => onlyFor === bob.id && text !== '')
    await until(() => told().some(({ text }) => text.includes('mention')), 'why was not answered')
    expect(room.seen(ann).filter(({ onlyFor }) => onlyFor !== undefined)).toEqual([])
  })

  it('“Why?” in the menu of one’s own message explains it, in that of another’s does not', async ({
    expect,
  }) => {
    const room = group('menus')
    const aside = room.say(bob, 'nobody is asked')
    await room.ask(ann, 'do say yes')
    stage.discord.messageCommand(room.id, aside, bob, 'Why?')
    const told = (who: Person) => room.seen(who).filter(({ onlyFor }) => onlyFor === who.id)
    await until(() => told(bob).some(({ text }) => text.includes('mention')), 'it was not explained')
    expect(told(bob)).toHaveLength(1)
    stage.discord.messageCommand(room.id, aside, ann, 'Why?')
    await until(() => told(ann).some(({ text }) => text.includes('Only your own')), 'it was not refused')
    expect(told(ann)).toHaveLength(1)
  })

  it('an answer to a command whose token has expired is posted all the same', async ({ expect }) => {
    const room = group('expired')
    const undo = stage.fault({
      method: 'editOriginalResponse',
      chat: room.id,
      do: { kind: 'refuse', code: 50_027 },
    })
    stage.discord.slash(room.id, ann, 'golem ask', { question: 'do say too late' })
    await until(() => room.own.some(({ text }) => text.includes('too late')), 'the answer is lost')
    undo()
    await room.rest()
    expect(room.own.filter(({ text }) => text.includes('too late'))).toHaveLength(1)
  })

  it('forwards, stickers, polls, voice messages and other bots are heard', async ({ expect }) => {
    const room = group('kinds')
    const source = group('source')
    const said = source.say(bob, 'the original words')
    stage.discord.forward(room.id, bob, { chat: source.id, id: said })
    const sticker = stage.discord.say(room.id, bob, '', { stickers: ['Wave'] })
    stage.discord.say(room.id, bob, '', { poll: { question: 'Pizza?', answers: ['yes', 'no'] } })
    stage.discord.sayAsWebhook(room.id, 'CI', 'build 7 is red')
    const [answer] = await room.ask(ann, 'do context')
    for (const part of ['the original words', 'Pizza?', 'CI: build 7 is red'])
      expect(answer?.text).toContain(part)
    expect((await room.receipt(sticker)).outcome).toBe('kept')
    const bytes = Buffer.from('OggS')
    const files = [{ name: 'voice-message.ogg', mime: 'audio/ogg', bytes }]
    const id = stage.discord.say(room.id, ann, '', { files, voiceSeconds: 3, replyTo: answer?.id ?? '' })
    await room.rest()
    expect((await room.receipt(id)).decision?.addressed).toBe(true)
  })

  it('a thread that was archived opens again for the answer; a locked one costs the answer nothing', async ({
    expect,
  }) => {
    const room = group('archives')
    const thread = stage.discord.thread(room.id, ann, 'old')
    room.say(ann, 'do wait archive.txt', { thread, mention: true })
    await working('archive.txt')
    stage.discord.archive(thread)
    finish('archive.txt')
    await room.rest()
    expect(room.own.map(({ text }) => text)).toEqual(['archive.txt is there'])
    const locked = stage.discord.thread(room.id, ann, 'locked')
    room.say(ann, 'do wait lock.txt', { thread: locked, mention: true })
    await working('lock.txt')
    stage.discord.archive(locked)
    stage.discord.lock(locked)
    finish('lock.txt')
    await room.rest()
    expect(room.own.map(({ text }) => text)).toContain('lock.txt is there')
  })
})

it('nobody waited for an answer in vain', ({ expect }) => {
  expect(stage.discord.failed).toEqual([])
})

describe.concurrent('away', () => {
  async function world(options: Parameters<typeof discord>[0] = {}) {
    const own = await discord(options)
    const cid = own.person('Cid')
    const seats = [{ stage: own }]
    const going = await onPlatforms(seats)
    const room = new Chat(going, own, own.group('lobby', [cid]))
    await room.ask(cid, 'do say awake')
    return { own, cid, seats, going, room }
  }

  it('a restart goes on in its session and misses nothing, in threads neither', async ({ expect }) => {
    const { own, cid, seats, going, room } = await world()
    await going.kill('SIGTERM')
    room.say(cid, 'the plan changed')
    const missed = room.say(cid, 'do say I was away', { mention: true })
    const thread = own.discord.thread(room.id, cid, 'aside')
    const inside = room.say(cid, 'do say inside', { thread, mention: true })
    // What stood in a thread before the bot was called there is read; in the channel there is nothing to read.
    const reads = () =>
      own.calls.filter(({ method, params }) => method === 'getMessages' && params.channel === undefined)
        .length
    const before = reads()
    await again(going, seats)
    await until(() => room.answers(missed).length > 0 && room.answers(inside).length > 0, 'it was missed')
    await room.rest()
    expect(room.answers(missed).map(({ text }) => text)).toContain('I was away')
    expect(room.own.map(({ text }) => text).sort()).toEqual(['I was away', 'awake', 'inside'].sort())
    expect(own.lost).toEqual([])
    expect(reads()).toBe(before)
    const [context] = await room.ask(cid, 'do context')
    expect(context?.text).toContain('Cid: the plan changed')
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'after %s and longer than a session lasts, what was missed is read back',
    async (signal) => {
      const { own, cid, seats, going, room } = await world()
      await going.kill(signal)
      own.expireSessions()
      room.say(cid, 'the plan changed')
      const missed = room.say(cid, 'do say I was away', { mention: true })
      await again(going, seats)
      await until(() => room.answers(missed).length > 0, 'what was missed is not answered')
      await room.rest()
      if (room.answers(missed)[0]?.text !== 'I was away') throw new Error('it was answered otherwise')
      if (room.own.length !== 2) throw new Error(`it was answered ${room.own.length - 1} times`)
      await until(
        async () => (await connection(going, 'discord')).lastCatchUp?.complete === true,
        'it is not said',
      )
      const [context] = await room.ask(cid, 'do context')
      if (context?.text.includes('Cid: the plan changed') !== true) throw new Error('it is no context')
    },
  )

  it('a session that Discord gives up while Golem runs costs no message either', async ({ expect }) => {
    const { own, cid, going, room } = await world()
    own.expireSessions()
    own.cut('close')
    const missed = room.say(cid, 'do say between sessions', { mention: true })
    await until(() => room.answers(missed).length > 0, 'it was missed')
    own.invalidate()
    const next = room.say(cid, 'do say after that', { mention: true })
    await until(() => room.answers(next).length > 0, 'it was missed')
    own.reconnect()
    const last = room.say(cid, 'do say and again', { mention: true })
    await until(() => room.answers(last).length > 0, 'it was missed')
    await phase(going, 'discord', 'ready')
    expect(room.own).toHaveLength(4)
  })
})

describe('what cannot go on', () => {
  it.each([
    [4004, /token/i],
    [4013, /intents/i],
    [4014, /intent/i],
  ])('close code %i is shown with its cure, and another platform goes on', async (code, says) => {
    const [own, other] = [await discord(), await slack()]
    const going = await onPlatforms([{ stage: own }, { stage: other }])
    own.closeGateway(code)
    await phase(going, 'discord', 'failed')
    const health = await connection(going, 'discord')
    if (!says.test(health.reason ?? '') || (health.cure ?? '') === '')
      throw new Error(`it says ${JSON.stringify(health)}`)
    const cid = other.person('Cid')
    const room = new Chat(going, other, other.group('lobby', [cid]))
    const [answer] = await room.ask(cid, 'do say still here')
    if (answer?.text !== 'still here') throw new Error('the other platform is silent')
    if (
      JSON.stringify(await going.health()).includes('BotTokenInABox') ||
      going.log.includes('BotTokenInABox')
    )
      throw new Error('it shows the token')
  })

  it('without the Server Members intent names stay text, and /health says so', async ({ expect }) => {
    const blind = await discord({ granted: ['MessageContent'] })
    const cid = blind.person('Cid')
    const dee = blind.discord.person({ name: 'Dee', guild: blind.discord.guild })
    const going = await onPlatforms([{ stage: blind }])
    const room = new Chat(going, blind, blind.group('lobby', [cid]))
    const [answer] = await room.ask(cid, 'do say @Dee and @Cid')
    expect(answer?.text).toBe('@Dee and @Cid')
    expect(answer?.pings).not.toContain(dee.id)
    expect(await connection(going, 'discord')).toMatchObject({
      phase: 'ready',
      sees: 'all',
      note: expect.stringMatching(/Server Members Intent/),
    })
  })

  it('without the Message Content intent a smart room is refused with a sentence, and mentions still answered', async ({
    expect,
  }) => {
    const shy = await discord({ granted: ['GuildMembers'] })
    const cid = shy.person('Cid')
    const id = shy.group('shy', [cid])
    const careful = await onPlatforms([{ stage: shy }], {
      more: `rooms: { "discord:${id}": { groupPolicy: smart } }\n`,
    })
    const room = new Chat(careful, shy, id)
    room.say(cid, 'do say I should not know')
    const asked = room.say(cid, 'do say yes', { mention: true })
    await room.rest()
    expect(room.own.map(({ text }) => text)).toEqual(['yes'])
    const health = await connection(careful, 'discord')
    expect(health).toMatchObject({ phase: 'ready', sees: 'addressed' })
    expect(health.note).toMatch(/Message Content Intent/)
    expect(health.note).toMatch(/smart or always behave as mention-only/)
    const gates = (await room.receipt(asked)).decision?.gates
    expect(gates?.find(({ gate }) => gate === 'policy')?.saw).toMatchObject({
      policy: 'smart',
      sees: 'addressed',
    })
  })
})

it('has nothing to complain about', ({ expect }) => {
  // What was made to fail: the expired token, and threads and questions that were gone.
  const expected = /Unknown Message|10008|message_reference|10_008|thread|50027/i
  expect(daemon.warnings.filter(({ msg }) => !expected.test(msg))).toEqual([])
})
