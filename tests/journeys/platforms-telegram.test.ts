/** What only Telegram has: topics, albums, groups that move, privacy mode, commands with the bot's name. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import type { TelegramSimulator } from '../simulators/telegram/index.js'
import { Chat, connection, type Daemon, onPlatforms, type Person, telegram, until } from './platforms.js'
import { AT_WORK } from './program.js'

let daemon: Daemon
let stage: TelegramSimulator
let ann: Person
let bob: Person
const chat = (id: string): Chat => new Chat(daemon, stage, id)
const group = (title: string): Chat => chat(stage.group(title, [ann, bob]))

beforeAll(async () => {
  stage = await telegram()
  ann = stage.person('Ann')
  bob = stage.person('Bob', { username: null })
  daemon = await onPlatforms([{ stage }], { more: 'rooms: { "*": { workingFolder: . } }\n' })
})

async function working(file: string): Promise<void> {
  await until(() => existsSync(join(daemon.folder, `${file}.started`)), 'nobody works')
}
const finish = (file: string): void => writeFileSync(join(daemon.folder, file), '')

describe.concurrent('side by side', () => {
  it('an answer stays in its topic, and each topic is a conversation of its own', async ({ expect }) => {
    const forum = chat(stage.forum('Forum', [ann, bob]))
    const [release, garden] = ['Release', 'Garden'].map((name) => stage.topic(forum.id, ann, name))
    forum.say(bob, 'the release is on Friday', { thread: release ?? '' })
    const [answer] = await forum.ask(ann, 'do context', { thread: release ?? '' })
    expect(answer).toMatchObject({ thread: release })
    expect(answer?.text).toBe('Bob: the release is on Friday\nAnn: do context')
    const [other] = await forum.ask(ann, 'do context', { thread: garden ?? '' })
    expect(other).toMatchObject({ thread: garden, text: 'Ann: do context' })
  })

  it('an answer in General goes to General', async ({ expect }) => {
    const forum = chat(stage.forum('General first', [ann, bob]))
    stage.topic(forum.id, ann, 'Beside')
    const id = forum.say(ann, 'do say here', { mention: true })
    await forum.rest()
    expect(forum.answers(id)).toMatchObject([{ text: 'here', replyTo: id }])
    expect(forum.answers(id)[0]?.thread).toBeUndefined()
    const sent = stage.calls.filter(({ method, chat }) => method === 'sendMessage' && chat === forum.id)
    expect(sent.map(({ status }) => status)).toEqual([200])
  })

  it('a reply to the bot’s answer needs no mention; a topic’s first line is no such reply', async ({
    expect,
  }) => {
    const room = group('Replies')
    const [answer] = await room.ask(ann, 'do say yes')
    const more = room.say(bob, 'do say more', { replyTo: answer?.id ?? '' })
    await room.rest()
    expect(room.answers(more)).toMatchObject([{ text: 'more' }])
    const forum = chat(stage.forum('Ordinary', [ann, bob]))
    const topic = stage.topic(forum.id, ann, 'Lunch')
    const id = forum.say(bob, 'do say no', { thread: topic })
    await forum.rest()
    expect(forum.own).toEqual([])
    expect((await forum.receipt(id)).outcome).toBe('kept')
  })

  it('someone without a username is mentioned all the same', async ({ expect }) => {
    const room = group('Nameless')
    const [answer] = await room.ask(bob, 'do say @Bob, come here')
    expect(answer).toMatchObject({ text: '@Bob, come here', pings: [bob.id] })
  })

  it('an album is one message: one answer, all its files', async ({ expect }) => {
    const room = group('Album')
    const file = (name: string) => ({ name, mime: 'image/png', bytes: Buffer.from(name) })
    const ids = stage.album(room.id, ann, [file('a.png'), file('b.png'), file('c.png')], 'do files', {
      mention: true,
    })
    await room.rest()
    expect(room.own).toHaveLength(1)
    expect(room.own[0]?.text.split('\n')).toHaveLength(3)
    expect(new Set(room.own[0]?.text.split('\n')).size).toBe(3)
    expect(room.own[0]?.replyTo).toBe(ids[0])
  })

  it('a text that Telegram cut in two is read as one', async ({ expect }) => {
    const room = group('Cut')
    room.say(ann, `do input ${'x'.repeat(5_000)}`, { mention: true })
    await room.rest()
    expect(room.own).toHaveLength(1)
  })

  it('a voice note is a file, also one that nobody wrote a word to', async ({ expect }) => {
    const cid = stage.person('Cid')
    const dm = chat(stage.dm(cid))
    const bytes = Buffer.from('OggS')
    dm.say(cid, 'do files', { files: [{ name: 'voice.oga', mime: 'audio/ogg', bytes }] })
    await dm.rest()
    expect(dm.own.map(({ text }) => text)).toEqual([expect.stringMatching(/^\S+\.og[ag] [0-9a-f]{64}$/)])
    stage.voice(dm.id, cid, bytes)
    await dm.rest()
    expect(dm.own).toHaveLength(2)
  })

  it('an edit during the turn is noticed', async ({ expect }) => {
    const room = group('Edit during')
    const id = room.say(ann, 'do wait during.txt', { mention: true })
    await working('during.txt')
    stage.edit(room.id, id, `@${stage.bot.username} do say something else`)
    await until(() => stage.pending === 0, 'not taken')
    finish('during.txt')
    await room.rest()
    const texts = room.own.map(({ text }) => text)
    expect(texts[0]).toBe('during.txt is there')
    expect(texts.slice(1)).toEqual(['The question was edited after it was answered.'])
  })

  it('Stop and Answer again are buttons', async ({ expect }) => {
    const room = group('Buttons')
    const id = room.say(ann, 'do hang', { mention: true })
    await until(() => room.answers(id).some(({ buttons }) => buttons.length > 0), 'no status post appeared')
    const status = room.answers(id).find(({ buttons }) => buttons.length > 0)
    // By then it may show what the agent has said so far.
    expect(status).toMatchObject({
      text: expect.stringMatching(AT_WORK),
      silent: true,
      buttons: [{ label: 'Stop' }],
    })
    const [stop] = status?.buttons ?? []
    stage.press(room.id, status?.id ?? '', bob, stop?.value ?? '')
    await until(() => stage.pending === 0, 'not taken')
    expect((await room.receipt(id)).outcome).toBe('running')
    // A bystander is told so, where nobody else reads it.
    const told = () => stage.answers.filter(({ to, text }) => to === bob.id && text !== '')
    await until(() => told().length > 0, 'the bystander was told nothing')
    expect(told()).toMatchObject([{ text: 'Only the person who asked may press this.', alert: true }])
    stage.press(room.id, status?.id ?? '', ann, stop?.value ?? '')
    await room.rest()
    await until(() => !room.own.some(({ text }) => AT_WORK.test(text)), 'the status post stays')
    expect(room.own.map(({ text }) => text)).toEqual(['Well', 'Golem was stopped.'])
    // Whoever pressed is answered, or their button turns on and on.
    expect(stage.answers.filter(({ to }) => to === ann.id || to === bob.id).length).toBeGreaterThanOrEqual(2)
  })

  it('`/why@bot` is for the bot that is named', async ({ expect }) => {
    const room = group('Commands')
    room.say(ann, 'lunch?')
    const id = stage.command(room.id, ann, 'why')
    await room.rest()
    expect(room.answers(id)).toMatchObject([{ text: expect.stringContaining('mention') }])
    const other = room.say(ann, '/why@other_bot')
    await room.rest()
    expect(room.answers(other)).toEqual([])
    expect((await room.receipt(other)).outcome).toBe('kept')
  })

  it('a group that becomes a supergroup takes its context, its memory and its settings along', async ({
    expect,
  }) => {
    const old = chat(stage.basicGroup('Small', [ann, bob]))
    old.say(bob, 'the printer is on the second floor')
    await old.ask(ann, 'do say noted')
    expect(daemon.list('memory/groups')).toContain(`${old.key.replace(':', '-')}.md`)
    const moved = chat(stage.migrate(old.id, ann))
    const [answer] = await moved.ask(ann, 'do context')
    expect(answer?.text).toContain('Bob: the printer is on the second floor')
    expect(daemon.list('memory/groups')).toContain(`${moved.key.replace(':', '-')}.md`)
    expect(daemon.list('memory/groups')).not.toContain(`${old.key.replace(':', '-')}.md`)
  })

  it('a group that becomes a supergroup while an agent works is answered there', async ({ expect }) => {
    const old = chat(stage.basicGroup('Moving', [ann, bob]))
    old.say(ann, 'do wait moving.txt', { mention: true })
    await working('moving.txt')
    const moved = chat(stage.migrate(old.id, ann))
    finish('moving.txt')
    await moved.rest()
    expect(moved.own.map(({ text }) => text)).toEqual(['moving.txt is there'])
  })

  it('each chat has a memory file of its own, named after it', async ({ expect }) => {
    const [one, two] = [group('First'), group('Second')]
    await one.ask(ann, 'do say yes')
    await two.ask(bob, 'do say yes')
    const text = (room: Chat) => daemon.file(`memory/groups/telegram-${room.id}.md`)
    expect(text(one)).toMatch(new RegExp(`^# Group: telegram-${one.id}\n`))
    expect(text(one)).toMatch(/- Ann\n/)
    expect(text(one)).not.toMatch(/- Bob\n/)
    expect(text(two)).toMatch(/- Bob\n/)
  })
})

it('with privacy mode on: rooms that are smart are refused with a sentence, and mentions still answered', async ({
  expect,
}) => {
  const shy = await telegram({ privacyMode: true })
  const cid = shy.person('Cid')
  const id = shy.group('Shy', [cid])
  const careful = await onPlatforms([{ stage: shy }], {
    more: `rooms: { "telegram:${id}": { groupPolicy: smart } }\n`,
  })
  const room = new Chat(careful, shy, id)
  room.say(cid, 'do say I should not know')
  const [answer] = await room.ask(cid, 'do context')
  expect(answer?.text).not.toContain('I should not know')
  const health = await connection(careful, 'telegram')
  expect(health).toMatchObject({ phase: 'ready', sees: 'addressed' })
  expect(health.note).toMatch(/Privacy mode is on/)
  expect(health.note).toMatch(/smart or always behave as mention-only/)
  const asked = room.seen().find(({ text }) => text.includes('do context'))
  const gates = (await room.receipt(asked?.id ?? '')).decision?.gates
  expect(gates?.find(({ gate }) => gate === 'policy')?.saw).toMatchObject({
    policy: 'smart',
    sees: 'addressed',
  })
})

it('has nothing to complain about', ({ expect }) => {
  // What was on its way when a group moved is refused once, and then goes to where the group is.
  const moved = /group chat was upgraded to a supergroup chat/
  expect(daemon.warnings.filter(({ msg }) => !moved.test(String(msg)))).toEqual([])
})
