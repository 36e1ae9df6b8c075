/** `golem simulate`: a platform in a box, to try Golem or any other bot against without an account. */
import { stringify } from 'yaml'
import { CliError, EXIT, type ExitCode } from '../exit.js'
import { oneLine } from '../format/text.js'
import { StopRequest } from '../stop.js'
import type { Simulated, Simulators, World } from '../world.js'

export interface SimulateFlags {
  port?: number
  name: string
  people: readonly string[]
  limits: boolean
  webhook?: string
  json: boolean
}

/** A platform may write it in its own way: Slack knows no capitals. */
const ROOM = 'Lobby'

/** Runs until it is told to stop. */
export async function simulate(platform: string, flags: SimulateFlags, world: World): Promise<ExitCode> {
  const simulators = await world.loadSimulators()
  const found = simulators[platform]
  if (found === undefined)
    throw new CliError(
      'usage',
      `There is no simulator of "${oneLine(platform)}": choose ${Object.keys(simulators).join(' or ')}.`,
    )
  const stop = new StopRequest(world)
  const undo = stop.listen(() => undefined)
  try {
    const stage = await started(found, flags)
    announce(stage, flags, world)
    await stop.wanted
    await stage.close()
    return EXIT.ok
  } finally {
    undo()
  }
}

async function started(
  found: Simulators[string],
  { port = found.port, name, people, limits, webhook }: SimulateFlags,
): Promise<Simulated> {
  let stage: Simulated
  try {
    stage = await found.start({ port, name, limits: limits ? 'enforced' : 'off' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new CliError(
      'port',
      `Port ${port} is in use: end the other program, or choose a port with --port (0 takes a free one).`,
      { cause: error },
    )
  }
  const everyone = people.map((person) => stage.person(person))
  stage.group(ROOM, everyone)
  for (const person of everyone) stage.dm(person)
  if (webhook !== undefined) stage.webhook(webhook)
  return stage
}

function announce(stage: Simulated, { webhook, json }: SimulateFlags, world: World): void {
  const channels = { [stage.platform]: stage.settings(webhook === undefined ? 'socket' : 'webhook') }
  const control = `${stage.url}/_sim/`
  if (json) {
    const chats = stage.chats().map(({ id, title, kind }) => ({ id, title, kind }))
    const ready = { event: 'ready', platform: stage.platform, url: stage.url, control, channels, chats }
    world.stdout.write(`${JSON.stringify(ready)}\n`)
    return
  }
  const room = stage.chats().find(({ kind }) => kind === 'group')?.title ?? ROOM
  const indented = stringify({ channels }).trimEnd().replace(/^/gm, '  ')
  world.stdout.write(
    `${stage.platform} in a box: ${stage.url}\nBe its people here: ${control}\n\nPut this into golem.yaml and start golem:\n\n${indented}\n\n` +
      `In the chat ${oneLine(room)}, write: @${oneLine(stage.bot.name)} what can you do?\nStop it with Ctrl-C; what was said is not kept.\n`,
  )
}
