/** What Golem adds to a message's way, at a steady rate over many rooms, on the local platform. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection, Platform } from '../src/messaging/contract.js'
import type { Engine } from '../src/messaging/engine.js'
import { quiet, round, type Spread, spread, withFolder } from './support.js'

const RATE = 200
const ROOMS = 50
const SECONDS = 15

export interface Latency {
  rate: number
  rooms: number
  /** `host.accept` has resolved -> the engine is called, ms. */
  acceptedToEngine: Spread
  /** The engine has ended -> the post stands in the room, ms. */
  engineToVisible: Spread
  /** POST sent -> the post stands in the room, ms. */
  whole: Spread
  answered: number
  /** All threads of the process. */
  cpuMsPerMessage: number
}

type Gateway = typeof import('../src/gateway.js')
const built = (path: string) => import(new URL(`../dist/${path}`, import.meta.url).href)

export function latency(): Promise<Latency> {
  return withFolder(async (folder) => {
    const { startGateway } = (await built('src/gateway.js')) as Gateway
    const local = ((await built('adapters/local/index.js')) as { default: Platform }).default
    let serve: NonNullable<Connection['serve']> | null = null
    const accepted = new Map<string, number>()
    const called = new Map<string, number>()
    const ended = new Map<string, number>()
    const visible = new Map<string, number>()
    const sent = new Map<string, number>()

    const platform: Platform = {
      ...local,
      async connect(settings, host) {
        const connection = await local.connect(settings, {
          ...host,
          async accept(event) {
            const result = await host.accept(event)
            if (event.kind === 'message') accepted.set(`${event.place.chat}:${event.id}`, performance.now())
            return result
          },
        })
        serve = connection.serve?.bind(connection) ?? null
        const perform = connection.perform.bind(connection)
        connection.perform = async (op, key, signal) => {
          const receipt = await perform(op, key, signal)
          if (op.kind === 'post' && op.replyTo)
            visible.set(`${op.place.chat}:${op.replyTo}`, performance.now())
          return receipt
        }
        return connection
      },
    }
    const engine: Engine = {
      id: 'bench',
      effects: 'none',
      async *run({ input }) {
        const key = `${input.turn.chat.slice('local:'.length)}:${input.messages.at(-1)?.id}`
        called.set(key, performance.now())
        yield { type: 'final', text: 'ok' }
        ended.set(key, performance.now())
      },
      async close() {},
    }
    writeFileSync(
      join(folder, 'golem.yaml'),
      'name: Golem\nagents: [{ name: Golem, role: orchestrator, engine: offline }]\n',
    )
    const gateway = await startGateway({
      configFile: join(folder, 'golem.yaml'),
      port: 0,
      log: quiet,
      platforms: { local: platform },
      engines: { offline: { program: false, folderless: true, create: () => engine } },
    })
    // Straight into the platform: a client and a socket on the same two cores would be measured as well.
    const say = (room: string, author: string, text: string): Promise<Response> => {
      if (serve === null) throw new Error('the local platform is not connected')
      const path = `/rooms/${room}/messages`
      return serve(
        new Request(`http://localhost/api/local${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ author, text }),
        }),
        path,
      )
    }
    const total = RATE * SECONDS
    const warmUp = RATE * 2
    const cpu = process.cpuUsage()
    const start = performance.now()
    const posts: Promise<void>[] = []
    for (let index = 0; index < total; index++) {
      const due = start + (index * 1000) / RATE
      const wait = due - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      const room = `room-${index % ROOMS}`
      const begun = performance.now()
      posts.push(
        say(room, `Person ${index % 7}`, `@Golem question ${index}`).then(async (response) => {
          const { id } = (await response.json()) as { id: string }
          if (index >= warmUp) sent.set(`${room}:${id}`, begun)
        }),
      )
    }
    await Promise.all(posts)
    const patience = performance.now() + 10_000
    while (visible.size < total && performance.now() < patience)
      await new Promise((resolve) => setTimeout(resolve, 20))
    const used = process.cpuUsage(cpu)
    await gateway.close(Date.now() + 5_000)
    const keys = [...sent.keys()].filter((key) => visible.has(key))
    const between = (from: Map<string, number>, to: Map<string, number>) =>
      spread(keys.map((key) => Math.max(0, (to.get(key) ?? Number.NaN) - (from.get(key) ?? Number.NaN))))
    return {
      rate: RATE,
      rooms: ROOMS,
      acceptedToEngine: between(accepted, called),
      engineToVisible: between(ended, visible),
      whole: between(sent, visible),
      answered: round(visible.size / total, 3),
      cpuMsPerMessage: round((used.user + used.system) / 1_000 / total),
    }
  })
}
