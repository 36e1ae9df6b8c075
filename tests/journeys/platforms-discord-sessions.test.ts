/** Discord's gateway over restarts and long absences, and what cannot go on: close codes, intents that are missing. */
import { describe, it } from 'vitest'
import { again, Chat, connection, discord, onPlatforms, phase, slack, until } from './platforms.js'

describe.concurrent('away', () => {
  async function world(options: Parameters<typeof discord>[0] = {}) {
    const own = await discord(options)
    const cid = own.person('Cid')
    const seats = [{ stage: own }]
    const going = await onPlatforms(seats)
    const room = new Chat(going, own, own.group('lobby', [cid]))
    await room.ask(cid, 'do say awake')
    return { own, cid, seats, going, room }
  }

  it('a restart goes on in its session and misses nothing, in threads neither', async ({ expect }) => {
    const { own, cid, seats, going, room } = await world()
    await going.kill('SIGTERM')
    room.say(cid, 'the plan changed')
    const missed = room.say(cid, 'do say I was away', { mention: true })
    const thread = own.discord.thread(room.id, cid, 'aside')
    const inside = room.say(cid, 'do say inside', { thread, mention: true })
    // What stood in a thread before the bot was called there is read; in the channel there is nothing to read.
    const reads = () =>
      own.calls.filter(({ method, params }) => method === 'getMessages' && params.channel === undefined)
        .length
    const before = reads()
    await again(going, seats)
    await until(() => room.answers(missed).length > 0 && room.answers(inside).length > 0, 'it was missed')
    await room.rest()
    expect(room.answers(missed).map(({ text }) => text)).toContain('I was away')
    expect(room.own.map(({ text }) => text).sort()).toEqual(['I was away', 'awake', 'inside'].sort())
    expect(own.lost).toEqual([])
    expect(reads()).toBe(before)
    const [context] = await room.ask(cid, 'do context')
    expect(context?.text).toContain('Cid: the plan changed')
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'after %s and longer than a session lasts, what was missed is read back',
    async (signal) => {
      const { own, cid, seats, going, room } = await world()
      await going.kill(signal)
      own.expireSessions()
      room.say(cid, 'the plan changed')
      const missed = room.say(cid, 'do say I was away', { mention: true })
      await again(going, seats)
      await until(() => room.answers(missed).length > 0, 'what was missed is not answered')
      await room.rest()
      if (room.answers(missed)[0]?.text !== 'I was away') throw new Error('it was answered otherwise')
      if (room.own.length !== 2) throw new Error(`it was answered ${room.own.length - 1} times`)
      await until(
        async () => (await connection(going, 'discord')).lastCatchUp?.complete === true,
        'it is not said',
      )
      const [context] = await room.ask(cid, 'do context')
      if (context?.text.includes('Cid: the plan changed') !== true) throw new Error('it is no context')
    },
  )

  it('a session that Discord gives up while Golem runs costs no message either', async ({ expect }) => {
    const { own, cid, going, room } = await world()
    own.expireSessions()
    own.cut('close')
    const missed = room.say(cid, 'do say between sessions', { mention: true })
    await until(() => room.answers(missed).length > 0, 'it was missed')
    own.invalidate()
    const next = room.say(cid, 'do say after that', { mention: true })
    await until(() => room.answers(next).length > 0, 'it was missed')
    own.reconnect()
    const last = room.say(cid, 'do say and again', { mention: true })
    await until(() => room.answers(last).length > 0, 'it was missed')
    await phase(going, 'discord', 'ready')
    expect(room.own).toHaveLength(4)
  })
})

describe('what cannot go on', () => {
  it.each([
    [4004, /token/i],
    [4013, /intents/i],
    [4014, /intent/i],
  ])('close code %i is shown with its cure, and another platform goes on', async (code, says) => {
    const [own, other] = [await discord(), await slack()]
    const going = await onPlatforms([{ stage: own }, { stage: other }])
    own.closeGateway(code)
    await phase(going, 'discord', 'failed')
    const health = await connection(going, 'discord')
    if (!says.test(health.reason ?? '') || (health.cure ?? '') === '')
      throw new Error(`it says ${JSON.stringify(health)}`)
    const cid = other.person('Cid')
    const room = new Chat(going, other, other.group('lobby', [cid]))
    const [answer] = await room.ask(cid, 'do say still here')
    if (answer?.text !== 'still here') throw new Error('the other platform is silent')
    if (
      JSON.stringify(await going.health()).includes('BotTokenInABox') ||
      going.log.includes('BotTokenInABox')
    )
      throw new Error('it shows the token')
  })

  it('without the Server Members intent names stay text, and /health says so', async ({ expect }) => {
    const blind = await discord({ granted: ['MessageContent'] })
    const cid = blind.person('Cid')
    const dee = blind.discord.person({ name: 'Dee', guild: blind.discord.guild })
    const going = await onPlatforms([{ stage: blind }])
    const room = new Chat(going, blind, blind.group('lobby', [cid]))
    const [answer] = await room.ask(cid, 'do say @Dee and @Cid')
    expect(answer?.text).toBe('@Dee and @Cid')
    expect(answer?.pings).not.toContain(dee.id)
    expect(await connection(going, 'discord')).toMatchObject({
      phase: 'ready',
      sees: 'all',
      note: expect.stringMatching(/Server Members Intent/),
    })
  })

  it('without the Message Content intent a smart room is refused with a sentence, and mentions still answered', async ({
    expect,
  }) => {
    const shy = await discord({ granted: ['GuildMembers'] })
    const cid = shy.person('Cid')
    const id = shy.group('shy', [cid])
    const careful = await onPlatforms([{ stage: shy }], {
      more: `rooms: { "discord:${id}": { groupPolicy: smart } }\n`,
    })
    const room = new Chat(careful, shy, id)
    room.say(cid, 'do say I should not know')
    const asked = room.say(cid, 'do say yes', { mention: true })
    await room.rest()
    expect(room.own.map(({ text }) => text)).toEqual(['yes'])
    const health = await connection(careful, 'discord')
    expect(health).toMatchObject({ phase: 'ready', sees: 'addressed' })
    expect(health.note).toMatch(/Message Content Intent/)
    expect(health.note).toMatch(/smart or always behave as mention-only/)
    const gates = (await room.receipt(asked)).decision?.gates
    expect(gates?.find(({ gate }) => gate === 'policy')?.saw).toMatchObject({
      policy: 'smart',
      sees: 'addressed',
    })
  })
})
