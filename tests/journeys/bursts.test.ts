import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, programAgent, until } from './daemon.js'

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(
    `name: Golem\ngroupChat: { debounce: 400ms }\nrooms: { "*": { workingFolder: . } }\nagents:\n${programAgent('Golem', 'obeys', 'role: orchestrator')}  - { name: Odd, engine: offline }\n  - { name: Even, engine: offline }\n`,
  )
})

async function running(id: string, room: string): Promise<void> {
  await until(
    async () => (await daemon.receipt(id, room)).turns[0]?.firstEventAt != null,
    'the turn did not start',
  )
}

describe('a burst', () => {
  it('lines of one person that wait behind a turn are answered together, quoting the last', async () => {
    const room = 'burst'
    const first = await daemon.say('@Golem do wait burst.txt', { room })
    await running(first, room)
    const ids = [
      await daemon.say('@Golem one', { room }),
      await daemon.say('@Golem two', { room }),
      await daemon.say('@Golem three do context', { room }),
    ]
    const other = await daemon.say('@Golem do say for Bob', { room, author: 'Bob' })
    writeFileSync(join(daemon.folder, 'burst.txt'), '')
    await daemon.quiet()
    expect(await daemon.answers(first, room)).toMatchObject([{ text: 'burst.txt is there' }])
    expect(await daemon.answers(other, room)).toMatchObject([{ text: 'for Bob' }])
    const answers = (await Promise.all(ids.map((id) => daemon.answers(id, room)))).flat()
    expect(answers).toHaveLength(1)
    expect(answers[0]?.replyTo?.id).toBe(ids[2])
    expect(answers[0]?.text).toMatch(/\nAnn: one\nAnn: two\nAnn: three do context$/)
    for (const id of ids) {
      const receipt = await daemon.receipt(id, room)
      expect(receipt.outcome).toBe('answered')
      expect(receipt.turns[0]?.messages).toEqual(ids.map((one) => `local:${room}:${one}`))
      expect((await daemon.message(id, room)).reactions).toMatchObject([{ emoji: '✅' }])
    }
  })

  it('a bare mention waits for the words that belong to it', async () => {
    const room = 'bare'
    const bare = await daemon.say('@Golem', { room })
    const rest = await daemon.say('do say together', { room })
    await daemon.quiet()
    expect(await daemon.answers(bare, room)).toMatchObject([{ text: 'together' }])
    expect(await daemon.answers(rest, room)).toEqual([])
    expect(await daemon.receipt(rest, room)).toMatchObject({
      outcome: 'answered',
      decision: { reason: 'continues' },
    })
  })

  it('a bare mention alone is answered from the context', async () => {
    const room = 'alone'
    await daemon.say('do say from the context', { room, author: 'Bob' })
    expect(await daemon.ask('@Golem', { room })).toHaveLength(1)
  })

  it('more than may wait is not taken, and its sender is told so', async () => {
    const room = 'full'
    const first = await daemon.say('@Golem do wait full.txt', { room, author: 'Bob' })
    await running(first, room)
    // To two agents by turns, so that none joins the one before it.
    const ids: string[] = []
    for (let i = 0; i < 22; i++) ids.push(await daemon.say(`@${i % 2 ? 'Even' : 'Odd'} hello`, { room }))
    writeFileSync(join(daemon.folder, 'full.txt'), '')
    await daemon.quiet()
    const outcomes = await Promise.all(ids.map(async (id) => (await daemon.receipt(id, room)).outcome))
    expect(outcomes).toEqual([...Array(20).fill('answered'), 'refused', 'refused'])
    for (const id of ids.slice(20))
      expect(await daemon.answers(id, room)).toMatchObject([
        {
          text: 'Not taken: too many of your messages are already waiting. Please send it again when they are answered.',
        },
      ])
  })
})
