/** An answer that takes its time, as people see it grow: a status post, its words, then the answer and nothing else. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { Daemon, programAgent, QUICK, until } from './daemon.js'
import {
  again,
  Chat,
  onPlatforms,
  type Person,
  type PlatformName,
  type Seat,
  STAGES,
  slack,
  telegram,
} from './platforms.js'

const AGENT = programAgent('Golem', 'obeys', 'role: orchestrator, effects: none')
/** The programs work in the daemon's folder, where the tests tell them to end. */
const HERE = 'workingFolder: .'
const GROWING = /^word0 word1.*\n+Working on it…/s

/** What an edit is made by. */
const METHODS: Record<PlatformName, { edit: string }> = {
  telegram: { edit: 'editMessageText' },
  slack: { edit: 'chat.update' },
  discord: { edit: 'editMessage' },
  feishu: { edit: 'im.message.patch' },
}
const PLATFORMS = ['telegram', 'slack', 'discord', 'feishu'] as const satisfies readonly PlatformName[]

interface World {
  daemon: Daemon
  room: Chat
  ann: Person
  seats: Seat[]
}

async function world(platform: PlatformName, settings = ''): Promise<World> {
  const stage = await STAGES[platform]()
  const ann = stage.person('Ann')
  const seats = [{ stage }]
  const more = `rooms: { "*": { ${HERE}${settings} } }\n`
  const daemon = await onPlatforms(seats, { agents: AGENT, more })
  return { daemon, room: new Chat(daemon, stage, stage.group('Lobby', [ann])), ann, seats }
}

const finish = ({ daemon }: Pick<World, 'daemon'>, file: string): void =>
  writeFileSync(join(daemon.folder, file), '')

/** Waits until everything is done, and the bot's posts are these: a status post goes when nothing is left to do. */
async function ends({ room }: Pick<World, 'room'>, ...texts: string[]): Promise<void> {
  await room.rest()
  const left = () => JSON.stringify(room.own.map(({ text }) => text))
  await until(
    () => left() === JSON.stringify(texts),
    () => `what is left: ${left()}`,
  )
}

/** Waits until the bot's one post shows words, and resolves with it. */
async function growing({ room }: World): Promise<Chat['own'][number]> {
  await until(
    () => room.own.some(({ text }) => GROWING.test(text)),
    () => `no words were seen: ${JSON.stringify(room.own.map(({ text }) => text))}`,
  )
  const [post] = room.own
  if (post === undefined) throw new Error('nothing is seen')
  return post
}

describe.concurrent.each(PLATFORMS)('%s', (platform) => {
  it('the words are seen as they come; then the answer quotes the question, and the status post is gone', async ({
    expect,
  }) => {
    const here = await world(platform)
    const { room, ann } = here
    const id = room.say(ann, 'do stream rope', { mention: true })
    const first = await growing(here)
    expect(first.buttons.map(({ label }) => label)).toEqual(['Stop'])
    const grown = first.text.length
    await until(() => (room.own[0]?.text.length ?? 0) > grown, 'it did not grow')
    expect(room.own).toHaveLength(1)
    finish(here, 'rope')
    await ends({ room }, 'all of rope is said')
    expect(room.answers(id).map(({ text }) => text)).toEqual(['all of rope is said'])
    const [turn] = (await room.receipt(id)).turns
    expect(turn?.previews?.edits).toBeGreaterThanOrEqual(2)
  })

  it('a platform that takes no more edits holds up no answer', async ({ expect }) => {
    const here = await world(platform)
    const { room, ann } = here
    const id = room.say(ann, 'do stream thread', { mention: true })
    await growing(here)
    let refused = 0
    room.stage.fault({
      method: METHODS[platform].edit,
      do: { kind: 'rate-limit', retryAfterMs: 30_000 },
      onMeet: () => refused++,
    })
    await until(() => refused > 0, 'no edit was made')
    const since = Date.now()
    finish(here, 'thread')
    await until(() => room.answers(id).some(({ text }) => text === 'all of thread is said'), 'no answer')
    expect(Date.now() - since).toBeLessThan(5_000)
    expect(refused).toBe(1)
    await ends(here, 'all of thread is said')
  })

  it('a status post that somebody deletes stays away, and the answer comes once', async ({ expect }) => {
    const here = await world(platform)
    const { room, ann } = here
    room.say(ann, 'do stream yarn', { mention: true })
    const status = await growing(here)
    const edits = () => room.stage.calls.filter(({ method }) => method === METHODS[platform].edit).length
    const made = edits()
    room.stage.delete(room.id, status.id)
    await until(() => edits() > made, 'no edit found it gone')
    expect(room.own).toEqual([])
    finish(here, 'yarn')
    await ends({ room }, 'all of yarn is said')
  })

  it('killed while the words are seen, it answers once after the restart', async ({ expect }) => {
    const here = await world(platform)
    const { daemon, room, ann, seats } = here
    const id = room.say(ann, 'do stream wool', { mention: true })
    await growing(here)
    await daemon.kill('SIGKILL')
    finish(here, 'wool')
    await again(daemon, seats)
    await ends({ room }, 'all of wool is said')
    expect(room.answers(id)).toHaveLength(1)
  })

  it('`answer: edit`: the status post becomes the answer, also when a preview lands late', async ({
    expect,
  }) => {
    const here = await world(platform, ', answer: edit')
    const { room, ann } = here
    const id = room.say(ann, 'do stream silk', { mention: true })
    const status = await growing(here)
    let met = false
    room.stage.fault({
      method: METHODS[platform].edit,
      times: 1,
      do: { kind: 'delay', ms: 2_500 },
      onMeet: () => {
        met = true
      },
    })
    await until(() => met, 'no edit was made')
    finish(here, 'silk')
    await ends(here, 'all of silk is said')
    expect(room.own.map(({ id: post, text }) => [post, text])).toEqual([[status.id, 'all of silk is said']])
    expect(room.own[0]?.buttons).toEqual([])
    expect((await room.receipt(id)).outcome).toBe('answered')
  })
})

