import { createHash } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Daemon, programAgent, until } from './daemon.js'

const YAML = `name: Golem
groupChat: { debounce: 1500ms }
rooms: { "*": { workingFolder: . } }
agents:
  - { name: Golem, role: orchestrator, engine: offline }
  - { name: Scribe, role: "keeps notes, summarises conversations", engine: offline }
${programAgent('Slow', 'obeys', 'effects: none, role: "is slow"')}`

describe.concurrent.each(['SIGTERM', 'SIGKILL'] as const)(
  'a restart by %s in the middle of everything',
  (signal) => {
    it('keeps everything and answers it once', async () => {
      const daemon = await Daemon.start(YAML)
      const go = join(daemon.folder, 'go.txt')
      const questions: { room: string; id: string; answer: RegExp }[] = []
      const ask = async (room: string, text: string, answer: RegExp, more = {}) => {
        const id = await daemon.say(text, { room, ...more })
        questions.push({ room, id, answer })
        return id
      }
      // Done before.
      await ask('done', '@Golem remember that the demo is on Friday', /Friday/)
      await daemon.quiet()
      const before = await daemon.receipt('1', 'done')

      // At work: in a room, in a direct conversation, in a thread, for a teammate.
      await ask('room', '@Slow do wait go.txt', /go\.txt is there/)
      const dm = (await daemon.request('POST', '/api/local/rooms', { kind: 'dm' })).body as { id: string }
      await ask(dm.id, '@Slow do wait go.txt', /go\.txt is there/)
      const root = await daemon.say('about the roof', { room: 'site' })
      await ask('site', '@Slow do wait go.txt', /go\.txt is there/, { thread: root })
      await ask('delegation', '@Golem ask Slow to do wait go.txt', /go\.txt is there/)
      await until(
        async () => (await daemon.queue()).turns.filter(({ state }) => state === 'running').length === 4,
        'not everything is at work',
      )
      // Waiting behind it: a burst, another person, a file.
      await daemon.say('@Slow one', { room: 'room' })
      await ask('room', '@Slow two do say both', /^both$/)
      await ask('room', '@Slow do say for Bob', /^for Bob$/, { author: 'Bob' })
      const file = await daemon.upload('data.csv', '1,2\n', 'room')
      await ask('room', '@Slow do files', new RegExp(sha('1,2\n')), { files: [file], author: 'Cid' })
      // Waiting for its words.
      await ask('bare', '@Golem', /I am Golem/)

      if (signal === 'SIGKILL') {
        await daemon.kill(signal)
        writeFileSync(go, '')
      } else {
        const dying = daemon.kill(signal)
        await until(() => daemon.log.includes('stopping'), 'the daemon did not hear the signal')
        writeFileSync(go, '')
        expect(await dying).toMatchObject({ code: 0, signal: null })
      }
      await daemon.again()
      await daemon.quiet()
      for (const { room, id, answer } of questions) {
        const answers = await daemon.answers(id, room)
        expect(answers.map(({ text }) => text)).toEqual([expect.stringMatching(answer)])
        expect((await daemon.receipt(id, room)).outcome).toBe('answered')
      }
      expect(await daemon.receipt('1', 'done')).toEqual(before)
      expect(daemon.memory('done')).toContain('the demo is on Friday')
      expect(daemon.warnings).toEqual([])
    })
  },
)

describe.concurrent('a restart in between', () => {
  it('a request that is sent again afterwards is known: nothing is said twice', async () => {
    const daemon = await Daemon.start(YAML)
    const first = await daemon.say('@Golem hello', { key: 'k1' })
    await daemon.restart('SIGKILL')
    expect(await daemon.say('@Golem hello', { key: 'k1' })).toBe(first)
    await daemon.quiet()
    expect(await daemon.answers(first)).toHaveLength(1)
    const other = await daemon.request('POST', '/api/local/rooms/lobby/messages', {
      author: 'Ann',
      text: '@Golem goodbye',
      key: 'k1',
    })
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'key-reused' } } })
  })

  it('an agent that golem.yaml no longer has leaves no question hanging', async () => {
    const daemon = await Daemon.start(YAML)
    const id = await daemon.say('@Slow do wait go.txt')
    await until(() => existsSync(join(daemon.folder, 'go.txt.started')), 'not at work')
    const behind = await daemon.say('@Slow do say hello', { author: 'Bob' })
    await daemon.kill('SIGKILL')
    await daemon.again(YAML.replace(/^ {2}- \{ name: Slow.*\n/m, ''))
    await daemon.quiet()
    for (const one of [id, behind]) {
      expect(await daemon.answers(one)).toMatchObject([{ text: expect.stringContaining('Slow') }])
      expect((await daemon.receipt(one)).summary).toMatch(/Slow/)
    }
  })

  it('without golem.db people’s rooms are still there, and what is said next is answered', async () => {
    const daemon = await Daemon.start(YAML)
    await daemon.ask('@Golem hello')
    await daemon.kill('SIGTERM')
    for (const name of ['golem.db', 'golem.db-wal', 'golem.db-shm'])
      rmSync(join(daemon.folder, '.golem', name), { force: true })
    await daemon.again()
    expect(await daemon.talk()).toEqual(['Ann: @Golem hello', expect.stringMatching(/^Golem: /)])
    expect(await daemon.ask('@Golem thanks')).toHaveLength(1)
  })
})

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
