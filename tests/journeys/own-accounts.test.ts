/** The team has an account, and the Reviewer one of its own; both are in the same chats. */
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  again,
  Chat,
  colleague,
  type Daemon,
  discord,
  OBEYS,
  onPlatforms,
  type Person,
  programAgent,
  type Seat,
  slack,
  verbatim,
} from './platforms.js'

const TEAM = `${OBEYS}${programAgent('Reviewer', 'obeys', 'role: "code review"')}${programAgent('Scribe', 'obeys')}`

const STAGES = {
  slack: async () => {
    const main = await slack()
    const rev = await colleague(main, 'Reviewer')
    const joined = (title: string, people: Person[]): string => {
      const id = main.group(title, people)
      main.slack.invite(id, rev.bot)
      return id
    }
    return { main, rev, joined }
  },
  discord: async () => {
    const main = await discord()
    const rev = await colleague(main, 'Reviewer')
    return { main, rev, joined: (title: string, people: Person[]) => main.group(title, people) }
  },
}

const returning = (name: string, to: string, more: string): string => {
  const path = fileURLToPath(new URL('../fixtures/agents/returns.mjs', import.meta.url))
  return `  - { name: ${name}, engine: command, command: ${JSON.stringify([process.execPath, path, to])}, ${more} }\n`
}

describe.each(['slack', 'discord'] as const)('on %s', (platform) => {
  let daemon: Daemon
  let stages: Awaited<ReturnType<(typeof STAGES)[typeof platform]>>
  let seats: Seat[]
  let ann: Person
  const more = `groupChat: { debounce: 50ms }
rooms:
  "${platform}:*": { workingFolder: . }
  "${platform}.rev:*": { workingFolder: . }
`

  beforeAll(async () => {
    stages = await STAGES[platform]()
    ann = stages.main.person('Ann')
    seats = [{ stage: stages.main }, { stage: stages.rev, id: 'rev', more: { agent: 'Reviewer' } }]
    daemon = await onPlatforms(seats, { agents: TEAM, more })
  })

  /** The same chat, as each account has it. */
  function room(title: string): { main: Chat; rev: Chat; rest(): Promise<void>; said(): string[] } {
    const id = stages.joined(title, [ann])
    const main = new Chat(daemon, stages.main, id)
    const rev = new Chat(daemon, stages.rev, id, `${platform}.rev`)
    const names = new Map([
      [stages.main.bot.id, 'Golem'],
      [stages.rev.bot.id, 'Reviewer'],
    ])
    return {
      main,
      rev,
      rest: async () => {
        // What one says, the other hears.
        for (let times = 0; times < 3; times++) {
          await main.rest()
          await rev.rest()
        }
      },
      said: () =>
        main
          .seen()
          .filter(({ author, text }) => names.has(author.id) && !/joined/.test(text))
          .map(({ author, text }) => `${names.get(author.id)}: ${text}`),
    }
  }
  const at = (which: 'main' | 'rev'): string => `<@${stages[which].bot.id}>`

  it('each account answers what is said to it, and nothing else', async () => {
    const { main, rest, said } = room('each')
    main.say(ann, `${at('main')} do say I am the team`)
    await rest()
    expect(said()).toEqual(['Golem: I am the team'])
    const id = main.say(ann, `${at('rev')} do say I am the reviewer`)
    await rest()
    expect(said()).toEqual(['Golem: I am the team', 'Reviewer: I am the reviewer'])
    expect(await main.receipt(id)).toMatchObject({ outcome: 'kept', decision: { reason: 'other-account' } })
  })

  it('both are mentioned: both answer, once each', async () => {
    const { main, rest, said } = room('both')
    main.say(ann, `${at('main')} ${at('rev')} do say here`)
    await rest()
    expect(said().toSorted()).toEqual(['Golem: here', 'Reviewer: here'])
  })

  it('a name in plain text goes to the agent’s own account; one without an account to the team’s', async () => {
    const { main, rest, said } = room('names')
    // Each account is known to be here once it has heard something.
    main.say(ann, 'hello')
    await rest()
    main.say(ann, '@Reviewer do say by name')
    await rest()
    main.say(ann, '@Scribe do say noted')
    await rest()
    expect(said()).toEqual(['Reviewer: by name', 'Golem: noted'])
  })

  it('what an agent’s answer says to another is answered through that one’s account', async () => {
    const { main, rev, rest, said } = room('wakes')
    // Coded, so that not the person names the Reviewer: whether that one is known to be here would decide then.
    main.say(ann, `${at('main')} ${verbatim('@Reviewer do say I saw it')}`)
    await rest()
    expect(said()).toEqual([expect.stringMatching(/^Golem: @\S+ do say I saw it$/), 'Reviewer: I saw it'])
    // For the Reviewer, that was a colleague and not a stranger.
    const question = main.own.at(-1)
    expect((await rev.receipt(question?.id ?? '')).decision?.gates[0]).toMatchObject({
      gate: 'author',
      saw: { author: 'agent', agent: 'Golem' },
    })
  })

  it('a teammate that is asked reports through who asked, whatever account it has', async () => {
    const { main, rest, said } = room('asked')
    main.say(ann, `${at('main')} do delegate Reviewer do say forty-two`)
    await rest()
    expect(said()).toHaveLength(1)
    expect(said()[0]).toMatch(/^Golem:/)
  })

  it('the same holds after a restart', async () => {
    const { main, rest, said } = room('later')
    main.say(ann, `${at('rev')} do say before`)
    await rest()
    await daemon.kill('SIGKILL')
    await again(daemon, seats)
    main.say(ann, `${at('rev')} ${at('main')} do say after`)
    await rest()
    expect(said().slice(0, 1)).toEqual(['Reviewer: before'])
    expect(said().slice(1).toSorted()).toEqual(['Golem: after', 'Reviewer: after'])
  })

  it('two that answer each other are quiet after maxTurns, with one notice, until a person speaks', async () => {
    await daemon.kill('SIGTERM')
    const looping = await onPlatforms(seats, {
      agents: `${returning('Golem', 'Reviewer', 'role: orchestrator')}${returning('Reviewer', 'Golem', 'role: reviews')}`,
      more: 'groupChat: { debounce: 50ms, maxTurns: 4 }\n',
    })
    daemon = looping
    const { main, rest, said } = room('loop')
    main.say(ann, `${at('main')} begin`)
    await rest()
    await rest()
    const turns = said().filter((line) => line.includes('your turn'))
    expect(turns.map((line) => line.split(':')[0])).toEqual(['Golem', 'Reviewer', 'Golem', 'Reviewer'])
    const notices = said().filter((line) => line.includes('stay quiet'))
    expect(notices).toHaveLength(1)
    expect(said()).toHaveLength(5)
    main.say(ann, 'go on then')
    main.say(ann, `${at('rev')} again`)
    await rest()
    await rest()
    expect(said().filter((line) => line.includes('your turn'))).toHaveLength(8)
    expect(said().filter((line) => line.includes('stay quiet'))).toHaveLength(2)
  })
})
