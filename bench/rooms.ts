/**
 * A hundred rooms in which three agents answer everything, and one person each who says the next thing when all three
 * have spoken; beside them a room that never stops. How long does anybody wait, and is a room left behind?
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection, Platform } from '../src/messaging/contract.js'
import type { Engine } from '../src/messaging/engine.js'
import { quiet, round, type Spread, spread, withFolder } from './support.js'

const ROOMS = 100
const AGENTS = ['Ada', 'Ben', 'Cleo']
const SECONDS = 12
/** What the busy room has waiting all the time. */
const BACKLOG = 40
const ANSWER = 'ok'
/** Single messages in an idle house: some first, until the code is compiled and the log of the database is laid out. */
const ALONE = { warm: 200, told: 400 }
/** A memory file that was made just now is read whole for its first seconds; these rooms are in use for longer. */
const SETTLED = 3_500
/** How long an agent works, in milliseconds: as evenly spread as the turns' numbers. */
const WORK = { least: 50, most: 200 }

export interface RoomsBench {
  rooms: number
  agents: number
  turns: number
  turnsPerSecond: number
  /** Said -> the last of the three answers stands in the room, ms. */
  whole: Spread
  /** Said -> the first agent begins, ms; with the queue, in which most of it is spent. */
  wait: Spread
  longestWaitMs: number
  /** Things said and answered in a room: the least, the middle, the most. Far apart: a room was starved. */
  perRoom: { least: number; median: number; most: number }
  /** Turns of the busy room in the same time: no more than the others have, or it comes before them. */
  busyTurns: number
  /**
   * Of a single message in an idle house, outside of the engine, ms. `gateway`: accepted -> engine and engine -> the
   * platform is called, together. `platform`: the call, in which the local rooms store the post on the disk themselves.
   */
  overhead: {
    acceptedToEngine: Spread
    engineToCall: Spread
    gateway: Spread
    platform: Spread
    whole: Spread
  }
}

type Gateway = typeof import('../src/gateway.js')
const built = (path: string) => import(new URL(`../dist/${path}`, import.meta.url).href)
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

interface Times {
  accepted: Map<string, number>
  begun: Map<string, number>
  ended: Map<string, number>
  called: Map<string, number>
  visible: Map<string, number[]>
}

