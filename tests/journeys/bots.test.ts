import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, type Person, programAgent, QUICK } from './daemon.js'

const BOT: Person = { id: 'ci', name: 'CI', kind: 'bot' }

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(`name: Golem
${QUICK}rooms:
  "local:loop": { maxTurns: 3 }
  "local:always": { groupPolicy: always, maxTurns: 2 }
agents:
${programAgent('Golem', 'obeys', 'role: orchestrator')}`)
})

describe('another bot', () => {
  it('is context: it wakes nobody, and its line is shown as a bot’s', async () => {
    expect(await daemon.ask('build 7 failed', { author: BOT })).toEqual([])
    const [answer] = await daemon.ask('@Golem do prompt')
    expect(answer?.text).toMatch(/\[bot:CI\].*build 7 failed/)
  })

  it('wakes an agent that it names', async () => {
    expect(await daemon.ask('@Golem do say I saw it', { author: BOT })).toMatchObject([{ text: 'I saw it' }])
  })

  it('in a loop with it the room goes quiet after maxTurns, with one notice, until a person speaks', async () => {
    const room = 'loop'
    for (const n of [1, 2, 3])
      expect(await daemon.ask(`@Golem do say ${n}`, { room, author: BOT })).toMatchObject([{ text: `${n}` }])
    const fourth = await daemon.ask('@Golem do say 4', { room, author: BOT })
    expect(fourth).toMatchObject([
      { text: 'Bots have spoken 3 times in a row here. I stay quiet until a person speaks.', silent: true },
    ])
    const fifth = await daemon.say('@Golem do say 5', { room, author: BOT })
    await daemon.quiet()
    expect(await daemon.answers(fifth, room)).toEqual([])
    expect(await daemon.receipt(fifth, room)).toMatchObject({
      outcome: 'kept',
      decision: { reason: 'max-turns' },
    })
    const rooms = (await daemon.request('GET', '/api/rooms')).body as {
      rooms: { key: string; quiet: boolean }[]
    }
    expect(rooms.rooms.find(({ key }) => key === 'local:loop')?.quiet).toBe(true)

    await daemon.restart('SIGTERM')
    expect(await daemon.ask('@Golem do say 6', { room, author: BOT })).toEqual([])

    await daemon.say('good morning', { room })
    expect(await daemon.ask('@Golem do say 7', { room, author: BOT })).toMatchObject([{ text: '7' }])
  })

  it('that only posts notices uses up nothing', async () => {
    const room = 'notices'
    for (let i = 0; i < 12; i++) await daemon.say(`build ${i} is green`, { room, author: BOT })
    expect(await daemon.ask('@Golem do say I saw them', { room, author: BOT })).toMatchObject([
      { text: 'I saw them' },
    ])
  })

  it('does not keep an always-room talking to itself', async () => {
    const room = 'always'
    for (let i = 0; i < 4; i++) await daemon.ask('do say pong', { room, author: BOT })
    const said = (await daemon.messages(room)).filter(({ text }) => text === 'pong')
    expect(said.length).toBeLessThanOrEqual(2)
  })
})
