/** Agents ask people: buttons on each platform, words where there are none, and a daemon that dies meanwhile. */
import { expect, it } from 'vitest'
import type { ApprovalView } from '../../src/messaging/views.js'
import type { Seen } from '../simulators/kit/stage.js'
import type { Message } from './daemon.js'
import { QUICK } from './daemon.js'
import { again, Chat, Daemon, onPlatforms, type Person, programAgent, STAGES, until } from './platforms.js'

const ASKS = programAgent('Golem', 'asks', 'role: orchestrator')
const QUESTION = 'ask Deploy the new version? | Deploy | Cancel'
const PLATFORMS = ['slack', 'discord', 'telegram', 'feishu'] as const

async function open(daemon: Daemon): Promise<ApprovalView[]> {
  const { body } = await daemon.request('GET', '/api/approvals')
  return (body as { approvals: ApprovalView[] }).approvals
}

/** The question as it stands in the chat, with its buttons. */
async function asked(room: Chat): Promise<Seen> {
  let found: Seen | undefined
  await until(
    () => {
      found = room.own.findLast(
        ({ buttons, text }) => buttons.length > 1 && text.includes('Deploy the new version?'),
      )
      return found !== undefined
    },
    () => `${room.key}: nothing was asked: ${JSON.stringify(room.own)} ${room.daemon.log.slice(-2_000)}`,
  )
  return found as Seen
}

async function meeting(platform: (typeof PLATFORMS)[number], more = '') {
  const stage = await STAGES[platform]()
  const [ann, bob] = [stage.person('Ann'), stage.person('Bob')]
  const seats = [{ stage }]
  const daemon = await onPlatforms(seats, { agents: ASKS, more })
  const room = new Chat(daemon, stage, stage.group('Lobby', [ann, bob]))
  /** As often as these labels say, before the post can change. */
  const press = async (post: Seen, who: Person, ...labels: string[]) => {
    for (const label of labels) {
      const button = post.buttons.find((one) => one.label === label)
      stage.press(room.id, post.id, who, button?.value ?? '')
    }
    await until(() => stage.pending === 0, 'the press was not taken')
  }
  /** Nothing of Golem's is on its way. */
  const sent = () =>
    until(async () => (await daemon.queue()).operations.length === 0, 'something is still on its way')
  return { stage, ann, bob, seats, daemon, room, press, sent }
}

const answersOf = (room: Chat, id: string): string[] =>
  room.answers(id).flatMap(({ text }) => (text.startsWith('decided:') ? [text] : []))