export function rooms(): Promise<RoomsBench> {
  return withFolder(async (folder) => {
    const { startGateway } = (await built('src/gateway.js')) as Gateway
    const local = ((await built('adapters/local/index.js')) as { default: Platform }).default
    const times: Times = {
      accepted: new Map(),
      begun: new Map(),
      ended: new Map(),
      called: new Map(),
      visible: new Map(),
    }
    const answered = new Map<string, () => void>()
    let serve: NonNullable<Connection['serve']> | null = null
    let turns = 0
    let working = true

    const platform: Platform = {
      ...local,
      async connect(settings, host) {
        const connection = await local.connect(settings, {
          ...host,
          async accept(event) {
            const result = await host.accept(event)
            if (event.kind === 'message')
              times.accepted.set(`${event.place.chat}:${event.id}`, performance.now())
            return result
          },
        })
        serve = connection.serve?.bind(connection) ?? null
        const perform = connection.perform.bind(connection)
        connection.perform = async (op, key, signal) => {
          // Status posts of who waits for long quote the question too.
          const question =
            op.kind === 'post' && op.replyTo && op.part.text === ANSWER
              ? `${op.place.chat}:${op.replyTo}`
              : null
          if (question !== null) times.called.set(question, performance.now())
          const receipt = await perform(op, key, signal)
          if (question !== null) {
            const posts = [...(times.visible.get(question) ?? []), performance.now()]
            times.visible.set(question, posts)
            answered.get(question)?.()
          }
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
        if (!times.begun.has(key)) times.begun.set(key, performance.now())
        if (working) await later(WORK.least + ((turns++ * 37) % (WORK.most - WORK.least)))
        yield { type: 'final', text: ANSWER }
        times.ended.set(key, performance.now())
      },
      async close() {},
    }
    writeFileSync(join(folder, 'golem.yaml'), YAML)
    const gateway = await startGateway({
      configFile: join(folder, 'golem.yaml'),
      port: 0,
      log: quiet,
      platforms: { local: platform },
      engines: { offline: { program: false, folderless: true, create: () => engine } },
    })
    const say = async (room: string, author: string, text: string): Promise<string> => {
      if (serve === null) throw new Error('the local platform is not connected')
      const path = `/rooms/${room}/messages`
      const request = new Request(`http://localhost/api/local${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ author, text }),
      })
      return ((await (await serve(request, path)).json()) as { id: string }).id
    }
    /** Says it and waits for so many answers. */
    const ask = async (room: string, author: string, text: string, answers: number): Promise<string> => {
      const key = `${room}:${await say(room, author, text)}`
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if ((times.visible.get(key)?.length ?? 0) >= answers) resolve()
        }
        answered.set(key, look)
        look()
      })
      answered.delete(key)
      return key
    }

    working = false
    const alone: string[] = []
    for (let index = 0; index < ALONE.warm + ALONE.told; index++) {
      if (index === ALONE.warm) await later(SETTLED)
      // Not in the room of the one before: its marks and receipts are still on their way there.
      const key = await ask(`alone-${index % 20}`, 'Ann', `@Ada question ${index}`, 1)
      if (index >= ALONE.warm) alone.push(key)
    }
    working = true
    const end = performance.now() + SECONDS * 1_000
    const start = performance.now()
    const asked: { key: string; at: number }[] = []
    const perRoom = new Map<string, number>()
    const visit = async (room: string): Promise<void> => {
      for (let n = 0; performance.now() < end; n++) {
        const at = performance.now()
        const key = await ask(room, 'Ann', `thing ${n}`, AGENTS.length)
        asked.push({ key, at })
        if (performance.now() < end) perRoom.set(room, (perRoom.get(room) ?? 0) + 1)
      }
    }
    let busyTurns = 0
    const busy = async (author: string): Promise<void> => {
      for (let n = 0; performance.now() < end; n++) {
        await ask('busy', author, `@Ada ${n}`, 1)
        if (performance.now() < end) busyTurns++
      }
    }
    await Promise.all([
      ...Array.from({ length: BACKLOG }, (_, index) => busy(`Person ${index}`)),
      ...Array.from({ length: ROOMS }, (_, index) => visit(`room-${index}`)),
    ])
    const seconds = (performance.now() - start) / 1_000
    const waits = asked.map(({ key, at }) => (times.begun.get(key) ?? Number.NaN) - at)
    const counts = [...perRoom.values()].sort((a, b) => a - b)
    await gateway.close(Date.now() + 5_000)
    /** The engine's own time is left out: it ends when it says its last word. */
    const parts = alone.map((key) => {
      const at = (when: Map<string, number>) => when.get(key) ?? Number.NaN
      const acceptedToEngine = Math.max(0, at(times.begun) - at(times.accepted))
      const engineToCall = at(times.called) - at(times.ended)
      const platform = (times.visible.get(key)?.[0] ?? Number.NaN) - at(times.called)
      return { acceptedToEngine, engineToCall, platform }
    })
    const of = (what: (part: (typeof parts)[number]) => number): Spread => spread(parts.map(what))
    return {
      rooms: ROOMS,
      agents: AGENTS.length,
      turns,
      turnsPerSecond: round(turns / seconds, 0),
      whole: spread(asked.map(({ key, at }) => (times.visible.get(key)?.at(-1) ?? Number.NaN) - at)),
      wait: spread(waits),
      longestWaitMs: round(Math.max(...waits), 0),
      perRoom: {
        least: counts.length < ROOMS ? 0 : (counts[0] ?? 0),
        median: counts[Math.floor(counts.length / 2)] ?? 0,
        most: counts.at(-1) ?? 0,
      },
      busyTurns,
      overhead: {
        acceptedToEngine: of((part) => part.acceptedToEngine),
        engineToCall: of((part) => part.engineToCall),
        gateway: of((part) => part.acceptedToEngine + part.engineToCall),
        platform: of((part) => part.platform),
        whole: of((part) => part.acceptedToEngine + part.engineToCall + part.platform),
      },
    }
  })
}

const YAML = `name: Golem
rooms:
  "*": { groupPolicy: always, defaultResponder: everyone }
agents:
${AGENTS.map((name, index) => `  - { name: ${name}, engine: offline${index === 0 ? ', role: orchestrator' : ''} }`).join('\n')}
`
