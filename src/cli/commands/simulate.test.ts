/** `golem simulate` with the simulators themselves: what is printed is what a golem.yaml can use. */
import { createServer } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { golem, type TestWorld, world } from '../harness.fixture.js'
import { run } from '../run.js'
import { SIMULATORS } from '../simulators.js'

const loadSimulators = async () => SIMULATORS

async function started(line: string): Promise<{ here: TestWorld; code: Promise<number> }> {
  const here = world({ loadSimulators })
  const { stdout } = here
  const write = stdout.write.bind(stdout)
  let said = (): void => undefined
  const printed = new Promise<void>((resolve) => {
    said = resolve
  })
  stdout.write = (text) => {
    write(text)
    said()
  }
  const code = run(line.split(' '), here)
  await Promise.race([printed, code])
  return { here, code }
}

/** The setting that says how a platform's events come, once `--webhook` is there. */
const HEARS: Readonly<Record<string, string>> = { slack: 'signingSecret', discord: 'botToken' }

describe.each(Object.keys(SIMULATORS))('golem simulate %s', (platform) => {
  it('prints a channel of golem.yaml, and serves a page to be its people by', async () => {
    const { here, code } = await started(`simulate ${platform} --port 0 --people Ann,李雷`)
    const text = here.stdout.text
    // At the left margin: it is pasted as it is, also below `rooms:`.
    const printed = text.slice(text.indexOf('\nchannels:'), text.indexOf('In the chat'))
    const { channels } = parse(`rooms:\n  "*": {}${printed}`) as {
      channels: Record<string, Record<string, string>>
    }
    expect(channels[platform]?.[platform === 'feishu' ? 'appId' : 'botToken']).toBeTypeOf('string')
    const control = /http:\S+_sim\//.exec(text)?.[0] ?? ''
    const page = await fetch(control)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ])
    const people = (await (await fetch(`${control}state`)).json()) as { people: { name: string }[] }
    expect(people.people.map(({ name }) => name)).toEqual(expect.arrayContaining(['Ann', '李雷']))
    here.emit('SIGINT')
    expect(await code).toBe(0)
    expect(here.listeners()).toBe(0)
    await expect(fetch(control)).rejects.toThrow()
  })

  it('tells programs in one line, with the chats there are, and takes webhooks', async () => {
    const hears = platform === 'discord' ? '' : ' --webhook http://127.0.0.1:9/x'
    const { here, code } = await started(`simulate ${platform} --port 0 --json${hears}`)
    const ready = JSON.parse(here.stdout.text) as Record<string, unknown>
    expect(ready).toMatchObject({ event: 'ready', platform, control: `${ready.url}/_sim/` })
    expect(ready.chats).toContainEqual(
      expect.objectContaining({ title: expect.stringMatching(/^lobby$/i), kind: 'group' }),
    )
    const settings = (ready.channels as Record<string, object>)[platform]
    expect(Object.keys(settings ?? {})).toContain(HEARS[platform] ?? 'webhook')
    here.emit('SIGTERM')
    expect(await code).toBe(0)
  })

  it('gives the same accounts from start to start, so that a golem.yaml stays good', async () => {
    const channels: unknown[] = []
    for (const _ of [1, 2]) {
      const { here, code } = await started(`simulate ${platform} --port 0 --json`)
      const ready = JSON.parse(here.stdout.text) as { channels: Record<string, Record<string, string>> }
      channels.push({ ...ready.channels[platform], apiUrl: null, domain: null })
      here.emit('SIGINT')
      await code
    }
    expect(channels[0]).toEqual(channels[1])
  })
})

it('golem simulate takes names as people type them, and needs one', async () => {
  const { here, code } = await started('simulate telegram --port 0 --json --people Ann,,Bob,Ann,')
  const { chats } = JSON.parse(here.stdout.text) as { chats: { title: string }[] }
  expect(chats.map(({ title }) => title)).toEqual(['Lobby', 'Ann', 'Bob'])
  here.emit('SIGINT')
  await code
  expect((await golem('simulate telegram --people ,', { loadSimulators })).code).toBe(2)
})

it.each(Object.keys(SIMULATORS))(
  'golem simulate %s never gives two messages of two starts one id',
  async (platform) => {
    const ids: string[] = []
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const later of [0, 1_000]) {
      vi.setSystemTime(now + later)
      const { here, code } = await started(`simulate ${platform} --port 0 --json`)
      const { control, chats } = JSON.parse(here.stdout.text) as { control: string; chats: { id: string }[] }
      const path = `${control}chats/${encodeURIComponent(chats[0]?.id ?? '')}/messages`
      const answer = await fetch(path, {
        method: 'POST',
        body: JSON.stringify({ person: 'Ann', text: 'hi' }),
      })
      ids.push(((await answer.json()) as { id: string }).id)
      here.emit('SIGINT')
      await code
    }
    vi.useRealTimers()
    expect(new Set(ids).size).toBe(2)
  },
)

describe('golem simulate says which platforms there are', () => {
  it.each([
    ['simulate icq', 'There is no simulator of "icq": choose discord, feishu, slack or telegram.'],
    [
      'simulate',
      'Which platform? Choose discord, feishu, slack or telegram, for example: golem simulate telegram',
    ],
  ])('%s', async (line, sentence) => {
    const { code, err } = await golem(line, { loadSimulators })
    expect([code, err]).toEqual([2, `golem: ${sentence}\n`])
    const { out } = await golem(`${line} --json`, { loadSimulators })
    expect(JSON.parse(out)).toEqual({ event: 'error', code: 'usage', message: sentence })
  })

  it('in its help', async () => {
    const { out } = await golem('simulate --help', { loadSimulators })
    for (const platform of Object.keys(SIMULATORS)) expect(out).toContain(platform)
  })
})

it('golem simulate ends at once where --webhook is for nothing', async () => {
  const { code, err } = await golem('simulate discord --port 0 --webhook http://127.0.0.1:9/x', {
    loadSimulators,
  })
  expect([code, err]).toEqual([2, expect.stringMatching(/^golem: --webhook: Discord has no webhooks .*\n$/)])
})

it('golem simulate on a port that is taken says so: 5', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const { code, err } = await golem(`simulate telegram --port ${port}`, { loadSimulators })
  await new Promise((resolve) => server.close(resolve))
  expect([code, err]).toEqual([5, expect.stringContaining(`Port ${port} is in use`)])
})
