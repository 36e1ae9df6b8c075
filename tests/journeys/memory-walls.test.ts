/** What is told to some stays with them, and is found again by them: with the real daemon. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TelegramSimulator } from '../simulators/telegram/index.js'
import { Daemon, programAgent, QUICK, until } from './daemon.js'
import { Chat, onPlatforms, type Person, telegram } from './platforms.js'

const KEEPS = programAgent('Golem', 'keeps', 'role: orchestrator')
const FOLDER = 'rooms: { "*": { workingFolder: ., owners: [ann] } }\n'
const heard = (daemon: Daemon): string => readFileSync(join(daemon.folder, 'heard'), 'utf8')

/** What Golem answers to a command, once it is there. */
async function commanded(daemon: Daemon, text: string, author = 'Ann', room = 'lobby'): Promise<string> {
  const id = await daemon.say(text, { room, author: { id: author.toLowerCase(), name: author } })
  let answer: string | undefined
  await until(async () => {
    answer = (await daemon.answers(id, room))[0]?.text
    return answer !== undefined
  }, `${text} was not answered`)
  return answer ?? ''
}

describe('local rooms', () => {
  let daemon: Daemon
  let dm: string
  const ann = { id: 'ann', name: 'Ann' }
  const bob = { id: 'bob', name: 'Bob' }

  beforeAll(async () => {
    daemon = await Daemon.start(`name: Golem\n${QUICK}${FOLDER}agents:\n${KEEPS}`)
    const made = await daemon.request('POST', '/api/local/rooms', { kind: 'dm' })
    dm = (made.body as { id: string }).id
  })

  it('a secret told in a direct message is never part of a group’s prompt', async () => {
    const [kept] = await daemon.ask('keep the launch code is walrus-7', { room: dm, author: ann })
    expect(kept?.text).toBe('kept')
    await daemon.ask('hello again', { room: dm, author: ann })
    expect(heard(daemon)).toContain('of this person: the launch code is walrus-7')
    expect((await daemon.receipt(kept?.replyTo?.id ?? '', dm)).turns[0]?.tools).toMatchObject([
      { name: 'fact_remember', ok: true, note: 'kept for the person' },
    ])
    writeFileSync(join(daemon.folder, 'heard'), '')
    await daemon.ask('@Golem keep the demo is on Friday', { author: ann })
    await daemon.ask('@Golem find walrus', { author: ann })
    await daemon.ask('@Golem drop the launch code is walrus-7', { author: ann })
    await daemon.ask('@Golem what is the launch code?', { author: bob })
    expect(heard(daemon)).toContain('of this chat: the demo is on Friday')
    expect(heard(daemon).replaceAll('drop the launch code is walrus-7', '')).not.toContain('walrus-7')
  })

  it('facts outlive a kill, and the receipt tells how many were shown', async () => {
    await daemon.restart('SIGKILL')
    writeFileSync(join(daemon.folder, 'heard'), '')
    const [answer] = await daemon.ask('@Golem are you there?', { author: bob })
    expect(heard(daemon)).toContain('of this chat: the demo is on Friday (Ann, ')
    const receipt = await daemon.receipt(answer?.replyTo?.id ?? '')
    expect(receipt.turns[0]?.shown).toMatchObject({ facts: 1 })
    expect((await daemon.run('why', 'last')).stdout).toMatch(/1\s+fact,/)
  })

  it('Japanese is found by any part of it, and is gone when it was deleted', async () => {
    await daemon.say('大阪出張の件、来週東京で話しましょう', { author: bob })
    const [found] = await daemon.ask('@Golem find 東京', { author: ann })
    expect(found?.text).toBe('大阪出張の件、来週東京で話しましょう')
    const id = await daemon.say('京都はまだ秘密です', { author: bob })
    await daemon.remove(id, bob)
    writeFileSync(join(daemon.folder, 'heard'), '')
    await daemon.ask('@Golem find 京都', { author: ann })
    expect(heard(daemon)).not.toContain('秘密')
  })

  it('/memory shows facts and file, adds, and forgets by who may', async () => {
    expect(await commanded(daemon, '!memory')).toMatch(/\*\*Facts\*\*|Facts/)
    const shown = await commanded(daemon, '!memory')
    expect(shown).toContain('the demo is on Friday')
    expect(shown).toContain('Members')
    expect(shown).not.toContain('walrus-7')
    expect(await commanded(daemon, '!memory add tea at four', 'Bob')).toBe('Kept for this chat: tea at four')
    expect(await commanded(daemon, '!memory forget the demo', 'Bob')).toContain('golem.yaml')
    expect(await commanded(daemon, '!memory forget tea', 'Bob')).toBe('Forgotten: tea at four')
    writeFileSync(
      join(daemon.folder, 'memory/groups/local-lobby.md'),
      `${daemon.memory() ?? ''}\n## Links\n- the otter page\n`,
    )
    expect(await commanded(daemon, '!memory forget otter')).toContain('the otter page')
    expect(daemon.memory()).not.toContain('otter')
    expect(await commanded(daemon, '!memory', 'Ann', dm)).toContain('walrus-7')
  })

  it('a command that was said just before a kill is answered afterwards, once', async () => {
    const id = await daemon.say('!memory', { author: ann })
    await daemon.restart('SIGKILL')
    await until(async () => (await daemon.answers(id)).length > 0, 'not answered after the restart')
    await daemon.quiet()
    expect(await daemon.answers(id)).toHaveLength(1)
  })

  it('a fact of the organisation is shown where everybody is inside, once an owner has said it', async () => {
    expect(await commanded(daemon, '!memory workspace payroll is on the 25th', 'Bob')).toContain('owners')
    expect(await commanded(daemon, '!memory workspace payroll is on the 25th')).toContain('organisation')
    writeFileSync(join(daemon.folder, 'heard'), '')
    await daemon.ask('@Golem when is payday?', { author: bob, room: 'kitchen' })
    expect(heard(daemon)).toContain('of the organisation: payroll is on the 25th')
  })

  it('over HTTP and by command', async () => {
    const { status, body } = await daemon.request('GET', '/api/memory/local:lobby')
    expect([status, body]).toMatchObject([
      200,
      { key: 'local:lobby', exists: true, facts: expect.any(Array) },
    ])
    const { stdout } = await daemon.run('memory', 'show', 'local:lobby')
    expect(stdout).toContain('the demo is on Friday (chat; Ann,')
    expect(stdout).not.toContain('walrus-7')
  })
})

