import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, programAgent, QUICK } from './daemon.js'

const YAML = `name: Golem
${QUICK}rooms:
  "local:always": { groupPolicy: always }
  "local:smart": { groupPolicy: smart }
  "local:gated": { groupPolicy: smart, smartGate: local }
  "local:quiet": { defaultResponder: mentions }
agents:
${programAgent('Golem', 'obeys', 'role: orchestrator, aliases: [Chief]')}${programAgent('Coder', 'obeys', 'role: "writes programs"')}`

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(YAML)
})

describe('mention-only', () => {
  it.each([
    ['@Golem do say yes', 'Golem'],
    ['@CHIEF do say yes', 'Golem'],
    ['well, @coder: do say yes', 'Coder'],
    ['你好@Golem do say yes', 'Golem'],
  ])('%s is answered by %s', async (text, agent) => {
    expect(await daemon.ask(text)).toMatchObject([{ agent, text: 'yes' }])
  })

  it.each([
    'do say yes',
    '@Golems do say yes',
    'me@Golem do say yes',
    '`@Golem` do say yes',
    '> @Golem do say yes',
    'see https://example.com/@Golem do say yes',
    '@here do say yes',
  ])('%s is answered by nobody', async (text) => {
    expect(await daemon.ask(text)).toEqual([])
  })

  it('two that are named answer one after another, in the order of their names', async () => {
    const answers = await daemon.ask('@Coder and @Golem do say yes')
    expect(answers.map(({ agent }) => agent)).toEqual(['Coder', 'Golem'])
  })

  it('a reply to an agent’s answer addresses that agent', async () => {
    const [answer] = await daemon.ask('@Coder do say yes')
    expect(await daemon.ask('do say more', { replyTo: answer?.id ?? '' })).toMatchObject([
      { agent: 'Coder', text: 'more' },
    ])
  })

  it('silence is not taken where somebody was asked', async () => {
    const [answer] = await daemon.ask('@Golem do pass')
    expect(answer?.text).toBe(
      'I worked on this but came to no answer. Please ask again with a little more detail.',
    )
  })

  it('what was said before is its context', async () => {
    await daemon.say('the printer is on the second floor', { room: 'hall', author: 'Bob' })
    const [answer] = await daemon.ask('@Golem do context', { room: 'hall' })
    expect(answer?.text).toBe('Bob: the printer is on the second floor\nAnn: do context')
  })

  it('a native mention of the bot goes to the orchestrator', async () => {
    const { body } = await daemon.request('POST', '/api/local/rooms/lobby/messages', {
      author: 'Ann',
      text: '@Golem do say by identity',
      mentions: [{ id: '@golem', name: 'Golem' }],
    })
    await daemon.quiet()
    expect(await daemon.answers((body as { id: string }).id)).toMatchObject([{ text: 'by identity' }])
  })
})

describe('smart', () => {
  const room = 'smart'
  it('considers every message, and an answer may be silence: no post, no mark', async () => {
    const id = await daemon.say('do pass', { room })
    await daemon.quiet()
    expect(await daemon.messages(room)).toMatchObject([{ id, reactions: [] }])
    expect(await daemon.receipt(id, room)).toMatchObject({ outcome: 'passed', turns: [{ state: 'passed' }] })
  })

  it('says what it has to add', async () => {
    expect(await daemon.ask('do say I know that', { room })).toMatchObject([{ text: 'I know that' }])
  })

  it('an empty answer is silence too', async () => {
    expect(await daemon.ask('do nothing', { room })).toEqual([])
  })

  it('addressed, it answers', async () => {
    expect(await daemon.ask('@Golem do pass', { room })).toHaveLength(1)
  })

  it('a failure nobody asked for is not posted; the receipt says it', async () => {
    const id = await daemon.say('do exit 3', { room })
    await daemon.quiet()
    expect(await daemon.answers(id, room)).toEqual([])
    expect(await daemon.receipt(id, room)).toMatchObject({ outcome: 'failed' })
  })

  it('the local gate leaves out what is said to somebody else, and lets a question through', async () => {
    const room = 'gated'
    const bob = await daemon.say('do pass', { room, author: 'Bob' })
    const reply = await daemon.say('do say I am no part of this', { room, replyTo: bob })
    const question = await daemon.say('who writes programs? do say I do', { room, author: 'Cid' })
    await daemon.quiet()
    expect(await daemon.receipt(reply, room)).toMatchObject({
      outcome: 'kept',
      decision: { reason: 'smart-gate' },
      turns: [],
    })
    expect(await daemon.answers(question, room)).toMatchObject([{ text: 'I do' }])
  })
})

describe('always', () => {
  it('answers every message', async () => {
    expect(await daemon.ask('do say one', { room: 'always' })).toMatchObject([{ text: 'one' }])
    expect(await daemon.ask('do say two', { room: 'always' })).toMatchObject([{ text: 'two' }])
  })
})
