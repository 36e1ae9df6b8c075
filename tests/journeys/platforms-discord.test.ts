/** What only Discord has: servers with threads and forums, roles, reply pings, commands in its menus. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import type { DiscordSimulator } from '../simulators/discord/index.js'
import { Chat, type Daemon, discord, onPlatforms, type Person, until } from './platforms.js'
import { AT_WORK } from './program.js'

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
    expect(status()).toMatchObject({
      text: expect.stringMatching(AT_WORK),
      silent: true,
      buttons: [{ label: 'Stop' }],
    })
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

it('has nothing to complain about', ({ expect }) => {
  // What was made to fail: the expired token, and threads and questions that were gone.
  const expected = /Unknown Message|10008|message_reference|10_008|thread|50027/i
  expect(daemon.warnings.filter(({ msg }) => !expected.test(msg))).toEqual([])
})