it.each(PLATFORMS)(
  'on %s a press by somebody else is refused, the asker’s decides, and the post says so',
  async (platform) => {
    const { ann, bob, daemon, room, press } = await meeting(platform)
    const id = room.say(ann, QUESTION, { mention: true })
    const post = await asked(room)
    expect(post.buttons.map(({ label }) => label)).toEqual(['Deploy', 'Cancel'])
    expect(post.text).toContain('Only Ann can decide')
    expect(post.silent).toBe(false)
    expect(await open(daemon)).toMatchObject([{ agent: 'Golem', requester: { name: 'Ann' }, parked: false }])

    await press(post, bob, 'Deploy')
    expect(await open(daemon)).toHaveLength(1)
    // Nobody else is told; whether Bob is, is the platform's affair.
    for (const { text } of room.seen(ann)) expect(text).not.toContain('Only Ann can decide this.')

    // A second press comes before the post can change: nothing comes of it.
    await press(post, ann, 'Deploy', 'Cancel')
    await room.rest()
    expect(answersOf(room, id)).toEqual(['decided: Deploy by Ann in run 1'])
    const after = room.message(post.id)
    expect(after.buttons).toEqual([])
    expect(after.text).toMatch(/Deploy: decided by Ann, \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    expect(room.own.map(({ text }) => text).filter((text) => text.includes('Working on it'))).toEqual([])

    // Delivered again, as after a lost acknowledgement: it is known.
    room.stage.redeliver(4)
    await room.rest()
    expect(answersOf(room, id)).toHaveLength(1)
    expect((await room.receipt(id)).turns).toMatchObject([
      { questions: [{ state: 'chosen', choice: 'Deploy', by: { name: 'Ann' }, how: 'button' }] },
    ])
  },
)

it.each(PLATFORMS)('on %s words decide as well, and wake nobody', async (platform) => {
  const { ann, bob, daemon, room } = await meeting(platform)
  const id = room.say(ann, QUESTION, { mention: true })
  const post = await asked(room)
  const code = (await open(daemon))[0]?.code ?? ''
  room.say(bob, `deny ${code}`)
  room.say(bob, `!deny ${code}`)
  await until(() => room.stage.pending === 0, 'not heard')
  expect(await open(daemon)).toHaveLength(1)
  const words = room.say(ann, platform === 'slack' ? `!deny ${code}` : `deny ${code}`)
  await room.rest()
  expect(answersOf(room, id)).toEqual(['decided: Cancel by Ann in run 1'])
  expect(room.message(post.id)).toMatchObject({ buttons: [] })
  expect((await room.receipt(words)).turns).toEqual([])
  // Said again, it decides nothing that is asked later.
  const next = room.say(ann, QUESTION, { mention: true })
  await until(async () => (await open(daemon)).length === 1, 'nothing was asked')
  room.say(ann, `deny ${code}`)
  await until(() => room.stage.pending === 0, 'not heard')
  expect(await open(daemon)).toHaveLength(1)
  room.say(ann, `/stop`, { mention: platform !== 'telegram' })
  expect(answersOf(room, next)).toEqual([])
})

it.each(PLATFORMS)(
  'on %s a question outlives the daemon: the press begins the work again, with that decision',
  async (platform) => {
    const { ann, bob, seats, daemon, room, press, sent } = await meeting(platform)
    const id = room.say(ann, QUESTION, { mention: true })
    await asked(room)
    await sent()
    await daemon.kill('SIGKILL')
    await again(daemon, seats)
    expect(await open(daemon)).toMatchObject([{ parked: true }])
    await until(
      () => room.own.some(({ text }) => text.includes('Golem was restarted')),
      'nothing was said of the restart',
    )
    const post = await asked(room)
    expect(room.own.filter(({ buttons }) => buttons.length > 0)).toHaveLength(1)
    expect(room.own.some(({ text }) => text.includes('interrupted'))).toBe(false)

    // Its conversation goes on meanwhile.
    const other = room.say(bob, 'hello', { mention: true })
    await until(
      () => room.answers(other).some(({ text }) => text.startsWith('heard:')),
      'Bob was not answered',
    )

    await press(post, bob, 'Cancel')
    await press(post, ann, 'Deploy', 'Deploy')
    await room.rest()
    expect(answersOf(room, id)).toEqual(['decided: Deploy by Ann in run 2'])
    expect(room.own.filter(({ buttons }) => buttons.length > 0)).toEqual([])
  },
)

it('pressed while Golem is not there: the work is done with that decision, once', async () => {
  const { stage, ann, seats, daemon, room } = await meeting('telegram')
  const id = room.say(ann, QUESTION, { mention: true })
  const post = await asked(room)
  // A mark that is cut off is put again only once the first can no longer arrive: on Telegram after a minute.
  await until(
    async () => (await daemon.queue()).operations.every(({ kind }) => kind !== 'react'),
    'the mark is still on its way',
  )
  await daemon.kill('SIGKILL')
  // Pressed while nobody listens: Telegram brings it later, and again.
  stage.press(room.id, post.id, ann, post.buttons[0]?.value ?? '')
  await again(daemon, seats)
  await until(() => answersOf(room, id).length > 0, 'nothing was answered')
  stage.redeliver(stage.acknowledged.length)
  await room.rest()
  expect(answersOf(room, id)).toEqual(['decided: Deploy by Ann in run 2'])
  // It was not known whether the question stood: it may stand twice, and neither can be pressed any more.
  expect(room.own.flatMap(({ buttons }) => buttons)).toEqual([])
})

it('nobody decides: that is a refusal, and said', async () => {
  const { ann, daemon, room } = await meeting('discord', 'approvals: { expire: 1s }\n')
  const id = room.say(ann, QUESTION, { mention: true })
  await until(() => answersOf(room, id).length > 0, 'the agent was not told')
  await room.rest()
  expect(answersOf(room, id)).toEqual(['decided: nothing by nobody in run 1'])
  await until(() => room.own.some(({ text }) => text.includes('Nobody decided in time')), 'it was not said')
  expect(await open(daemon)).toEqual([])
})

it('approvers decide in place of who asked', async () => {
  const stage = await STAGES.slack()
  const [ann, bob] = [stage.person('Ann'), stage.person('Bob')]
  const daemon = await onPlatforms([{ stage }], {
    agents: ASKS,
    more: `rooms: { "slack:*": { approvers: [${bob.id}] } }\n`,
  })
  const room = new Chat(daemon, stage, stage.group('Lobby', [ann, bob]))
  room.say(bob, 'I am here')
  await room.rest()
  const id = room.say(ann, QUESTION, { mention: true })
  const post = await asked(room)
  expect(post.text).toContain('Only Bob can decide')
  stage.press(room.id, post.id, ann, post.buttons[0]?.value ?? '')
  await until(() => stage.pending === 0, 'not taken')
  expect(await open(daemon)).toHaveLength(1)
  stage.press(room.id, post.id, bob, post.buttons[0]?.value ?? '')
  await room.rest()
  expect(answersOf(room, id)).toEqual(['decided: Deploy by Bob in run 1'])
})

it('in a local room: a turn that waits long is parked, its room goes on, and the decision begins it again', async () => {
  const daemon = await Daemon.start(`${QUICK}approvals: { park: 1s }\nname: Golem\nagents:\n${ASKS}`)
  const id = await daemon.say(`@Golem ${QUESTION}`)
  await until(async () => (await open(daemon))[0]?.parked === true, 'it was not parked')
  expect(await daemon.talk()).toContainEqual(expect.stringContaining('Golem has paused'))
  const hello = await daemon.say('@Golem hello', { author: 'Bob' })
  await until(async () => (await daemon.answers(hello)).length > 0, 'the room does not go on')
  const { stdout } = await daemon.run('queue')
  expect(stdout).toContain('waiting for decision')
  const post = (await daemon.answers(id)).find(({ buttons }) => buttons.length > 0) as Message
  await daemon.press(post, 'Cancel', 'Bob')
  expect(await open(daemon)).toHaveLength(1)
  await daemon.press(post, 'Cancel')
  await daemon.quiet()
  expect((await daemon.answers(id)).map(({ text }) => text)).toContainEqual('decided: Cancel by Ann in run 2')
  const why = await daemon.run('why', `local:lobby:${id}`)
  expect(why.stdout).toMatch(/Cancel, decided by Ann/)
})

it('/stop ends what waits for a decision', async () => {
  const daemon = await Daemon.start(`${QUICK}name: Golem\nagents:\n${ASKS}`)
  const id = await daemon.say(`@Golem ${QUESTION}`)
  await until(async () => (await open(daemon)).length === 1, 'nothing was asked')
  await daemon.say('/stop')
  await daemon.quiet()
  expect(await open(daemon)).toEqual([])
  const receipt = await daemon.receipt(id)
  expect(receipt).toMatchObject({ outcome: 'stopped', turns: [{ questions: [{ state: 'withdrawn' }] }] })
  expect((await daemon.messages()).flatMap(({ buttons }) => buttons)).toEqual([])
})

it('Golem ends in order while a question is open: its next life takes it up', async () => {
  const daemon = await Daemon.start(`${QUICK}name: Golem\nagents:\n${ASKS}`)
  const id = await daemon.say(`@Golem ${QUESTION}`)
  await until(
    async () => (await daemon.answers(id)).some(({ buttons }) => buttons.length > 0),
    'nothing was asked',
  )
  const began = Date.now()
  await daemon.restart('SIGTERM')
  expect(Date.now() - began).toBeLessThan(8_000)
  expect(await open(daemon)).toMatchObject([{ parked: true }])
  const post = (await daemon.answers(id)).find(({ buttons }) => buttons.length > 0) as Message
  await daemon.press(post, 'Deploy')
  await daemon.quiet()
  expect((await daemon.answers(id)).map(({ text }) => text)).toContainEqual('decided: Deploy by Ann in run 2')
})
