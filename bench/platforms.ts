/** The daemon against the simulated platforms: what it holds when idle, and what it takes in without loss. */
import { startDiscord } from '../tests/simulators/discord/index.js'
import { startFeishu } from '../tests/simulators/feishu/index.js'
import { flood } from '../tests/simulators/kit/flood.js'
import type { Simulator, Stage } from '../tests/simulators/kit/stage.js'
import { startSlack } from '../tests/simulators/slack/index.js'
import { startTelegram } from '../tests/simulators/telegram/index.js'
import { type Daemon, later, rssMb, startDaemon, stopDaemon } from './daemon.js'
import { median, round, withFolder } from './support.js'

const RATE = 1_000
const SECONDS = 30

const START: Readonly<Record<string, () => Promise<Simulator>>> = {
  telegram: () => startTelegram({ limits: 'off' }),
  slack: () => startSlack({ limits: 'off' }),
  // A short beat: what arrived is acknowledged by it.
  discord: () => startDiscord({ limits: 'off', heartbeatMs: 1_000 }),
  feishu: () => startFeishu({ limits: 'off' }),
}

function start(name: string): Promise<Simulator> {
  const found = START[name]
  if (found === undefined) throw new Error(`There is no simulator ${name}`)
  return found()
}

const CHATS = 10

/** @returns how many were said */
async function floodOf(stage: Simulator): Promise<number> {
  const people = ['Ann', 'Bob', 'Cem'].map((name) => stage.person(name))
  const chat = Array.from({ length: CHATS }, (_, index) => stage.group(`load ${index}`, people))
  return (await flood(stage, { chat, people, perSecond: RATE, seconds: SECONDS })).length
}

function yaml(stages: readonly Stage[], how: 'socket' | 'webhook'): string {
  const channels = Object.fromEntries(stages.map((stage) => [stage.platform, stage.settings(how)]))
  return `name: Golem\nchannels: ${JSON.stringify({ local: false, ...channels })}\nagents: [{ name: Golem, role: orchestrator, engine: offline }]\n`
}

/** Resident memory after a rest, in MB, by the platforms that are connected. */
export async function idle(runs = 3): Promise<Record<string, number>> {
  const result: Record<string, number> = {}
  const every = Object.keys(START)
  for (const names of [...every.map((name) => [name]), ['telegram', 'slack'], every]) {
    const stages: Stage[] = await Promise.all(names.map((name) => start(name)))
    const held: number[] = []
    for (let run = 0; run < runs; run++)
      await withFolder(async (folder) => {
        const daemon = await startDaemon(folder, [], yaml(stages, 'socket'))
        // Not asked whether it is ready: whoever asks by HTTP makes it load what answers.
        await later(7_000)
        held.push(rssMb(daemon.pid))
        await stopDaemon(daemon)
      })
    result[names.join('+')] = round(median(held), 1)
    for (const stage of stages) await stage.close()
  }
  return result
}

export interface Flooded {
  said: number
  stored: number
  /** From the last one said to the last one acknowledged, ms. */
  lagMs: number
}

/** A thousand messages a second for half a minute, by socket (or polling) and by webhook. */
export async function floods(): Promise<Record<string, Flooded>> {
  const result: Record<string, Flooded> = {}
  // Discord has no webhooks for messages.
  for (const name of Object.keys(START))
    for (const how of name === 'discord' ? (['socket'] as const) : (['socket', 'webhook'] as const))
      result[`${name} ${how}`] = await withFolder(async (folder) => {
        const stage = await start(name)
        const daemon = await startDaemon(folder, [], yaml([stage], how))
        if (how === 'webhook') stage.webhook(`${daemon.url}/webhooks/${name}`)
        await allReady(daemon, 1)
        const before = await messages(daemon)
        const said = await floodOf(stage)
        const since = performance.now()
        while (stage.pending > 0 && performance.now() - since < 60_000) await later(10)
        const lagMs = round(performance.now() - since, 0)
        const stored = (await messages(daemon)) - before
        await stopDaemon(daemon)
        await stage.close()
        return { said, stored, lagMs }
      })
  return result
}

async function allReady({ url }: Daemon, count: number): Promise<void> {
  for (;;) {
    const health = (await (await fetch(`${url}/health`)).json()) as { connections: { phase: string }[] }
    if (health.connections.filter(({ phase }) => phase === 'ready').length === count) return
    await later(20)
  }
}

async function messages({ url }: Daemon): Promise<number> {
  const rooms = (await (await fetch(`${url}/api/rooms`)).json()) as { rooms: { messages: number }[] }
  return rooms.rooms.reduce((sum, room) => sum + room.messages, 0)
}
