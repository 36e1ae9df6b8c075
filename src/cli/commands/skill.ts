/** `golem skill list` and `golem skill add`: the folder of skills, looked after without a daemon. */
import { randomUUID } from 'node:crypto'
import { copyFile, lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isSecretPath } from '../../agents/files/names.js'
import { loadSkills, readSkill, type Skill } from '../../agents/skills/load.js'
import { packageRoot } from '../../root.js'
import { skillsDirOf } from '../data-dir.js'
import { CliError } from '../exit.js'
import type { World } from '../world.js'

export interface SkillOptions {
  config: string
  json: boolean
}

/** A skill is text with a few files, no archive. */
const FILES = 200
const BYTES = 20_000_000

interface Folder {
  path: string
  configured: boolean
}

export async function listSkills(options: SkillOptions, world: World): Promise<void> {
  const own = ownFolder(options, world)
  const skills = await loadSkills({ builtIn: join(packageRoot(), 'skills'), own })
  const shown = skills.map(({ name, description, builtIn, path }) => ({
    name,
    description,
    builtIn,
    folder: dirname(path),
  }))
  if (options.json) return print(world, { skills: shown })
  for (const { name, description, builtIn, folder } of shown)
    world.stdout.write(`${name}  (${builtIn ? 'built in' : folder})\n  ${description}\n`)
}

/**
 * @throws SkillError for what is no skill
 * @throws CliError for one that is there already, or is too large
 */
export async function addSkill(
  source: string,
  options: SkillOptions & { force: boolean },
  world: World,
): Promise<void> {
  const own = ownFolder(options, world)
  const from = resolve(world.cwd, source)
  const skill = await readSkill(from)
  const target = join(own.path, skill.name)
  await checkPlace(skill, target, own, options.force)
  const { files, skipped } = await copyWhole(from, target)
  if (options.json) return print(world, { name: skill.name, folder: target, files, skipped })
  for (const file of skipped) world.stderr.write(`golem: ${file} was left out: a link, hidden, or a key\n`)
  world.stdout.write(
    `Added the skill ${skill.name}: ${target}, ${files} ${files === 1 ? 'file' : 'files'}. Golem reads skills at its start.\n`,
  )
}

function ownFolder(options: SkillOptions, { cwd, env }: World): Folder {
  return skillsDirOf(resolve(cwd, options.config), env)
}

async function checkPlace(skill: Skill, target: string, own: Folder, force: boolean): Promise<void> {
  const there = await lstat(target).catch(() => null)
  const source = dirname(skill.path)
  if (there !== null && (await realpath(target).catch(() => target)) === (await realpath(source)))
    throw new CliError('usage', `The skill ${skill.name} is in ${target} already: there is nothing to copy.`)
  if (there !== null && !force)
    throw new CliError(
      'usage',
      `There is a skill ${skill.name} in ${target} already: say --force to put this one in its place.`,
    )
  const others = await loadSkills({ builtIn: own.path, own: { ...own, configured: false } }).catch(() => [])
  const other = others.find(({ name, path }) => name === skill.name && dirname(path) !== target)
  if (other !== undefined)
    throw new CliError(
      'usage',
      `Another folder has a skill ${skill.name} already: ${dirname(other.path)}. Remove it, or rename one of the two.`,
    )
}

/** Copied aside and put in place whole. What a skill has no use for stays behind. */
async function copyWhole(from: string, target: string): Promise<{ files: number; skipped: string[] }> {
  const made = join(dirname(target), `.${basename(target)}.${randomUUID().slice(0, 8)}`)
  const count = { files: 0, bytes: 0, skipped: [] as string[] }
  const copy = async (folder: string): Promise<void> => {
    await mkdir(join(made, relative(from, folder)), { recursive: true })
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      const way = relative(from, path)
      if (isSecretPath([entry.name]) || !(entry.isFile() || entry.isDirectory())) count.skipped.push(way)
      else if (entry.isDirectory()) await copy(path)
      else {
        count.files += 1
        count.bytes += (await lstat(path)).size
        if (count.files > FILES || count.bytes > BYTES)
          throw new CliError(
            'usage',
            `${from} holds more than ${FILES} files or ${BYTES / 1_000_000} MB: it is more than a skill.`,
          )
        await copyFile(path, join(made, way))
      }
    }
  }
  try {
    await copy(from)
    await rm(target, { recursive: true, force: true })
    await rename(made, target)
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    throw error
  }
  return { files: count.files, skipped: count.skipped.sort() }
}

function print(world: World, value: unknown): void {
  world.stdout.write(`${JSON.stringify(value, null, world.stdout.isTTY ? 2 : undefined)}\n`)
}
