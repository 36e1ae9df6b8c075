import { beforeAll, describe, expect, it } from 'vitest'
import { GATES } from '../../src/messaging/decision.js'
import { Daemon, TEAM } from './daemon.js'

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(TEAM)
})

describe('somebody mentions an agent', () => {
  it('answers with a quote of the question, marks it, and pings nobody', async () => {
    const id = await daemon.say('@Golem what can you do?')
    await daemon.quiet()
    const [question, answer, ...rest] = await daemon.messages()
    expect(rest).toEqual([])
    expect(answer).toMatchObject({
      author: { kind: 'self', name: 'Golem' },
      agent: 'Golem',
      replyTo: { id, author: { name: 'Ann' }, excerpt: '@Golem what can you do?' },
      mentions: [],
      silent: false,
    })
    expect(answer?.text).toContain('I am Golem, the orchestrator of this team. I am no language model')
    expect(question?.reactions).toEqual([{ emoji: '✅', people: [{ id: '@golem', name: 'Golem' }] }])
  })

  it('keeps a receipt with every gate, the turn and the posts', async () => {
    const id = await daemon.say('@Librarian what is Golem?')
    await daemon.quiet()
    const receipt = await daemon.receipt(id)
    expect(receipt).toMatchObject({
      outcome: 'answered',
      decision: { verdict: 'run', addressed: true, responders: ['Librarian'] },
    })
    const asked = receipt.decision?.gates.map(({ gate }) => gate) ?? []
    const again = receipt.turns.flatMap((turn) => turn.gates.map(({ gate }) => gate))
    // Neither schedules, agents' own accounts nor smart rooms are part of this room's way, and nothing was said before.
    const besides: readonly string[] = ['schedule', 'account', 'smart-gate', 'history']
    expect(new Set([...asked, ...again])).toEqual(new Set(GATES.filter((gate) => !besides.includes(gate))))
    expect(receipt.decision?.gates.every(({ verdict, why }) => verdict === 'pass' && why !== '')).toBe(true)
    const [turn] = receipt.turns
    expect(turn).toMatchObject({ agent: 'Librarian', state: 'settled', attempts: 1 })
    expect(turn?.shown).toMatchObject({
      engine: 'offline',
      memoryHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const [answer] = await daemon.answers(id)
    expect(turn?.operations).toMatchObject([
      { kind: 'post', role: 'answer', state: 'sent', native: answer?.id },
      { kind: 'react done', state: 'sent', native: id },
    ])
  })

  it('`golem why` says the same, for people and for programs, while the daemon runs and when it does not', async () => {
    const id = await daemon.say('@Golem who is in the team?')
    await daemon.quiet()
    const receipt = await daemon.receipt(id)
    const reference = `local:lobby:${id}`
    const [people, programs, byNumber] = await Promise.all([
      daemon.run('why', reference),
      daemon.run('why', reference, '--json'),
      daemon.run('why', String(receipt.message.id), '--json'),
    ])
    expect(JSON.parse(programs.stdout)).toEqual(receipt)
    expect(byNumber.stdout).toBe(programs.stdout)
    expect(people).toMatchObject({ code: 0, stderr: '' })
    expect(people.stdout).toContain(receipt.summary)
    for (const { gate, why } of [...(receipt.decision?.gates ?? []), ...(receipt.turns[0]?.gates ?? [])])
      expect(people.stdout).toMatch(new RegExp(`✓ ${gate} +${why.replace(/[.?]/g, '\\$&')}`))

    await daemon.kill('SIGTERM')
    expect(await daemon.run('why', reference, '--json')).toMatchObject({ code: 0, stdout: programs.stdout })
    await daemon.again()
  })

  it('`golem why` finds the last message, an answer by its question, and says when there is none', async () => {
    const id = await daemon.say('@Golem hello')
    await daemon.quiet()
    const [answer] = await daemon.answers(id)
    const [last, posted, none] = await Promise.all([
      daemon.run('why', '--json'),
      daemon.run('why', `local:lobby:${answer?.id}`, '--json'),
      daemon.run('why', 'local:lobby:4711'),
    ])
    expect(JSON.parse(last.stdout)).toMatchObject({ message: { reference: `local:lobby:${id}` } })
    expect(JSON.parse(posted.stdout)).toMatchObject({ outcome: 'said', answers: [`local:lobby:${id}`] })
    expect(none).toMatchObject({ code: 6, stdout: '' })
    expect(none.stderr).toContain('local:lobby:4711')
  })

  it('`/why` in the chat explains the asker’s last message', async () => {
    const id = await daemon.say('nobody is named here')
    await daemon.quiet()
    const [line] = await daemon.ask('/why', { replyTo: id })
    expect(line?.text).toContain('mention')
    expect(line?.silent).toBe(true)
  })

  it('what is not for the bot is kept, without a mark and without an answer, and its receipt says why', async () => {
    const id = await daemon.say('lunch at noon? mail golem@example.com or see `@Golem`')
    await daemon.quiet()
    expect(await daemon.answers(id)).toEqual([])
    expect((await daemon.message(id)).reactions).toEqual([])
    expect(await daemon.receipt(id)).toMatchObject({
      outcome: 'kept',
      decision: { verdict: 'keep', addressed: false, reason: 'policy' },
    })
  })

  it('`golem status` and `golem queue` count what there is', async () => {
    const [status, queue, quiet] = await Promise.all([
      daemon.run('status', '--json'),
      daemon.run('queue', '--json'),
      daemon.run('queue'),
    ])
    expect(JSON.parse(status.stdout)).toMatchObject({ rooms: 1, asks: 0, turns: { settled: 4 } })
    expect(JSON.parse(queue.stdout)).toEqual({ turns: [], operations: [] })
    expect(quiet).toMatchObject({ code: 0, stderr: '' })
  })

  it('has nothing to complain about', () => {
    expect(daemon.warnings).toEqual([])
  })
})
