import { describe, expect, it } from 'vitest'
import { Daemon, programAgent, QUICK, until } from './daemon.js'

const CODER = `name: Coder\n${QUICK}agents:\n${programAgent('Coder', 'obeys')}`
const oneShot = (at: number, more = ''): string =>
  `${CODER}schedules:\n  - { name: tea, room: "local:lobby", at: "${new Date(at).toISOString()}", text: "do say the tea is ready"${more} }\n`

const said = async (daemon: Daemon, text: string): Promise<number> =>
  (await daemon.talk()).filter((line) => line === `Coder: ${text}`).length

describe('a schedule of golem.yaml', () => {
  it('that came due while Golem was dead runs once when it is back, and never again', async () => {
    const at = Date.now() + 3_000
    const yaml = oneShot(at)
    const daemon = await Daemon.start(yaml)
    await daemon.ask('@Coder do say here')
    await daemon.kill('SIGKILL')
    await until(() => Date.now() > at + 50, 'time stands still')
    await daemon.again(yaml)
    await until(async () => (await said(daemon, 'the tea is ready')) > 0, 'the schedule did not run')
    await daemon.restart('SIGKILL')
    await daemon.quiet()
    expect(await said(daemon, 'the tea is ready')).toBe(1)

    const [post] = (await daemon.messages()).filter(({ text }) => text === 'the tea is ready')
    expect(post?.replyTo ?? null).toBeNull()
    const why = await daemon.run('why', `local:lobby:${post?.id}`, '--json')
    const receipt = JSON.parse(why.stdout) as { answers: string[]; turns: { kind: string }[] }
    expect(receipt.turns.map(({ kind }) => kind)).toEqual(['schedule'])
    const line = await daemon.run('why', receipt.answers[0] ?? '')
    expect(line.stdout).toMatch(
      /The schedule tea was due at \w+ \d{4}-\d\d-\d\d \d\d:\d\d \S+; it stands in golem\.yaml/,
    )
  })

  it('that is not due yet waits through a restart, and is counted', async () => {
    const yaml = `${CODER}schedules:\n  - { name: tick, room: "local:lobby", cron: "0 0 1 1 *", missed: skip, text: do say late }\n`
    const daemon = await Daemon.start(yaml)
    await daemon.restart('SIGKILL')
    await daemon.ask('@Coder do say here')
    expect(await said(daemon, 'late')).toBe(0)
    const status = JSON.parse((await daemon.run('status', '--json')).stdout) as { schedules: number }
    expect(status).toMatchObject({ schedules: 1 })
  })
})

describe('a schedule that a person asks for', () => {
  it('is made by an agent, listed and cancelled in the chat, and by nobody else', async () => {
    const daemon = await Daemon.start(CODER)
    const [made] = await daemon.ask(
      '@Coder do call schedule {"in_minutes":30,"text":"do say stretch","name":"pause"}',
    )
    expect(made?.text).toMatch(/"status":"scheduled","id":1,"name":"pause"/)
    const [often] = await daemon.ask('@Coder do call schedule {"cron":"* * * * *","text":"x"}')
    expect(often?.text).toContain('more often than every 5 minutes')
    const [listed] = await daemon.ask('!schedules')
    expect(listed?.text).toMatch(/^- \*\*1\*\* pause: next .*, by Ann — do say stretch/)
    const [refused] = await daemon.ask('!schedules cancel 1', { author: 'Bob' })
    expect(refused?.text).toMatch(/^Only the owners of this room may do that\./)
    const [cancelled] = await daemon.ask('!schedules cancel 1')
    expect(cancelled?.text).toBe('Schedule 1 is cancelled: pause.')
  })
})
