import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, type Message, programAgent, QUICK, until } from './daemon.js'

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(`name: Golem
${QUICK}rooms: { "*": { workingFolder: . } }
agents:
${programAgent('Golem', 'obeys', 'role: orchestrator')}${programAgent('Pure', 'obeys', 'effects: none')}`)
})

/** Resolves when the agent has said its first word about it. */
async function atWork(id: string, room = 'lobby'): Promise<void> {
  await until(
    async () => (await daemon.receipt(id, room)).turns.at(-1)?.firstEventAt != null,
    'the turn did not start',
  )
}

async function posts(room: string): Promise<Message[]> {
  return (await daemon.messages(room)).filter(({ author, deleted }) => author.kind === 'self' && !deleted)
}

describe('edits', () => {
  it('before it is answered: the new words are', async () => {
    const room = 'edit-before'
    const first = await daemon.say('@Golem do wait eb.txt', { room })
    await atWork(first, room)
    const id = await daemon.say('@Golem do say old', { room, author: 'Bob' })
    await daemon.edit(id, '@Golem do say new', 'Bob', room)
    writeFileSync(join(daemon.folder, 'eb.txt'), '')
    await daemon.quiet(room)
    expect(await daemon.answers(id, room)).toMatchObject([{ text: 'new' }])
  })

  it('while it is answered: the turn begins again with the new words', async () => {
    const room = 'edit-during'
    const id = await daemon.say('@Pure do wait never.txt', { room })
    await until(() => existsSync(join(daemon.folder, 'never.txt.started')), 'not at work')
    await daemon.edit(id, '@Pure do say better', 'Ann', room)
    await daemon.quiet(room)
    expect(await daemon.answers(id, room)).toMatchObject([{ text: 'better' }])
  })

  it('after it was answered: one line offers to answer again, and the button does', async () => {
    const room = 'edit-after'
    const id = await daemon.say('@Golem do say old', { room })
    await daemon.quiet(room)
    await daemon.edit(id, '@Golem do say new', 'Ann', room)
    await daemon.quiet(room)
    const [, offer] = await daemon.answers(id, room)
    expect(offer).toMatchObject({
      text: 'The question was edited after it was answered.',
      silent: true,
      buttons: [{ label: 'Answer again' }],
    })
    if (offer) await daemon.press(offer, 'Answer again', 'Ann')
    await daemon.quiet(room)
    expect((await daemon.answers(id, room)).map(({ text }) => text)).toEqual([
      'old',
      'Asked again by Ann.',
      'new',
    ])
  })

  it('the old words are gone from the receipt and from what agents are shown', async () => {
    const room = 'edit-erases'
    const id = await daemon.say('the password is swordfish', { room })
    await daemon.edit(id, 'never mind', 'Ann', room)
    await daemon.quiet(room)
    const [shown] = await daemon.ask('@Golem do prompt', { room })
    expect(shown?.text).toContain('never mind')
    expect(shown?.text).not.toContain('swordfish')
    expect(JSON.stringify(await daemon.receipt(id, room))).not.toContain('swordfish')
  })
})

describe('deletions', () => {
  it('what waits is cancelled, and the text is erased', async () => {
    const room = 'delete-before'
    const first = await daemon.say('@Golem do wait db.txt', { room })
    await atWork(first, room)
    const id = await daemon.say('@Golem do say swordfish', { room, author: 'Bob' })
    await daemon.remove(id, 'Bob', room)
    writeFileSync(join(daemon.folder, 'db.txt'), '')
    await daemon.quiet(room)
    expect(await daemon.answers(id, room)).toEqual([])
    expect(await daemon.receipt(id, room)).toMatchObject({ outcome: 'stopped', message: { text: null } })
    expect(JSON.stringify(await daemon.messages(room))).not.toContain('swordfish')
  })

  it('what runs is stopped', async () => {
    const room = 'delete-during'
    const id = await daemon.say('@Golem do hang', { room })
    await atWork(id, room)
    await daemon.remove(id, 'Ann', room)
    await daemon.quiet(room)
    expect(await posts(room)).toEqual([])
  })

  it('what was answered keeps its answer; agents no longer see the question', async () => {
    const room = 'delete-after'
    const id = await daemon.say('@Golem do say yes to swordfish', { room })
    await daemon.quiet(room)
    await daemon.remove(id, 'Ann', room)
    const [shown] = await daemon.ask('@Golem do prompt', { room })
    expect(shown?.text).not.toContain('do say yes to')
  })

  it('nobody deletes or edits what another wrote', async () => {
    const id = await daemon.say('mine', { room: 'own' })
    const path = `/api/local/rooms/own/messages/${id}`
    expect(await daemon.request('DELETE', path, { author: 'Mallory' })).toMatchObject({ status: 403 })
    expect(await daemon.request('PATCH', path, { author: 'Mallory', text: 'x' })).toMatchObject({
      status: 403,
    })
  })
})

