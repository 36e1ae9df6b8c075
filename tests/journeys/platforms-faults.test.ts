/** What platforms do wrong: nothing is lost, nothing is said twice, and one that is down touches no other. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  again,
  Chat,
  connection,
  type Daemon,
  type How,
  onPlatforms,
  type Person,
  phase,
  type Seat,
  slack,
  telegram,
  until,
} from './platforms.js'

const WAYS = [
  ['telegram', 'socket'],
  ['telegram', 'webhook'],
  ['slack', 'socket'],
  ['slack', 'webhook'],
] as const satisfies readonly (readonly ['telegram' | 'slack', How])[]

async function world(
  platform: 'telegram' | 'slack',
  how: How = 'socket',
  more = '',
): Promise<{ daemon: Daemon; room: Chat; ann: Person; bob: Person; seats: Seat[] }> {
  const stage = platform === 'slack' ? await slack() : await telegram()
  const [ann, bob] = [stage.person('Ann'), stage.person('Bob')]
  const seats = [{ stage, how }]
  const daemon = await onPlatforms(seats, { more: `rooms: { "*": { workingFolder: . } }\n${more}` })
  return { daemon, room: new Chat(daemon, stage, stage.group('Lobby', [ann, bob])), ann, bob, seats }
}

describe.concurrent.each(WAYS)('%s by %s', (platform, how) => {
  it('what is delivered again, also after a restart, is answered once', async ({ expect }) => {
    const { daemon, room, ann, seats } = await world(platform, how)
    const id = room.say(ann, 'do say once', { mention: true })
    await room.rest()
    room.stage.redeliver(3)
    await room.rest()
    await daemon.kill('SIGKILL')
    room.stage.redeliver(3)
    await again(daemon, seats)
    await room.rest()
    expect(room.own.map(({ text }) => text)).toEqual(['once'])
    expect((await room.receipt(id)).outcome).toBe('answered')
  })

  it('what is said while the daemon is dead is answered when it lives again, in order', async ({
    expect,
  }) => {
    const { daemon, room, ann, bob, seats } = await world(platform, how)
    await daemon.kill('SIGKILL')
    room.say(ann, 'do say one', { mention: true })
    room.say(bob, 'do say two', { mention: true })
    await again(daemon, seats)
    await until(() => room.own.length === 2, 'what was missed is not answered')
    await room.rest()
    expect(room.own.map(({ text }) => text)).toEqual(['one', 'two'])
  })

  it('429s delay and lose nothing, and keep the order of a chat', async ({ expect }) => {
    const { daemon, room, ann, bob } = await world(platform, how)
    const other = new Chat(daemon, room.stage, room.stage.group('Other', [ann]))
    const post = platform === 'slack' ? 'chat.postMessage' : 'sendMessage'
    room.stage.fault({
      method: post,
      chat: room.id,
      times: 2,
      do: { kind: 'rate-limit', retryAfterMs: 1_000, scope: 'chat' },
    })
    room.say(ann, 'do words 2600', { mention: true })
    await until(() => room.stage.calls.some(({ status }) => status === 429), 'nothing was refused')
    room.say(bob, 'do say behind', { mention: true })
    await other.ask(ann, 'do say beside')
    expect(other.own.map(({ text }) => text)).toEqual(['beside'])
    await room.rest()
    const texts = room.own.map(({ text }) => text)
    expect(texts.at(-1)).toBe('behind')
    expect(texts.slice(0, -1).join(' ').split(/\s+/)).toEqual(
      Array.from({ length: 2_600 }, (_, index) => `word${index}`),
    )
  })

  it('a connection that is cut comes back by itself', async ({ expect }) => {
    const { daemon, room, ann } = await world(platform, how)
    room.stage.cut('close')
    const id = room.say(ann, 'do say back', { mention: true })
    await until(() => room.answers(id).length === 1, 'it never came back')
    await phase(daemon, platform, 'ready')
    expect(room.own.map(({ text }) => text)).toEqual(['back'])
  })
})

describe.concurrent.each(['telegram', 'slack'] as const)('%s after a crash', (platform) => {
  it('what an agent was cut off from waits for its Retry button, which is good once', async ({ expect }) => {
    const { daemon, room, ann, bob, seats } = await world(platform)
    const id = room.say(ann, 'do wait retry.txt', { mention: true })
    await until(() => existsSync(join(daemon.folder, 'retry.txt.started')), 'nobody works')
    await until(async () => (await room.receipt(id)).turns[0]?.firstEventAt != null, 'no word came')
    await daemon.kill('SIGKILL')
    writeFileSync(join(daemon.folder, 'retry.txt'), '')
    await again(daemon, seats)
    const line = () => room.answers(id).find(({ buttons }) => buttons.length > 0)
    await until(() => line() !== undefined, 'nothing was offered')
    expect(line()?.text).toContain('was interrupted while working on this')
    const { id: offer = '', buttons = [] } = line() ?? {}
    expect(buttons.map(({ label }) => label)).toEqual(['Retry'])
    const press = (who: Person) => room.stage.press(room.id, offer, who, buttons[0]?.value ?? '')
    press(bob)
    await until(() => room.stage.pending === 0, 'not taken')
    press(ann)
    const done = () => room.answers(id).filter(({ text }) => text === 'retry.txt is there')
    await until(() => done().length > 0, 'it was not tried again')
    room.stage.redeliver(3)
    await until(() => room.stage.pending === 0, 'not taken')
    await until(async () => (await daemon.queue()).turns.length === 0, 'it works once more')
    expect(done()).toHaveLength(1)
  })
})

describe('one platform down', () => {
  it('a post that does not get through comes later, once, with a word where it may stand twice', async ({
    expect,
  }) => {
    const { room, ann } = await world('telegram')
    room.stage.fault({ method: 'sendMessage', times: 1, do: { kind: 'reset' } })
    const id = room.say(ann, 'do say late', { mention: true })
    await until(() => room.own.length > 0, 'it never came')
    await room.rest()
    const texts = room.own.map(({ text }) => text)
    expect(texts).toHaveLength(1)
    expect(texts[0]).toMatch(/^(\(may be a duplicate.*\)\s+)?late$/)
    expect((await room.receipt(id)).outcome).toBe('answered')
  })

  it.each(['telegram', 'slack'] as const)(
    '%s loses its token: it is shown with a cure, the other goes on, the daemon lives',
    async (down) => {
      const [tele, slac] = [await telegram(), await slack()]
      const daemon = await onPlatforms([{ stage: tele }, { stage: slac }])
      const chats = [tele, slac].map((stage) => {
        const ann = stage.person('Ann')
        return { ann, room: new Chat(daemon, stage, stage.group('Lobby', [ann])) }
      })
      if (down === 'telegram') tele.revokeToken()
      else {
        slac.revoke()
        slac.cut('close')
      }
      const other = down === 'telegram' ? 'slack' : 'telegram'
      await phase(daemon, down, 'failed')
      const health = await connection(daemon, down)
      expect(health.reason).toMatch(/token|auth/i)
      expect(health.cure).toMatch(/token|install/i)
      expect(JSON.stringify(await daemon.health())).not.toMatch(/xoxb-\d|xapp-\d|:AA/)
      expect(daemon.log).not.toMatch(/xoxb-\d|xapp-\d|:AA\w/)
      expect((await daemon.health()).status).toBe('degraded')
      expect((await connection(daemon, other)).phase).toBe('ready')
      for (const { ann, room } of chats)
        if (room.stage.platform === other)
          expect(await room.ask(ann, 'do say still here')).toMatchObject([{ text: 'still here' }])
      expect(daemon.alive).toBe(true)
    },
  )

  it('a platform that cannot be reached at the start is tried again, and others do not wait', async ({
    expect,
  }) => {
    const [tele, slac] = [await telegram(), await slack()]
    const undo = tele.fault({ do: { kind: 'reset' } })
    const daemon = await onPlatforms([{ stage: tele }, { stage: slac }], { early: true })
    await phase(daemon, 'slack', 'ready')
    const ann = slac.person('Ann')
    const room = new Chat(daemon, slac, slac.group('Lobby', [ann]))
    expect(await room.ask(ann, 'do say here')).toMatchObject([{ text: 'here' }])
    expect((await connection(daemon, 'telegram')).phase).not.toBe('ready')
    undo()
    await phase(daemon, 'telegram', 'ready')
  })

  it('an answer in a chat that Golem was thrown out of is reported, and nothing hangs', async ({
    expect,
  }) => {
    const tele = await telegram()
    const ann = tele.person('Ann')
    const daemon = await onPlatforms([{ stage: tele }], { more: 'rooms: { "*": { workingFolder: . } }\n' })
    const dm = tele.dm(ann)
    const room = new Chat(daemon, tele, tele.group('Lobby', [ann]))
    const id = room.say(ann, 'do wait gone.txt', { mention: true })
    await until(() => existsSync(join(daemon.folder, 'gone.txt.started')), 'nobody works')
    tele.removeBot(room.id, ann)
    writeFileSync(join(daemon.folder, 'gone.txt'), '')
    await room.rest()
    await daemon.quiet()
    const receipt = await room.receipt(id)
    expect(JSON.stringify(receipt.turns[0]?.operations)).toMatch(/forbidden|may not/i)
    expect(
      tele
        .seen(dm)
        .map(({ text }) => text)
        .join('\n'),
    ).toContain('gone.txt is there')
  })
})
