/** The main job on every way that a platform is connected: somebody asks, an agent answers where it was asked. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import type { Simulator } from '../simulators/kit/stage.js'
import {
  Chat,
  type Daemon,
  named,
  OBEYS,
  onPlatforms,
  type Person,
  programAgent,
  STAGES,
  until,
  WAYS,
} from './platforms.js'

/** Each platform's own sign: of work that goes on, and of its end. */
const MARKS = {
  telegram: { busy: '👀', done: '👌' },
  slack: { busy: '👀', done: '✅' },
  discord: { busy: '👀', done: '✅' },
  feishu: { busy: '🫡', done: '✅' },
} as const

describe.each(WAYS)('$name', ({ platform, how }) => {
  const { busy, done } = MARKS[platform]
  let daemon: Daemon
  let stage: Simulator
  let ann: Person
  let bob: Person
  const chat = (title: string): Chat => new Chat(daemon, stage, stage.group(title, [ann, bob]))

  beforeAll(async () => {
    stage = await STAGES[platform]()
    ann = stage.person('Ann')
    bob = stage.person('Bob')
    daemon = await onPlatforms([{ stage, how }], {
      more: 'rooms: { "*": { workingFolder: . } }\n',
      agents: `${OBEYS}${programAgent('Coder', 'obeys', 'role: "writes programs"')}`,
    })
  })

  describe.concurrent('side by side', () => {
    it('answers a mention with a quote of it and a native mention of the asker, and marks it', async ({
      expect,
    }) => {
      const lobby = chat('Lobby')
      const id = lobby.say(ann, 'do say @Ann **it works**', { mention: true })
      await lobby.rest()
      expect(lobby.own).toMatchObject([{ replyTo: id, pings: [ann.id], edited: false, silent: false }])
      expect(lobby.own[0]?.text).toMatch(/^@ann it works$/i)
      expect(lobby.marks(id)).toEqual([done])
      // Who is mentioned is who asked, not who is named alike in another chat.
      expect(lobby.message(id).reactions).toHaveLength(1)
    })

    it('has a receipt: the page’s, and `golem why`', async ({ expect }) => {
      const room = chat('Receipts')
      const id = room.say(ann, 'do say yes', { mention: true })
      const aside = room.say(bob, 'nobody is asked here')
      await room.rest()
      const receipt = await room.receipt(id)
      expect(receipt).toMatchObject({
        outcome: 'answered',
        message: { reference: `${room.key}:${id}`, author: { id: ann.id, name: 'Ann', kind: 'person' } },
        decision: { verdict: 'run', addressed: true, responders: ['Golem'] },
        turns: [
          { state: 'settled', operations: [{ kind: 'post', state: 'sent', native: room.own[0]?.id }, {}] },
        ],
      })
      const [people, answer, kept] = await Promise.all([
        daemon.run('why', `${room.key}:${id}`),
        daemon.run('why', `${room.key}:${room.own[0]?.id}`, '--json'),
        daemon.run('why', `${room.key}:${aside}`),
      ])
      expect(people).toMatchObject({ code: 0, stderr: '' })
      expect(people.stdout).toContain(receipt.summary)
      expect(JSON.parse(answer.stdout)).toMatchObject({ outcome: 'said', answers: [`${room.key}:${id}`] })
      expect(kept.stdout).toContain('Nobody was addressed')
    })

    it('shows that it was heard while an agent works, and the mark of the end afterwards', async ({
      expect,
    }) => {
      const room = chat('Patience')
      const file = `${platform}-${how}.txt`
      const id = room.say(ann, `do wait ${file}`, { mention: true })
      await until(() => existsSync(join(daemon.folder, `${file}.started`)), 'nobody works')
      await until(() => room.marks(id).length > 0, 'the question was not marked')
      expect(room.marks(id)).toEqual([busy])
      writeFileSync(join(daemon.folder, file), '')
      await room.rest()
      expect(room.marks(id)).toEqual([done])
      expect(room.answers(id).map(({ text }) => text)).toEqual([`${file} is there`])
    })

    it('a failure is said and marked', async ({ expect }) => {
      const room = chat('Failures')
      const id = room.say(ann, 'do exit 3', { mention: true })
      await room.rest()
      expect(room.answers(id)).toMatchObject([{ text: expect.stringContaining('could not finish this') }])
      expect(JSON.stringify(room.seen())).not.toContain('xoxb-111111111111')
      expect(room.marks(id)).not.toContain(done)
      expect(room.marks(id)).toHaveLength(1)
    })

    it('an agent that is named answers under its name, where it was asked', async ({ expect }) => {
      const room = chat('Names')
      const id = room.say(ann, '@Coder do say forty-two')
      await room.rest()
      const [answer, ...more] = room.answers(id)
      expect(more).toEqual([])
      expect(answer?.text).toContain('forty-two')
      expect((await room.receipt(id)).decision?.responders).toEqual(['Coder'])
    })

    it('a long answer comes whole, in parts, in order, the first of them quoting the question', async ({
      expect,
    }) => {
      const room = chat('Length')
      // More than one card of 30 kB holds.
      const count = platform === 'feishu' ? 6_000 : 2_600
      const id = room.say(bob, `do words ${count}`, { mention: true })
      await room.rest()
      expect(room.own.length).toBeGreaterThan(1)
      expect(room.own[0]?.replyTo).toBe(id)
      expect(
        room.own
          .map(({ text }) => text)
          .join(' ')
          .split(/\s+/),
      ).toEqual(Array.from({ length: count }, (_, index) => `word${index}`))
    })

    it('what a teammate finds out comes back where it was asked, once', async ({ expect }) => {
      const room = chat('Team')
      const id = room.say(ann, 'do delegate Coder do say forty-two', { mention: true })
      await room.rest()
      const answers = room.answers(id)
      expect(answers).toHaveLength(1)
      expect(answers[0]?.text).toContain('forty-two')
      expect((await room.receipt(id)).turns.map(({ kind, agent }) => [kind, agent])).toEqual([
        ['message', 'Golem'],
        ['ask', 'Coder'],
        ['follow-up', 'Golem'],
      ])
      expect(room.marks(id)).toEqual([done])
    })

    it('a direct message needs no mention', async ({ expect }) => {
      const dm = new Chat(daemon, stage, stage.dm(ann))
      const id = dm.say(ann, 'do say just us')
      await dm.rest()
      expect(dm.own).toMatchObject([{ text: 'just us' }])
      expect(await dm.receipt(id)).toMatchObject({ outcome: 'answered', decision: { addressed: true } })
    })

    it('`@bot why` explains the last message of the person', async ({ expect }) => {
      const room = chat('Why')
      room.say(ann, 'nobody is named here')
      await room.rest()
      const [line] = await room.ask(ann, 'why')
      expect(line?.text).toContain('mention')
      // Slack and Feishu have no silent messages.
      expect(line?.silent).toBe(platform === 'telegram' || platform === 'discord')
    })

    it('an edit before its turn counts: the new words are answered, once', async ({ expect }) => {
      const room = chat('Edits')
      const file = `edit-${platform}-${how}.txt`
      room.say(ann, `do wait ${file}`, { mention: true })
      await until(() => existsSync(join(daemon.folder, `${file}.started`)), 'nobody works')
      const id = room.say(bob, `${named(stage)} do say old`)
      await until(() => stage.pending === 0, 'not taken')
      stage.edit(room.id, id, `${named(stage)} do say new`)
      // Feishu tells no app of an edit.
      const told = platform === 'feishu' ? 'old' : 'new'
      await until(() => stage.pending === 0, 'not taken')
      writeFileSync(join(daemon.folder, file), '')
      await room.rest()
      expect(room.own.map(({ text }) => text)).toEqual([`${file} is there`, told])
    })

    it('a file goes in and another comes out', async ({ expect }) => {
      const room = chat('Files')
      const bytes = Buffer.from('a,b\n1,2\n')
      const files = [{ name: 'data.csv', mime: 'text/csv', bytes }]
      // On Feishu a file is a message of its own: whoever asks about it replies to it.
      const [heard] =
        platform === 'feishu'
          ? await room.ask(ann, 'do files', { replyTo: room.say(ann, '', { files }) })
          : await room.ask(ann, 'do files', { files })
      expect(heard?.text).toMatch(/^data\.csv [0-9a-f]{64}$/)
      const id = room.say(ann, 'do send report.txt .env /etc/hostname', { mention: true })
      await room.rest()
      const sent = room.own.flatMap((one) => one.files)
      expect(sent).toEqual([{ name: 'report.txt', bytes: 12 }])
      expect(room.answers(id)[0]?.text).toContain('sent report.txt')
      expect((await room.receipt(id)).turns[0]?.files).toHaveLength(3)
    })
  })

  it('has nothing to complain about', ({ expect }) => {
    const expected = /ended with exit code 3/
    expect(daemon.warnings.filter(({ msg }) => !expected.test(msg))).toEqual([])
  })
})
