/** What only Slack has: threads, read-back, deletions, slash commands. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import type { SlackSimulator } from '../simulators/slack/index.js'
import { again, Chat, connection, type Daemon, onPlatforms, type Person, slack, until } from './platforms.js'
import { AT_WORK } from './program.js'

let daemon: Daemon
let stage: SlackSimulator
let ann: Person
let bob: Person
const chat = (id: string): Chat => new Chat(daemon, stage, id)
const group = (title: string): Chat => chat(stage.group(title, [ann, bob]))

beforeAll(async () => {
  stage = await slack()
  ann = stage.person('Ann')
  bob = stage.person('Bob')
  daemon = await onPlatforms([{ stage }], { more: 'rooms: { "*": { workingFolder: . } }\n' })
})

async function working(file: string): Promise<void> {
  await until(() => existsSync(join(daemon.folder, `${file}.started`)), 'nobody works')
}
const finish = (file: string): void => writeFileSync(join(daemon.folder, file), '')

describe.concurrent('side by side', () => {
  it('in a thread, one person needs no further mention; when a second speaks, everybody does', async ({
    expect,
  }) => {
    const room = group('follow-ups')
    const root = room.say(ann, 'do say first', { mention: true })
    await room.rest()
    const second = room.say(ann, 'do say second', { thread: root })
    await room.rest()
    expect(room.answers(second)).toMatchObject([{ text: 'second', thread: root }])
    const other = room.say(bob, 'do say third', { thread: root })
    await room.rest()
    expect(room.answers(other)).toEqual([])
    const back = room.say(ann, 'do say fourth', { thread: root })
    await room.rest()
    expect(room.answers(back)).toEqual([])
    expect((await room.receipt(back)).outcome).toBe('kept')
    const [answer] = await room.ask(bob, 'do say fifth', { thread: root })
    expect(answer).toMatchObject({ text: 'fifth', thread: root })
  })

  it('threads are conversations of their own; the channel is another', async ({ expect }) => {
    const room = group('contexts')
    const root = room.say(bob, 'the roof leaks')
    room.say(bob, 'since Monday', { thread: root })
    const [answer] = await room.ask(ann, 'do context', { thread: root })
    expect(answer?.text).toBe('Bob: the roof leaks\nBob: since Monday\nAnn: do context')
    const id = room.say(ann, 'do context', { mention: true })
    await room.rest()
    expect(room.answers(id)[0]?.text).not.toContain('since Monday')
  })

  it('what was said before Golem came is read back, and marked as read', async ({ expect }) => {
    const room = chat(stage.slack.channel('before', { people: [ann, bob], joined: false }))
    const early = room.say(bob, 'the printer is on the second floor')
    stage.slack.invite(room.id, stage.bot)
    const [answer] = await room.ask(ann, 'do context')
    expect(answer?.text).toBe('Bob: the printer is on the second floor\nAnn: do context')
    expect(await room.receipt(early)).toMatchObject({ outcome: 'read' })
    expect(room.own.filter(({ text }) => !text.includes('joined'))).toHaveLength(1)
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

  it('Stop and Answer again are buttons', async ({ expect }) => {
    const room = group('buttons')
    const id = room.say(ann, 'do hang', { mention: true })
    await until(() => room.answers(id).some(({ buttons }) => buttons.length > 0), 'no status post appeared')
    const status = room.answers(id).find(({ buttons }) => buttons.length > 0)
    // By then it may show what the agent has said so far.
    expect(status).toMatchObject({
      text: expect.stringMatching(AT_WORK),
      buttons: [{ label: 'Stop' }],
      thread: id,
    })
    const [stop] = status?.buttons ?? []
    stage.press(room.id, status?.id ?? '', bob, stop?.value ?? '')
    await until(
      () => room.seen(bob).some(({ onlyFor }) => onlyFor !== undefined),
      'the bystander was not told',
    )
    expect(room.seen(ann).filter(({ onlyFor }) => onlyFor !== undefined)).toEqual([])
    stage.press(room.id, status?.id ?? '', ann, stop?.value ?? '')
    await room.rest()
    await until(() => !room.own.some(({ text }) => AT_WORK.test(text)), 'the status post stays')
    expect(room.own.filter(({ onlyFor }) => onlyFor === undefined).map(({ text }) => text)).toEqual([
      'Well',
      'Golem was stopped.',
    ])

    const asked = room.say(ann, 'do say old', { mention: true })
    await room.rest()
    stage.edit(room.id, asked, `<@${stage.bot.id}> do say new`)
    await room.rest()
    const offer = room.answers(asked).find(({ buttons }) => buttons.length > 0)
    expect(offer?.buttons).toMatchObject([{ label: 'Answer again' }])
    stage.press(room.id, offer?.id ?? '', ann, offer?.buttons[0]?.value ?? '')
    await room.rest()
    expect(room.answers(asked).map(({ text }) => text)).toEqual(['old', 'Asked again by Ann.', 'new'])
  })

  it('`/golem why` explains the last message', async ({ expect }) => {
    const room = group('slashes')
    room.say(ann, 'lunch?')
    await room.rest()
    stage.slack.slash(room.id, ann, '/golem', 'why')
    await room.rest()
    await until(() => room.own.length > 0, 'the command was not answered')
    expect(room.own[0]?.text).toContain('mention')
  })

  it('a broadcast reply, a /me line and a message of another app are heard', async ({ expect }) => {
    const room = group('kinds')
    const root = room.say(bob, 'standup')
    room.stage.say(room.id, ann, 'done with it', { thread: root, broadcast: true } as object)
    stage.slack.say(room.id, bob, 'waves', { me: true })
    const ci = stage.slack.otherBot('CI', { legacy: true })
    stage.slack.say(room.id, ci, 'build 7 is red')
    const [answer] = await room.ask(ann, 'do context')
    expect(answer?.text).toContain('Bob: waves')
    expect(answer?.text).toContain('CI: build 7 is red')
    expect(answer?.text).toContain('Bob: standup')
  })

  it('people of another workspace have a name', async ({ expect }) => {
    const guest = stage.slack.connectPerson('Guest Person')
    const room = chat(stage.slack.channel('shared', { people: [ann, guest], shared: true }))
    room.say(guest, 'hello from next door')
    const [answer] = await room.ask(ann, 'do context')
    expect(answer?.text).toContain('Guest Person: hello from next door')
  })

  it('a file that comes with a mention is read', async ({ expect }) => {
    const room = group('uploads')
    const files = [{ name: 'a.csv', mime: 'text/csv', bytes: Buffer.from('1,2\n') }]
    const [answer] = await room.ask(ann, 'do files', { files })
    expect(answer?.text).toMatch(/^a\.csv [0-9a-f]{64}$/)
  })
})

it('bots that join public channels follow new ones', async ({ expect }) => {
  const open = await slack()
  const cid = open.person('Cid')
  const old = open.slack.channel('old', { people: [cid], joined: false })
  const curious = await onPlatforms([{ stage: open, more: { joinPublicChannels: true } }])
  await until(() => open.chats().find(({ id }) => id === old)?.members.length === 2, 'it did not join')
  const fresh = open.slack.createChannel('fresh', cid)
  await until(() => open.chats().find(({ id }) => id === fresh)?.members.length === 2, 'it did not follow')
  expect(await new Chat(curious, open, fresh).ask(cid, 'do say here')).toMatchObject([{ text: 'here' }])
})

it('what was said while Golem was down is answered once, and what nobody asked is context', async ({
  expect,
}) => {
  const away = await slack({ retries: 'schedule' })
  const cid = away.person('Cid')
  const id = away.group('lobby', [cid])
  const seats = [{ stage: away }]
  const sleeper = await onPlatforms(seats)
  const room = new Chat(sleeper, away, id)
  await room.ask(cid, 'do say awake')
  await sleeper.kill('SIGTERM')
  room.say(cid, 'the plan changed')
  const missed = room.say(cid, 'do say I was away', { mention: true })
  await again(sleeper, seats)
  await until(() => room.answers(missed).length > 0, 'what was missed is not answered')
  await sleeper.quiet()
  expect(room.answers(missed)).toMatchObject([{ text: 'I was away' }])
  expect((await connection(sleeper, 'slack')).lastCatchUp).toMatchObject({ complete: true })
  const [context] = await room.ask(cid, 'do context')
  expect(context?.text).toContain('Cid: the plan changed')
  // Slack's own retry comes afterwards: it is known.
  away.clock.advance(400_000)
  await until(() => away.pending === 0, 'retries wait')
  await sleeper.quiet()
  expect(room.answers(missed)).toHaveLength(1)
})

it('without message events a smart room is refused with a sentence, and mentions still answered', async ({
  expect,
}) => {
  const shy = await slack({
    subscribe: 'addressed',
    scopes: ['app_mentions:read', 'chat:write', 'reactions:write', 'users:read', 'im:history', 'files:read'],
  })
  const cid = shy.person('Cid')
  const id = shy.group('shy', [cid])
  const careful = await onPlatforms([{ stage: shy }], {
    more: `rooms: { "slack:${id}": { groupPolicy: smart } }\n`,
  })
  const room = new Chat(careful, shy, id)
  room.say(cid, 'do say I should not know')
  const asked = room.say(cid, 'do say yes', { mention: true })
  await room.rest()
  expect(room.own.map(({ text }) => text)).toEqual(['yes'])
  const health = await connection(careful, 'slack')
  expect(health).toMatchObject({ phase: 'ready', sees: 'addressed' })
  expect(health.note).toMatch(/channels:history/)
  expect(health.note).toMatch(/smart or always behave as mention-only/)
  const gates = (await room.receipt(asked)).decision?.gates
  expect(gates?.find(({ gate }) => gate === 'policy')?.saw).toMatchObject({
    policy: 'smart',
    sees: 'addressed',
  })
})

it('has nothing to complain about', ({ expect }) => {
  // The mark that a deleted message was to have.
  const expected = /message_not_found/
  expect(daemon.warnings.filter(({ msg }) => !expected.test(msg))).toEqual([])
})