describe.concurrent('elsewhere', () => {
  it('a local room shows the same', async ({ expect }) => {
    const daemon = await Daemon.start(`name: Golem\n${QUICK}rooms: { "*": { ${HERE} } }\nagents:\n${AGENT}`)
    const id = await daemon.say('@Golem do stream rope')
    const own = async () =>
      (await daemon.messages()).filter(({ author, deleted }) => author.kind === 'self' && !deleted)
    await until(async () => (await own()).some(({ text }) => /^word0 word1/.test(text)), 'no words were seen')
    expect((await own()).map(({ buttons }) => buttons.map(({ label }) => label))).toEqual([['Stop']])
    finish({ daemon }, 'rope')
    await daemon.quiet()
    await until(async () => (await own()).length === 1, 'the status post stays')
    expect((await own()).map(({ text }) => text)).toEqual(['all of rope is said'])
    expect((await daemon.answers(id)).map(({ text }) => text)).toEqual(['all of rope is said'])
  })

  it('Slack says that it is thinking, in the thread that the answer opens', async ({ expect }) => {
    const stage = await slack()
    const ann = stage.person('Ann')
    const daemon = await onPlatforms([{ stage }], { agents: AGENT, more: `rooms: { "*": { ${HERE} } }\n` })
    const room = new Chat(daemon, stage, stage.group('Lobby', [ann]))
    const id = room.say(ann, 'do stream rope', { mention: true })
    await until(() => stage.status(room.id, id) === 'is thinking…', 'no sign of work was seen')
    finish({ daemon }, 'rope')
    await ends({ room }, 'all of rope is said')
    expect(stage.status(room.id, id)).toBe('')
  })

  it("Telegram shows it in a direct chat's draft, without a message", async ({ expect }) => {
    const stage = await telegram()
    const ann = stage.person('Ann')
    const daemon = await onPlatforms([{ stage }], { agents: AGENT, more: `rooms: { "*": { ${HERE} } }\n` })
    const room = new Chat(daemon, stage, stage.dm(ann))
    room.say(ann, 'do stream rope')
    await until(() => /^word0 word1/.test(stage.draft(room.id) ?? ''), 'no draft was seen')
    expect(room.own).toEqual([])
    await until(() => room.own.length > 0, 'no status post was seen')
    expect(room.own.map(({ text }) => text)).toEqual(['Working on it…'])
    finish({ daemon }, 'rope')
    await ends({ room }, 'all of rope is said')
    expect(stage.draft(room.id)).toBeUndefined()
    expect(stage.calls.filter(({ method }) => method === 'editMessageText')).toEqual([])
  })
})
