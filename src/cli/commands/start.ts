/** `golem start`: runs the gateway until it is told to stop, and lets nothing stray end it. */
import { resolve } from 'node:path'
import type { Millis } from '../../messaging/ambient.js'
import { CliError, EXIT, type ExitCode } from '../exit.js'
import { oneLine } from '../format/text.js'
import { createLog, levelFrom } from '../log.js'
import { StopRequest } from '../stop.js'
import type { RunningGateway, World } from '../world.js'
import { lookOf } from './read.js'

export interface StartFlags {
  config: string
  port?: number
  host?: string
  json: boolean
}

/** For work under way, once a stop was asked for. */
const GRACE: Millis = 8_000
/** On top of it, for closing itself, before the process gives up. */
const PATIENCE: Millis = 5_000

/** The ready line for programs; words for people. */
function announce(gateway: RunningGateway, flags: StartFlags, world: World): void {
  const { url, port, firstThing = { room: 'Lobby', mention: 'Golem' } } = gateway
  if (flags.json) {
    world.stdout.write(`${JSON.stringify({ event: 'ready', url, port, pid: world.pid })}\n`)
    return
  }
  const { room, mention } = firstThing
  world.stdout.write(
    `Golem is running: ${url}\nOpen ${url}, choose ${oneLine(room)} and write: @${oneLine(mention)} what can you do?\n` +
      'Stop it with Ctrl-C.\n',
  )
}

/** Resolves when the gateway has ended. Throws what kept it from starting. */
export async function start(flags: StartFlags, world: World): Promise<ExitCode> {
  const log = createLog({
    write: (text) => world.stderr.write(text),
    pretty: world.stderr.isTTY,
    colour: lookOf({ stdout: world.stderr, env: world.env }).colour,
    level: levelFrom(world.env),
  })
  const stop = new StopRequest(world)
  const undo = [
    stop.listen((signal, again) => {
      if (!again) log.info({ signal }, 'stopping; work under way may finish, a second signal ends it at once')
    }),
    world.on('unhandledRejection', (reason) =>
      log.error({ reason }, 'a promise was rejected and nobody looked; Golem goes on'),
    ),
    world.on('uncaughtException', (error) => {
      log.error({ error }, 'an error nobody caught; Golem ends and loses nothing that was accepted')
      world.exit(EXIT.unexpected)
    }),
  ]
  try {
    const startGateway = await world.loadStart()
    const gateway = await startGateway({
      configFile: resolve(world.cwd, flags.config),
      ...(flags.port === undefined ? {} : { port: flags.port }),
      ...(flags.host === undefined ? {} : { host: flags.host }),
      version: world.version(),
      log,
      hide: (secrets) => log.hide(secrets),
    })
    if (!stop.asked) announce(gateway, flags, world)
    await Promise.race([gateway.closed, stop.wanted])
    if (stop.asked) await closeInTime(gateway, world)
    return EXIT.ok
  } finally {
    for (const one of undo) one()
  }
}

async function closeInTime(gateway: RunningGateway, world: World): Promise<void> {
  const deadline = world.clock.now() + GRACE
  await new Promise<void>((done, failed) => {
    const undo = world.clock.at(deadline + PATIENCE, () =>
      failed(
        new CliError('stuck', 'Golem did not stop in time and was ended; nothing that was accepted is lost.'),
      ),
    )
    gateway.close(deadline).then(
      () => {
        undo()
        done()
      },
      (error: unknown) => {
        undo()
        failed(error instanceof Error ? error : new Error(String(error)))
      },
    )
  })
}
