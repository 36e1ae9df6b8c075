/** What platforms do wrong: nothing is lost, nothing is said twice, and one that is down touches no other. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DiscordSimulator } from '../simulators/discord/index.js'
import type { FeishuSimulator } from '../simulators/feishu/index.js'
import type { Simulator } from '../simulators/kit/stage.js'
import type { SlackSimulator } from '../simulators/slack/index.js'
import type { TelegramSimulator } from '../simulators/telegram/index.js'
import {
  again,
  Chat,
  connection,
  type Daemon,
  type How,
  onPlatforms,
  type Person,
  type PlatformName,
  phase,
  type Seat,
  STAGES,
  slack,
  telegram,
  until,
  WAYS,
} from './platforms.js'

const PLATFORMS = ['telegram', 'slack', 'discord', 'feishu'] as const satisfies readonly PlatformName[]

/** What an answer is posted by. */
const POST: Record<PlatformName, string> = {
  telegram: 'sendMessage',
  slack: 'chat.postMessage',
  discord: 'createMessage',
  feishu: 'im.message.reply',
}

async function world(
  platform: PlatformName,
  how: How = 'socket',
  more = '',
): Promise<{ daemon: Daemon; room: Chat; ann: Person; bob: Person; seats: Seat[] }> {
  const stage = await STAGES[platform]()
  const [ann, bob] = [stage.person('Ann'), stage.person('Bob')]
  const seats = [{ stage, how }]
  const daemon = await onPlatforms(seats, { more: `rooms: { "*": { workingFolder: . } }\n${more}` })
  return { daemon, room: new Chat(daemon, stage, stage.group('Lobby', [ann, bob])), ann, bob, seats }
}

describe.concurrent.each(WAYS)('$name', ({ platform, how }) => {
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
    // More than one post holds.
    const count = platform === 'feishu' ? 6_000 : 2_600
    room.stage.fault({
      method: POST[platform],
      chat: room.id,
      times: 2,
      do: { kind: 'rate-limit', retryAfterMs: 1_000, scope: 'chat' },
    })
    room.say(ann, `do words ${count}`, { mention: true })
    const refused = () => room.stage.calls.some(({ method, effect }) => method === POST[platform] && !effect)
    await until(refused, 'nothing was refused')
    room.say(bob, 'do say behind', { mention: true })
    await other.ask(ann, 'do say beside')
    expect(other.own.map(({ text }) => text)).toEqual(['beside'])
    await room.rest()
    const texts = room.own.map(({ text }) => text)
    expect(texts.at(-1)).toBe('behind')
    expect(texts.slice(0, -1).join(' ').split(/\s+/)).toEqual(
      Array.from({ length: count }, (_, index) => `word${index}`),
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

describe.concurrent.each(PLATFORMS)('%s after a crash', (platform) => {
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

/** Tokens, and the secrets of the simulated apps. */
const SECRETS = /xoxb-\d|xapp-\d|:AA\w|BotTokenInABox|appSecret/

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

  describe('all four are connected', () => {
    const stages = {} as Record<PlatformName, Simulator>
    const rooms = {} as Record<PlatformName, { ann: Person; room: Chat }>
    let daemon: Daemon

    beforeAll(async () => {
      for (const platform of PLATFORMS) stages[platform] = await STAGES[platform]()
      daemon = await onPlatforms(PLATFORMS.map((platform) => ({ stage: stages[platform] })))
      for (const platform of PLATFORMS) {
        const stage = stages[platform]
        const ann = stage.person('Ann')
        rooms[platform] = { ann, room: new Chat(daemon, stage, stage.group('Lobby', [ann])) }
      }
    })

    const revoke: Record<PlatformName, () => void> = {
      telegram: () => (stages.telegram as TelegramSimulator).revokeToken(),
      slack: () => (stages.slack as SlackSimulator).revoke(),
      discord: () => (stages.discord as DiscordSimulator).revoke(),
      feishu: () => (stages.feishu as FeishuSimulator).revoke(),
    }

    it.each(PLATFORMS.map((down, index) => ({ down, alive: PLATFORMS.slice(index + 1) })))(
      '$down loses its token: it is shown with a cure, the others go on, the daemon lives',
      async ({ down, alive }) => {
        revoke[down]()
        stages[down].cut('close')
        await phase(daemon, down, 'failed')
        const health = await connection(daemon, down)
        expect(health.reason).toMatch(/token|auth|secret/i)
        expect(health.cure).toMatch(/token|install|secret/i)
        expect(JSON.stringify(await daemon.health())).not.toMatch(SECRETS)
        expect(daemon.log).not.toMatch(SECRETS)
        expect((await daemon.health()).status).toBe(alive.length > 0 ? 'degraded' : 'failed')
        for (const other of alive) {
          const { room, ann } = rooms[other]
          expect((await connection(daemon, other)).phase).toBe('ready')
          expect(await room.ask(ann, `do say without ${down}`)).toMatchObject([{ text: `without ${down}` }])
        }
        expect(daemon.alive).toBe(true)
      },
    )
  })

  it.each(['telegram', 'discord', 'feishu'] as const)(
    '%s cannot be reached at the start: it is tried again, and others do not wait',
    async (late) => {
      const [away, slac] = [await STAGES[late](), await slack()]
      const undo = away.fault({ do: { kind: 'reset' } })
      const daemon = await onPlatforms([{ stage: away }, { stage: slac }], { early: true })
      await phase(daemon, 'slack', 'ready')
      const ann = slac.person('Ann')
      const room = new Chat(daemon, slac, slac.group('Lobby', [ann]))
      expect(await room.ask(ann, 'do say here')).toMatchObject([{ text: 'here' }])
      expect((await connection(daemon, late)).phase).not.toBe('ready')
      undo()
      await phase(daemon, late, 'ready')
    },
  )

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
