/** How long a turn goes on after the person who asked has said stop: by engine, with programs that do not listen too. */
import { fileURLToPath } from 'node:url'
import { ModelServer } from '../tests/engines/model-server.js'
import { later, outcomeOf, say, startDaemon, stopDaemon } from './daemon.js'
import { type Spread, spread, withFolder } from './support.js'

/** How many turns of each agent. Those that do not listen are given six seconds, and then killed. */
const TURNS = { Model: 100, Program: 100, Acp: 100, Stubborn: 12, Deaf: 12 }
/** At the same time, of each engine. */
const PARALLEL = 4
/** How long a turn works before it is stopped, at least, in milliseconds. */
const AT_WORK = 100
const ACP_AGENT = fileURLToPath(new URL('../tests/engines/acp-agent.mjs', import.meta.url))

export interface CancelBench {
  /** `/stop` said -> the receipt of the question is closed, ms; by agent. */
  stopped: Record<string, Spread>
  /** Outcomes of the questions, and how many; anything but `stopped` is wrong. */
  outcomes: Record<string, number>
}

const waits = "process.stdin.resume(); process.stdout.write('Well'); setInterval(() => {}, 1000000)"
const program = (...argv: string[]) => JSON.stringify([process.execPath, ...argv])
const HANGS = JSON.stringify([{ act: 'say', text: 'Well' }, { act: 'hang' }])
const acp = (traits: object) => program(ACP_AGENT, HANGS, '/dev/null', JSON.stringify(traits))

const yaml = (modelUrl: string): string => `name: Golem
rooms: { "*": { workingFolder: . } }
agents:
  - { name: Model, role: orchestrator, engine: ai, model: openai-compatible/scripted, baseUrl: "${modelUrl}/v1" }
  - { name: Program, engine: command, command: ${program('-e', waits)} }
  - { name: Stubborn, engine: command, command: ${program('-e', `process.on('SIGTERM', () => {}); ${waits}`)} }
  - { name: Acp, engine: acp, command: ${acp({})} }
  - { name: Deaf, engine: acp, command: ${acp({ deaf: true, stubborn: true })} }
`

export async function cancel(): Promise<CancelBench> {
  const model = await ModelServer.start(() => [{ text: 'Well' }, 'hang'])
  const took = new Map<string, number[]>()
  const outcomes: Record<string, number> = {}
  try {
    await withFolder(async (folder) => {
      const daemon = await startDaemon(folder, [], yaml(model.url))
      const one = async (agent: string, room: string): Promise<void> => {
        const id = await say(daemon.url, room, `@${agent} do what never ends`)
        while ((await outcomeOf(daemon.url, room, id)) !== 'running') await later(5)
        await later(AT_WORK)
        const from = performance.now()
        await say(daemon.url, room, '/stop')
        let outcome = 'running'
        for (; outcome === 'running'; await later(2)) outcome = await outcomeOf(daemon.url, room, id)
        took.set(agent, [...(took.get(agent) ?? []), performance.now() - from])
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      }
      for (const [agent, turns] of Object.entries(TURNS)) {
        const lane = async (index: number): Promise<void> => {
          for (let n = 0; n < turns / PARALLEL; n++) await one(agent, `${agent.toLowerCase()}-${index}`)
        }
        await Promise.all(Array.from({ length: PARALLEL }, (_, index) => lane(index)))
      }
      await stopDaemon(daemon)
    })
  } finally {
    await model.close()
  }
  return {
    stopped: Object.fromEntries([...took].map(([agent, values]) => [agent, spread(values)])),
    outcomes,
  }
}
