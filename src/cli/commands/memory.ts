/** `golem memory show` and `edit`: what a chat remembers. They work whether the daemon runs or not. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { GroupMemory } from '../../memory/group.js'
import type { ShownFact } from '../../messaging/facts.js'
import { CliError } from '../exit.js'
import { harmless, oneLine } from '../format/text.js'
import type { World } from '../world.js'
import { lookOf, type ReadOptions } from './read.js'

/** Opens a chat's file. Nothing is made by looking. */
async function memoryAt(options: ReadOptions, world: World): Promise<GroupMemory> {
  const { foldersOf } = await import('../data-dir.js')
  const { GroupMemory } = await import('../../memory/group.js')
  const { memoryDir, language } = foldersOf(resolve(world.cwd, options.config), world.env)
  const say = (fields: object, message: string): void =>
    world.stderr.write(`golem: ${message} ${JSON.stringify(fields)}\n`)
  return new GroupMemory({
    memoryDir,
    language,
    clock: world.clock,
    log: { warn: say, info: () => undefined },
  })
}

/** The chat's facts, where there is a store: a memory file may stand there before Golem has ever run. */
async function factsAt(chatKey: string, options: ReadOptions, world: World): Promise<ShownFact[]> {
  const { dataDirOf } = await import('../data-dir.js')
  const open = await world.loadReader()
  const dataDir = dataDirOf(resolve(world.cwd, options.config), world.env)
  try {
    const reader = open(dataDir)
    try {
      return await reader.factsOf(chatKey, world.clock.now())
    } finally {
      await reader.close()
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'missing') return []
    throw error
  }
}

function checkKey(chatKey: string): void {
  if (!/^[a-z0-9.]+:\S/u.test(chatKey))
    throw new CliError(
      'usage',
      `${JSON.stringify(chatKey)} is no chat: name it as its connection and its id, e.g. local:lobby; golem status lists them.`,
    )
}

export async function showMemory(chatKey: string, options: ReadOptions, world: World): Promise<void> {
  checkKey(chatKey)
  const memory = await memoryAt(options, world)
  const { path, text, hash, exists } = await memory.read(chatKey)
  const facts = await factsAt(chatKey, options, world)
  if (options.json) {
    const view = { key: chatKey, path, exists, hash, text, facts }
    world.stdout.write(`${JSON.stringify(view, null, world.stdout.isTTY ? 2 : undefined)}\n`)
    return
  }
  const lines = facts.map(
    ({ audience, text: fact, by, at }) =>
      `- ${oneLine(fact)} (${audience}; ${oneLine(by)}, ${new Date(at).toISOString().slice(0, 10)})`,
  )
  const { colour } = lookOf(world)
  const dim = (line: string): string => (colour ? `\u001b[2m${line}\u001b[0m` : line)
  world.stdout.write(
    [
      dim(exists ? path : `${path} (there is no file yet)`),
      ...(exists ? [harmless(text).trimEnd()] : []),
      ...(lines.length === 0 ? [] : ['', 'Facts:', ...lines]),
      '',
    ].join('\n'),
  )
}

/**
 * A copy in the editor of `VISUAL` or `EDITOR`, merged back by line: what others wrote meanwhile stays.
 *
 * @throws CliError no editor, or one that failed: nothing was changed
 */
export async function editMemory(chatKey: string, options: ReadOptions, world: World): Promise<void> {
  checkKey(chatKey)
  const editor = world.env.VISUAL ?? world.env.EDITOR ?? ''
  if (editor.trim() === '')
    throw new CliError(
      'usage',
      'There is no editor: set EDITOR to one that waits until the file is closed (nano, vim, "code --wait").',
    )
  const memory = await memoryAt(options, world)
  const { text, path } = await memory.read(chatKey)
  const folder = await mkdtemp(join(tmpdir(), 'golem-memory-'))
  try {
    const copy = join(folder, 'memory.md')
    await writeFile(copy, text, { mode: 0o600 })
    const code = await world.edit(editor, copy)
    if (code !== 0) throw new CliError('usage', `The editor ended with ${code}; nothing was changed.`)
    const { changed, note } = await memory.mergeBack(chatKey, text, await readFile(copy, 'utf8'))
    if (options.json)
      world.stdout.write(
        `${JSON.stringify({ key: chatKey, path, changed, ...(note !== undefined && { note }) })}\n`,
      )
    else
      world.stdout.write(
        `${changed ? `Saved ${path}.` : 'Nothing was changed.'}${note === undefined ? '' : ` ${note}`}\n`,
      )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
