import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, programAgent, TEAM } from './daemon.js'

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(TEAM)
})

describe('the orchestrator has teammates', () => {
  it('gives a question about Golem to the Librarian and posts what comes back, once', async () => {
    const id = await daemon.say('@Golem ask Librarian what a receipt is')
    await daemon.quiet()
    const answers = await daemon.answers(id)
    expect(answers.map(({ agent }) => agent)).toEqual(['Golem'])
    expect(answers[0]?.text).toMatch(/Librarian/)
    expect(answers[0]?.text).toMatch(/receipt/i)
    const receipt = await daemon.receipt(id)
    expect(receipt.outcome).toBe('answered')
    expect(receipt.turns.map(({ kind, agent, state }) => [kind, agent, state])).toEqual([
      ['message', 'Golem', 'settled'],
      ['ask', 'Librarian', 'settled'],
      ['follow-up', 'Golem', 'settled'],
    ])
    expect(receipt.turns[0]?.tools).toMatchObject([{ name: 'ask_teammate', ok: true }])
    // The question's mark waits for the last word.
    expect((await daemon.message(id)).reactions).toMatchObject([{ emoji: '✅' }])
  })

  it('has the Scribe summarise the conversation of the same room', async () => {
    await daemon.say('We decided to ship the importer on Friday because the auditors come on Monday.', {
      room: 'release',
      author: 'Bob',
    })
    await daemon.say('The importer still fails on files with a byte order mark, I am on it.', {
      room: 'release',
      author: 'Cid',
    })
    const id = await daemon.say('@Golem please summarise the conversation', { room: 'release' })
    await daemon.quiet()
    const answers = await daemon.answers(id, 'release')
    expect(answers).toHaveLength(1)
    expect(answers[0]?.text).toContain('Friday')
    const receipt = await daemon.receipt(id, 'release')
    expect(receipt.turns.map(({ agent }) => agent)).toEqual(['Golem', 'Scribe', 'Golem'])
  })

  it('nothing of it is seen in another room', async () => {
    expect((await daemon.talk()).join('\n')).not.toMatch(/importer|auditors/)
  })

  it('a teammate that is a program reports through the orchestrator; one that fails is reported too', async () => {
    const helped = await Daemon.start(`${TEAM}${programAgent('Coder', 'obeys', 'role: "writes programs"')}`)
    const [answer, ...more] = await helped.ask('@Golem ask Coder to do say forty-two')
    expect(more).toEqual([])
    expect(answer).toMatchObject({ agent: 'Golem', text: expect.stringContaining('forty-two') })
    const [failed] = await helped.ask('@Golem ask Coder to do exit 3')
    expect(failed).toMatchObject({ agent: 'Golem', text: expect.stringContaining('Coder') })
    expect(failed?.text).not.toContain('forty-two')
    expect(helped.log).not.toContain('xoxb-')
  })

  it('names in an answer wake nobody twice, and the receipts of all posts lead back to their question', async () => {
    for (const message of await daemon.messages()) {
      if (message.author.kind !== 'self') continue
      expect((await daemon.receipt(message.id)).answers).toEqual([`local:lobby:${message.replyTo?.id}`])
    }
  })

  it('has nothing to complain about', () => {
    expect(daemon.warnings).toEqual([])
  })
})
