/** Runs a scenario once to find its points, then once for each point that is killed at. */
import discord from '../../adapters/discord/index.js'
import feishu from '../../adapters/feishu/index.js'
import local from '../../adapters/local/index.js'
import slack from '../../adapters/slack/index.js'
import telegram from '../../adapters/telegram/index.js'
import type { Platform } from '../../src/messaging/contract.js'
import { Daemon } from './daemon.js'
import { Play } from './play.js'
import type { Scenario } from './scenarios/index.js'
import type { Scene, SceneOptions } from './scene.js'
import { LocalScene } from './scene-local.js'
import { SimulatedScene } from './scene-simulated.js'

export const PLATFORMS = ['local', 'telegram', 'slack', 'discord', 'feishu'] as const
export type PlatformName = (typeof PLATFORMS)[number]

const ADAPTERS: Readonly<Record<PlatformName, Pick<Platform, 'can' | 'limits'>>> = {
  local,
  telegram,
  slack,
  discord,
  feishu,
}

/** What the platform says it can do. */
export function declared(platform: PlatformName): readonly string[] {
  return ADAPTERS[platform].can.operations
}

export function playsOn(scenario: Scenario, platform: PlatformName): boolean {
  const { platforms, hears } = scenario
  const isHeard = hears === undefined || ADAPTERS[platform].can.events.includes(hears)
  return isHeard && (platforms?.includes(platform) ?? true)
}

export interface Result {
  platform: PlatformName
  scenario: string
  point: string
  problems: string[]
  /** The daemon died there. Runs differ a little: some points of the first one are not passed again. */
  died: boolean
  /** Of a run that went wrong: the last of what the daemon logged. */
  log?: string
}

/** A restart that takes so long, in milliseconds: longer than any platform's time-out. */
const AWHILE = 61_000

export interface RunOptions {
  platform: PlatformName
  scenario: Scenario
  /** Null: nothing is killed, and the points are written down. */
  point: string | null
  /** A fault put into the daemon on purpose. */
  mutation?: string
  /** Runs the daemon under a tracer. */
  under?: (file: string) => readonly string[]
}

export interface Run {
  /** What is wrong with what people saw. */
  problems: string[]
  /** The points that were passed, where nothing was killed. */
  points: readonly string[]
  /** How many of them lay before anything was said: the daemon's start, the same in every scenario. */
  startup: number
  died: boolean
  /** How many of its changes the mutation could make. */
  mutated: number
  /** What the tracer saw, where there was one. */
  calls: string
  /** The last of what the daemon logged, over its lives. */
  log: string
}

export async function run(options: RunOptions): Promise<Run> {
  const { platform, scenario, point, mutation, under } = options
  const { away = AWHILE } = scenario
  const { can, limits } = ADAPTERS[platform]
  const scene = await sceneOf(platform, {
    how: scenario.how ?? 'socket',
    where: scenario.where ?? 'group',
    lose: scenario.lose ?? null,
  })
  const daemon = await Daemon.make({
    platform,
    target: point,
    away,
    firstEnv: scene.firstEnv,
    ...(under === undefined ? {} : { under }),
    ...(mutation === undefined ? {} : { env: { GOLEM_CRASH_MUTATION: mutation } }),
  })
  daemon.onReturn = () => scene.away(away)
  let startup = 0
  const end = (problems: string[]): Run => ({
    problems,
    points: daemon.points,
    startup,
    died: daemon.deaths > 0,
    mutated: daemon.mutated,
    calls: daemon.calls,
    log: daemon.log,
  })
  try {
    scene.begin(daemon)
    // JSON is YAML.
    const rooms = scenario.rooms === undefined ? {} : { rooms: { '*': scenario.rooms } }
    daemon.start(
      JSON.stringify({ name: 'Golem', agents: scenario.agents, channels: scene.channels, ...rooms }),
    )
    await daemon.up()
    startup = daemon.points.length
    const accidents = (point === null ? 0 : 1) + (scenario.lose === undefined ? 0 : 1)
    const labels = can.idempotentFor > 0 || can.history ? 0 : accidents
    const problems = await scenario.run(new Play(daemon, scene, { labels }, limits.text.max))
    await daemon.stop()
    return end(problems)
  } catch (error) {
    return end([error instanceof Error ? error.message : String(error)])
  } finally {
    await daemon.close()
    await scene.close()
  }
}

async function sceneOf(platform: PlatformName, options: SceneOptions): Promise<Scene> {
  return platform === 'local' ? new LocalScene(options) : await SimulatedScene.start(platform, options)
}

/** The points of an undisturbed run, in order. */
export async function discover(
  platform: PlatformName,
  scenario: Scenario,
): Promise<Pick<Run, 'points' | 'startup'>> {
  return await withRoom(async () => {
    const { problems, points, startup } = await run({ platform, scenario, point: null })
    if (problems.length > 0)
      throw new Error(`${scenario.name} on ${platform}, undisturbed: ${problems.join('; ')}`)
    return { points, startup }
  })
}

/**
 * One run for each point. Runs differ a little, above all on a busy machine: where a point is not passed again, one of
 * `spare` takes its place.
 */
export async function killAt(
  platform: PlatformName,
  scenario: Scenario,
  points: readonly string[],
  spare: readonly string[] = [],
): Promise<Result[]> {
  const left = [...spare]
  const kill = (point: string): Promise<Result> =>
    withRoom(async () => {
      const { problems, died, log } = await run({ platform, scenario, point })
      const more = problems.length > 0 ? { log } : {}
      return { platform, scenario: scenario.name, point, problems, died, ...more }
    })
  const results = points.map(async (point) => {
    const result = await kill(point)
    const other = result.died ? undefined : left.shift()
    return other === undefined ? [result] : [result, await kill(other)]
  })
  return (await Promise.all(results)).flat()
}

/** Daemons at the same time; each is a process with a thread of its own, and many of them wait for something. */
const PARALLEL = 5
let free = PARALLEL
const waiting: (() => void)[] = []

async function withRoom<Value>(work: () => Promise<Value>): Promise<Value> {
  if (free > 0) free--
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
}
