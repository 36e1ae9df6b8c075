import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, type Message, programAgent, QUICK, until } from './daemon.js'

const YAML = `name: Golem
${QUICK}rooms:
  "local:one": { sessionScope: group }
  "local:chains": { sessionScope: thread }
agents:
${programAgent('Golem', 'obeys', 'role: orchestrator')}`

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(YAML)
})

async function dm(): Promise<string> {
  const { body } = await daemon.request('POST', '/api/local/rooms', { kind: 'dm' })
  return (body as { id: string }).id
}
const turn = (answer: Message | undefined) =>
  JSON.parse(answer?.text ?? '{}') as { conversation: string; chat: string }

describe('a direct conversation', () => {
  it('needs no mention, and has one context a person', async () => {
    const room = await dm()
    await daemon.say('my secret is blue', { room })
    await daemon.quiet()
    const [answer] = await daemon.ask('do context', { room })
    expect(answer?.text).toContain('Ann: my secret is blue')
    const [where] = await daemon.ask('do input', { room })
    expect(turn(where)).toMatchObject({ conversation: `local:${room}:Ann`, chat: `local:${room}` })
  })

  it('what was said there never reaches a group', async () => {
    const [answer] = await daemon.ask('@Golem do prompt')
    expect(answer?.text).not.toContain('blue')
  })
})

describe('threads', () => {
  it('a thread has its own context, the answer stays in it, and one person there needs no mention', async () => {
    const root = await daemon.say('about the roof', { room: 'site' })
    const [first] = await daemon.ask('@Golem do context', { room: 'site', thread: root })
    expect(first).toMatchObject({ thread: root })
    const [second] = await daemon.ask('do input', { room: 'site', thread: root })
    expect(turn(second).conversation).toBe(`local:site:${root}`)
    const [beside] = await daemon.ask('@Golem do context', { room: 'site' })
    expect(beside?.text).not.toContain('do input')
    expect(beside?.thread).toBeUndefined()
  })

  it('once a second person speaks in it, a mention is needed', async () => {
    const root = await daemon.say('about the door', { room: 'site' })
    await daemon.ask('@Golem do say hello', { room: 'site', thread: root })
    await daemon.ask('@Golem do say hello', { room: 'site', thread: root, author: 'Bob' })
    expect(await daemon.ask('do say hello', { room: 'site', thread: root })).toEqual([])
  })

  it('`group` shares one context over the whole chat', async () => {
    const root = await daemon.say('about the floor', { room: 'one' })
    const [answer] = await daemon.ask('@Golem do input', { room: 'one', thread: root })
    expect(turn(answer).conversation).toBe('local:one')
    expect(answer?.thread).toBe(root)
  })

  it('`thread` also splits chains of replies', async () => {
    const root = await daemon.say('about the wall', { room: 'chains' })
    const [answer] = await daemon.ask('@Golem do input', { room: 'chains', replyTo: root })
    expect(turn(answer).conversation).toBe(`local:chains:${root}`)
  })

  it('a slow turn in a thread does not hold up the chat', async () => {
    const room = 'busy'
    const root = await daemon.say('a long story', { room })
    const slow = await daemon.say('@Golem do wait done.txt', { room, thread: root })
    const quick = await daemon.say('@Golem do say quick', { room })
    await until(
      async () => (await daemon.answers(quick, room)).length === 1,
      'the chat waited for the thread',
    )
    expect((await daemon.receipt(slow, room)).outcome).toBe('running')
    await daemon.say('/stop', { room, thread: root })
    await daemon.quiet()
  })
})

describe('/new', () => {
  it('begins a fresh context; the group memory stays', async () => {
    const room = 'fresh'
    await daemon.say('the old plan', { room, author: 'Bob' })
    const [line] = await daemon.ask('/new', { room })
    expect(line?.text).toBe(
      'A fresh context: earlier lines are no longer shown to the agents. The group memory stays.',
    )
    await daemon.say('the new plan', { room, author: 'Bob' })
    const [answer] = await daemon.ask('@Golem do context', { room })
    expect(answer?.text).toBe('Bob: the new plan\nAnn: do context')
    const [memory] = await daemon.ask('@Golem do memory', { room })
    expect(memory?.text).toContain('- Bob')
  })
})
