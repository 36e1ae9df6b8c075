/** `why`, `status` and `queue`: read the store, say what is in it. They work whether the daemon runs or not. */
import { resolve } from 'node:path'
import type { ReceiptView } from '../../messaging/views.js'
import { CliError } from '../exit.js'
import type { Look } from '../format/text.js'
import type { Reader, World } from '../world.js'

export interface ReadOptions {
  config: string
  json: boolean
}

/** Widest text that is pleasant to read, and the width where nothing says how wide it is. */
const WIDEST = 120
const UNKNOWN = 100
const NARROWEST = 40

/** How this world's standard output wants its text. */
export function lookOf({ stdout, env }: Pick<World, 'stdout' | 'env'>): Look {
  // A terminal that does not know its size says 0.
  const width = (stdout.isTTY ? stdout.columns : undefined) || UNKNOWN
  return {
    width: Math.min(WIDEST, Math.max(NARROWEST, width)),
    // https://no-color.org: any value but an empty one.
    colour: stdout.isTTY && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb',
  }
}

async function reading<T>(
  options: ReadOptions,
  world: World,
  read: (reader: Reader, dataDir: string) => Promise<T>,
): Promise<T> {
  const { dataDirOf } = await import('../data-dir.js')
  const dataDir = dataDirOf(resolve(world.cwd, options.config), world.env)
  const open = await world.loadReader()
  const reader = open(dataDir)
  try {
    return await read(reader, dataDir)
  } finally {
    await reader.close()
  }
}

/** One line for programs, laid out for people who look at it. */
function json(value: unknown, world: World): string {
  return `${JSON.stringify(value, null, world.stdout.isTTY ? 2 : undefined)}\n`
}

/** @param reference internal id, `chatKey:nativeId`, or `last` */
export async function why(reference: string, options: ReadOptions, world: World): Promise<void> {
  const receipt = await reading(options, world, async (reader, dataDir): Promise<ReceiptView> => {
    const found = await reader.receipt(reference)
    if (found !== null) return found
    throw new CliError(
      'not-found',
      reference === 'last'
        ? `There is no message in ${dataDir} yet; say something in a room first.`
        : `There is no message ${JSON.stringify(reference)} in ${dataDir}; name it by its number, as chatKey:nativeId (local:lobby:42), or say last.`,
    )
  })
  if (options.json) world.stdout.write(json(receipt, world))
  else {
    const { formatReceipt } = await import('../format/receipt.js')
    world.stdout.write(formatReceipt(receipt, lookOf(world)))
  }
}

export async function queue(options: ReadOptions, world: World): Promise<void> {
  const view = await reading(options, world, (reader) => reader.queue())
  if (options.json) world.stdout.write(json(view, world))
  else {
    const { formatQueue } = await import('../format/overview.js')
    world.stdout.write(formatQueue(view, world.clock.now(), lookOf(world)))
  }
}

export async function status(options: ReadOptions, world: World): Promise<void> {
  const { view, rooms } = await reading(options, world, async (reader) => ({
    view: await reader.status(),
    rooms: options.json ? [] : await reader.rooms(),
  }))
  if (options.json) world.stdout.write(json(view, world))
  else {
    const { formatStatus } = await import('../format/overview.js')
    world.stdout.write(formatStatus(view, rooms, world.clock.now(), lookOf(world)))
  }
}
