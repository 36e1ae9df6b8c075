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

/**
 * Runs until it is told to stop.
 *
 * @param platform as it was typed, if it was
 * @throws CliError `usage` that says which platforms there are; `port`
 */
export async function simulate(
  platform: string | undefined,
  flags: SimulateFlags,
  world: World,
): Promise<ExitCode> {
  const found = chosen(platform, await world.loadSimulators())
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

function chosen(platform: string | undefined, simulators: Simulators): Simulators[string] {
  const names = Object.keys(simulators)
  const choice = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  if (platform === undefined) {
    const sentence = `Which platform? Choose ${choice}, for example: golem simulate ${names.at(-1)}`
    throw new CliError('usage', sentence)
  }
  const found = Object.hasOwn(simulators, platform) ? simulators[platform] : undefined
  if (found !== undefined) return found
  throw new CliError('usage', `There is no simulator of "${oneLine(platform)}": choose ${choice}.`)
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
  if (webhook !== undefined) await toWebhook(stage, webhook)
  return stage
}

/** @throws CliError where the platform has no webhooks, with nothing left running */
async function toWebhook(stage: Simulated, url: string): Promise<void> {
  try {
    stage.webhook(url)
  } catch (error) {
    await stage.close()
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('usage', `--webhook: ${reason}`, { cause: error })
  }
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
  // Not indented: pasted as they are, the lines must not become part of what stands before them in the file.
  const lines = stringify({ channels }).trimEnd()
  world.stdout.write(
    `${stage.platform} in a box: ${stage.url}\nBe its people here: ${control}\n\n` +
      `Put this into golem.yaml (below its channels:, if it has that line already) and start golem:\n\n${lines}\n\n` +
      `In the chat ${oneLine(room)}, write: @${oneLine(stage.bot.name)} what can you do?\nStop it with Ctrl-C; what was said is not kept.\n`,
  )
}
