/** A coding agent in a room, as its people meet it: the real daemon, the scripted agent. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ACP_PRESETS } from '../../src/config/acp-presets.js'
import { alive } from '../fixtures/agents/kit.js'
import { Daemon, type Message, QUICK, until } from './daemon.js'
import { makeFolder } from './program.js'

const AGENT = new URL('../engines/acp-agent.mjs', import.meta.url).pathname

let daemon: Daemon | undefined
let folder = ''
afterEach(async () => {
  if (daemon?.alive === true) await daemon.kill('SIGTERM')
})

/** A room with one agent, which does what the last word of a message says. */
async function start(traits: object = {}, more = ''): Promise<Daemon> {
  folder = makeFolder()
  const heard = join(folder, 'heard')
  const command = [
    process.execPath,
    AGENT,
    'by-word',
    heard,
    JSON.stringify({ sessions: join(folder, 'agent.json'), mcp: true, ...traits }),
  ]
  daemon = await Daemon.start(
    `${QUICK}agents:\n  - { name: Coder, engine: acp, command: ${JSON.stringify(command)}${more} }\n`,
    {
      folder,
      env: { SLACK_BOT_TOKEN: 'xoxb-of-the-journey' },
    },
  )
  return daemon
}

const heard = (): string =>
  existsSync(join(folder, 'heard')) ? readFileSync(join(folder, 'heard'), 'utf8') : ''
const pids = (): number[] => [...heard().matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid))
async function living(): Promise<number[]> {
  const states = await Promise.all(pids().map(async (pid) => ((await alive(pid)) ? [pid] : [])))
  return states.flat()
}

async function questionOf(room: Daemon): Promise<Message> {
  let found: Message | undefined
  await until(async () => {
    found = (await room.messages()).find(
      ({ buttons, text }) => buttons.length > 0 && text.includes('write notes.txt'),
    )
    return found !== undefined
  }, 'nobody was asked')
  if (found === undefined) throw new Error('nobody was asked')
  return found
}

describe('a coding agent', () => {
  it('answers, goes on in its session, and comes back to it after a restart', async () => {
    const room = await start()
    expect((await room.ask('@Coder hello')).map(({ text }) => text)).toEqual(['Hello from the agent.'])
    expect((await room.ask('@Coder count'))[0]?.text).toMatch(/^prompt 2 of /)
    expect(await living()).toHaveLength(1)
    await room.restart('SIGTERM')
    expect(await living()).toEqual([])
    expect((await room.ask('@Coder count'))[0]?.text).toMatch(/^prompt 3 of /)
    await room.restart('SIGKILL')
    expect((await room.ask('@Coder count'))[0]?.text).toMatch(/^prompt 4 of /)
    const [, second = ''] = heard()
      .split('\n')
      .filter((line) => line.includes('"session/prompt"'))
    expect(second).toContain('@Coder count')
    expect(second).not.toContain('> [Ann] @Coder hello')
    expect(heard()).not.toContain('xoxb-of-the-journey')
  })

  it('starts afresh when people say so, and when a line that it was shown is taken back', async () => {
    const room = await start()
    const id = await room.say('@Coder hello')
    await room.quiet('lobby')
    expect((await room.ask('@Coder count'))[0]?.text).toMatch(/^prompt 2 of /)
    await room.remove(id)
    expect((await room.ask('@Coder count'))[0]?.text).toMatch(/^prompt 1 of /)
    await room.ask('/new')
    expect((await room.ask('@Coder count'))[0]?.text).toMatch(/^prompt 1 of /)
  })

  it('asks in the chat before it acts; the one it works for decides, and nobody else', async () => {
    const room = await start()
    const id = await room.say('@Coder please edit')
    const question = await questionOf(room)
    expect(question.buttons.map(({ label }) => label)).toEqual(['Allow', 'Deny'])
    await room.press(question, 'Allow', 'Mallory')
    expect(await room.answers(id)).not.toContainEqual(expect.objectContaining({ text: 'allow' }))
    await room.press(question, 'Allow')
    await room.quiet('lobby')
    expect((await room.answers(id)).map(({ text }) => text)).toContain('allow')
    const again = await room.say('@Coder please edit')
    await until(
      async () => (await room.messages()).filter(({ buttons }) => buttons.length > 0).length > 0,
      'nobody was asked',
    )
    const next = (await room.messages()).findLast(({ buttons }) => buttons.length > 0)
    if (next !== undefined) await room.press(next, 'Deny')
    await room.quiet('lobby')
    expect((await room.answers(again)).map(({ text }) => text)).toContain('deny')
  })

  it('uses the tools of its turn', async () => {
    const room = await start()
    const id = await room.say('@Coder use a tool')
    await room.quiet('lobby')
    expect(room.memory()).toContain('the door code is 4711')
    const again = await room.say('@Coder once more a tool')
    await room.quiet('lobby')
    for (const said of [id, again]) expect(await room.answers(said)).not.toEqual([])
    expect(JSON.stringify(await room.receipt(again))).toContain('memory_remember')
  })

  it('that is killed in the middle leaves one line and Retry, and nothing of it is left', async () => {
    const room = await start()
    const id = await room.say('@Coder crash')
    await room.quiet('lobby')
    const lines = await room.answers(id)
    expect(lines).toHaveLength(1)
    expect(lines[0]?.text).not.toContain('SIGKILL')
    expect(JSON.stringify(await room.receipt(id))).toContain('SIGKILL')
    expect(pids()).toHaveLength(2)
    expect(await living()).toEqual([])
    expect((await room.ask('@Coder hello'))[0]?.text).toBe('Hello from the agent.')
  })

  it('whose daemon is killed in the middle is not run again by itself: one line with Retry', async () => {
    const room = await start()
    const id = await room.say('@Coder hang')
    await until(() => heard().includes('"session/prompt"'), 'it was not asked')
    await until(
      async () => (await room.queue()).turns.some(({ state }) => state === 'running'),
      'it does not run',
    )
    await room.restart('SIGKILL')
    await room.quiet('lobby')
    const [line, ...rest] = await room.answers(id)
    expect(rest).toEqual([])
    expect(line?.buttons.map(({ label }) => label)).toContain('Retry')
    await until(async () => (await living()).length === 0, 'an orphan lives')
    expect(heard().match(/"session\/prompt"/g)).toHaveLength(1)
  })

  it('is stopped by a word, and a stopped daemon leaves nothing behind', async () => {
    const room = await start({ deaf: true })
    await room.say('@Coder child')
    await room.quiet('lobby')
    await room.say('@Coder hang')
    await until(
      async () => (await room.queue()).turns.some(({ state }) => state === 'running'),
      'it does not run',
    )
    await until(() => (heard().match(/"session\/prompt"/g) ?? []).length === 2, 'it was not asked')
    await room.kill('SIGTERM')
    expect(await living()).toEqual([])
  })
})

it('a coding agent by name that is not installed: one sentence in the chat, the cure on the receipt', async () => {
  folder = makeFolder()
  daemon = await Daemon.start(`name: bot\n${QUICK}engine: claude-code\nmodel: opus\ntimeout: 300\n`, {
    folder,
    env: { PATH: '/nowhere' },
  })
  const id = await daemon.say('@bot hello')
  await daemon.quiet('lobby')
  const [line] = await daemon.answers(id)
  expect(line?.text).not.toContain('npm install')
  expect(JSON.stringify(await daemon.receipt(id))).toContain(ACP_PRESETS['claude-code'].install)
})