describe('Telegram', () => {
  let daemon: Daemon
  let stage: TelegramSimulator
  let ann: Person
  let bob: Person
  const chat = (id: string): Chat => new Chat(daemon, stage, id)

  beforeAll(async () => {
    stage = await telegram()
    ann = stage.person('Ann')
    bob = stage.person('Bob')
    daemon = await onPlatforms([{ stage }], { agents: KEEPS, more: 'rooms: { "*": { workingFolder: . } }\n' })
  })

  /** Waits for the answer to a command. */
  async function told(room: Chat, person: Person, text: string): Promise<string> {
    const id = room.say(person, text)
    await until(() => room.answers(id).length > 0, `${text} was not answered`)
    return room.answers(id)[0]?.text ?? ''
  }

  it('keeps a person’s facts out of groups, and /memory works in both', async () => {
    const group = chat(stage.group('Team', [ann, bob]))
    const direct = chat(stage.dm(ann))
    expect((await direct.ask(ann, 'keep my salary is 7 walruses', { mention: false }))[0]?.text).toBe('kept')
    expect(await told(direct, ann, '/memory')).toContain('7 walruses')
    expect(await told(group, ann, `/memory@${stage.bot.username} add 周五演示`)).toContain('周五演示')
    await group.ask(bob, 'what is her salary?')
    expect(heard(daemon)).toContain('of this chat: 周五演示')
    expect(heard(daemon)).not.toContain('of this person: my salary')
    const shown = await told(group, bob, `/memory@${stage.bot.username}`)
    expect(shown).toContain('周五演示')
    expect(shown).not.toContain('walrus')
  })
})
