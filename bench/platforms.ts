/** The daemon against the simulated platforms: what it holds when idle, and what it takes in without loss. */
import type { Stage } from '../tests/simulators/kit/stage.js'
import { flood as floodSlack, startSlack } from '../tests/simulators/slack/index.js'
import { flood as floodTelegram, startTelegram } from '../tests/simulators/telegram/index.js'
import { type Daemon, later, rssMb, startDaemon, stopDaemon } from './daemon.js'
import { median, round, withFolder } from './support.js'

const RATE = 1_000
const SECONDS = 30

const START = {
  telegram: async () => {
    const simulator = await startTelegram({ limits: 'off' })
    return Object.assign(simulator, {
      flood: async () => (await floodTelegram(simulator, { perSecond: RATE, seconds: SECONDS })).said,
    })
  },
  slack: async () => {
    const simulator = await startSlack({ limits: 'off' })
    const people = ['Ann', 'Bob', 'Cem'].map((name) => simulator.person(name))
    const chat = simulator.group('load', people)
    return Object.assign(simulator, {
      flood: async () =>
        (await floodSlack(simulator, { chat, people, perSecond: RATE, seconds: SECONDS })).length,
    })
  },
}

function yaml(stages: readonly Stage[], how: 'socket' | 'webhook'): string {
  const channels = Object.fromEntries(stages.map((stage) => [stage.platform, stage.settings(how)]))
  return `name: Golem\nchannels: ${JSON.stringify({ local: false, ...channels })}\nagents: [{ name: Golem, role: orchestrator, engine: offline }]\n`
}

/** Resident memory after a rest, in MB, by the platforms that are connected. */
export async function idle(runs = 3): Promise<Record<string, number>> {
  const result: Record<string, number> = {}
  for (const names of [['telegram'], ['slack'], ['telegram', 'slack']] as const) {
    const stages: Stage[] = await Promise.all(names.map((name) => START[name]()))
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
  for (const [name, start] of Object.entries(START))
    for (const how of ['socket', 'webhook'] as const)
      result[`${name} ${how}`] = await withFolder(async (folder) => {
        const stage = await start()
        const daemon = await startDaemon(folder, [], yaml([stage], how))
        if (how === 'webhook') stage.webhook(`${daemon.url}/webhooks/${name}`)
        await allReady(daemon, 1)
        const before = await messages(daemon)
        const said = await stage.flood()
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