it('a question that was deleted is no failure of the marks that were meant for it', () => {
  expect(daemon.warnings.filter(({ level }) => level === 'error')).toEqual([])
})

describe('marks', () => {
  const room = 'marks'
  it.each([
    ['do say yes', '✅'],
    ['do exit 3', '❌'],
  ])('%s: %s replaces the 👀', async (deed, emoji) => {
    const id = await daemon.say(`@Golem ${deed}`, { room })
    await daemon.quiet(room)
    expect((await daemon.message(id, room)).reactions).toEqual([
      { emoji, people: [{ id: '@golem', name: 'Golem' }] },
    ])
  })

  it('a person’s reaction is heard and wakes nobody', async () => {
    const id = await daemon.say('@Golem do say yes', { room })
    await daemon.quiet(room)
    const before = (await posts(room)).length
    const path = `/api/local/rooms/marks/messages/${id}/reactions/${encodeURIComponent('👍')}`
    expect((await daemon.request('PUT', path, { author: 'Bob' })).status).toBe(200)
    await daemon.quiet(room)
    expect(await posts(room)).toHaveLength(before)
  })
})

describe('stop', () => {
  it('/stop ends the running turn at once, keeps what was said, and marks it', async () => {
    const room = 'stop'
    const id = await daemon.say('@Golem do hang', { room })
    await atWork(id, room)
    await until(
      async () => (await daemon.message(id, room)).reactions[0]?.emoji === '👀',
      'the question was not marked',
    )
    const since = Date.now()
    await daemon.say('/stop', { room })
    await daemon.quiet(room)
    // A program that were not asked to end would be killed after six seconds.
    expect(Date.now() - since).toBeLessThan(3_000)
    expect((await daemon.message(id, room)).reactions).toMatchObject([{ emoji: '⏹️' }])
    expect((await daemon.answers(id, room)).map(({ text }) => text)).toEqual(['Well', 'Golem was stopped.'])
    expect(await daemon.receipt(id, room)).toMatchObject({ outcome: 'stopped' })
  })
})

describe('retry', () => {
  it('a program that was cut off by a crash is not run again by itself: one line, one button', async () => {
    const room = 'retry'
    const id = await daemon.say('@Golem do wait retry.txt', { room })
    await atWork(id, room)
    await daemon.restart('SIGKILL')
    await daemon.quiet(room)
    const [line, ...more] = await daemon.answers(id, room)
    expect(more).toEqual([])
    expect(line).toMatchObject({
      text: 'Golem was interrupted while working on this. What it did before is not undone, so it is not run again by itself.',
      buttons: [{ label: 'Retry' }],
    })
    expect(await daemon.receipt(id, room)).toMatchObject({ outcome: 'interrupted' })
    expect((await daemon.message(id, room)).reactions).toMatchObject([{ emoji: '❌' }])

    writeFileSync(join(daemon.folder, 'retry.txt'), '')
    if (line) await daemon.press(line, 'Retry')
    await daemon.quiet(room)
    expect((await daemon.answers(id, room)).map(({ text }) => text)).toEqual([
      'Asked again by Ann.',
      'retry.txt is there',
    ])
    expect((await daemon.message(id, room)).reactions).toMatchObject([{ emoji: '✅' }])
    // A press is good once.
    if (line) await daemon.press(line, 'Retry').catch(() => undefined)
    await daemon.quiet(room)
    expect(await daemon.answers(id, room)).toHaveLength(2)
  })

  it('one without effects is simply run again', async () => {
    const room = 'pure'
    const id = await daemon.say('@Pure do wait pure.txt', { room })
    await until(() => existsSync(join(daemon.folder, 'pure.txt.started')), 'not at work')
    await daemon.kill('SIGKILL')
    writeFileSync(join(daemon.folder, 'pure.txt'), '')
    await daemon.again()
    await daemon.quiet(room)
    expect((await daemon.answers(id, room)).map(({ text }) => text)).toEqual(['pure.txt is there'])
  })

  it.runIf(existsSync('/proc/self/cwd'))(
    'nothing of a program outlives a daemon that was killed for longer than until its next start',
    async () => {
      const room = 'strays'
      const id = await daemon.say('@Golem do hang deaf', { room })
      await atWork(id, room)
      await daemon.kill('SIGKILL')
      expect(programsIn(daemon.folder)).toHaveLength(1)
      await daemon.again()
      await until(() => programsIn(daemon.folder).length === 0, 'a program of the killed daemon still runs')
      await daemon.quiet(room)
    },
  )
})

/** Processes whose working folder is this one. */
function programsIn(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
    } catch {
      return false // It has ended meanwhile.
    }
  })
}
