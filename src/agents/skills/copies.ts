/**
 * Skills for programs, where they can read them: a copy below the working folder, `.golem/skills/<name>/`. A coding agent
 * is often kept to its folder, so the originals are out of its reach.
 *
 * A working folder may be somebody's project. Nothing in it is changed but `.golem/skills`, and that only where Golem
 * made it: what people keep there, or in AGENTS.md, CLAUDE.md or .claude, stays as it is.
 */
import { createHash, randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Logger } from '../../messaging/ambient.js'
import { isSecretPath } from '../files/names.js'
import { loggable } from '../loggable.js'
import type { Skill } from '../prompt/prompt.js'

const FOLDER = ['.golem', 'skills'] as const
/** Says what the folder holds, and that Golem made it. */
const MARKER = '.made-by-golem'
/** A skill with more, or larger, files is read where it lies. */
const FILES_PER_SKILL = 200
const BYTES_PER_SKILL = 5_000_000
const DEPTH = 6

interface Copy {
  skill: Skill
  files: { way: string; bytes: Buffer }[]
}

export class SkillCopies {
  readonly #skills: readonly Skill[]
  readonly #log: Logger
  #read: Promise<{ copies: Copy[]; hash: string }> | undefined
  /** One at a time in a folder. */
  readonly #busy = new Map<string, Promise<readonly Skill[]>>()

  constructor(skills: readonly Skill[], log: Logger) {
    this.#skills = skills
    this.#log = log
  }

  /** The skills as a program in this folder reads them: as copies in it, or where they lie when there can be none. */
  in(cwd: string): Promise<readonly Skill[]> {
    if (this.#skills.length === 0) return Promise.resolve([])
    const before = this.#busy.get(cwd) ?? Promise.resolve([])
    const work = before
      .then(() => this.#place(cwd))
      .catch((error: unknown) => {
        this.#log.warn(loggable(error), 'skills could not be copied; agents are shown where they lie')
        return this.#skills
      })
      .finally(() => {
        if (this.#busy.get(cwd) === work) this.#busy.delete(cwd)
      })
    this.#busy.set(cwd, work)
    return work
  }

  async #place(cwd: string): Promise<readonly Skill[]> {
    await realpath(cwd)
    this.#read ??= readAll(this.#skills)
    const { copies, hash } = await this.#read
    const target = join(cwd, ...FOLDER)
    const state = await stateOf(cwd, target)
    if (state === 'theirs') return this.#skills
    if (state !== hash) await swap(target, copies, hash)
    return this.#skills.map((skill) =>
      copies.some((copy) => copy.skill === skill)
        ? { ...skill, path: join(target, skill.name, 'SKILL.md') }
        : skill,
    )
  }
}

/** Read once: a daemon's skills are those of its start. */
async function readAll(skills: readonly Skill[]): Promise<{ copies: Copy[]; hash: string }> {
  const copies: Copy[] = []
  const hash = createHash('sha256')
  for (const skill of skills) {
    const files = await filesOf(skill)
    if (files === null) continue
    copies.push({ skill, files })
    for (const { way, bytes } of files) hash.update(`${skill.name}\0${way}\0${bytes.length}\0`).update(bytes)
  }
  return { copies, hash: hash.digest('hex') }
}

/** Plain files of a skill; no links, nothing hidden, no keys. null where there are too many. */
async function filesOf(skill: Skill): Promise<Copy['files'] | null> {
  const root = dirname(skill.path)
  const files: Copy['files'] = []
  let total = 0
  const read = async (folder: string, depth: number): Promise<boolean> => {
    for (const entry of (await readdir(folder, { withFileTypes: true })).sort(byName)) {
      const path = join(folder, entry.name)
      const way = relative(root, path)
      if (isSecretPath(way.split(sep))) continue
      if (entry.isDirectory()) {
        if (depth >= DEPTH || !(await read(path, depth + 1))) return false
      } else if (entry.isFile()) {
        total += (await lstat(path)).size
        if (files.length >= FILES_PER_SKILL || total > BYTES_PER_SKILL) return false
        files.push({ way, bytes: await readFile(path) })
      }
    }
    return true
  }
  return (await read(root, 1)) ? files : null
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}

/** What lies there: nothing · what Golem put there, by its hash · something of somebody else's, or a link elsewhere. */
async function stateOf(cwd: string, target: string): Promise<string | null> {
  const found = await lstat(target).catch(() => null)
  if (found === null) return (await leadsOut(cwd, dirname(target))) ? 'theirs' : null
  if (!found.isDirectory() || (await leadsOut(cwd, target))) return 'theirs'
  return await readFile(join(target, MARKER), 'utf8').catch(() => 'theirs')
}

async function leadsOut(cwd: string, folder: string): Promise<boolean> {
  const real = await realpath(folder).catch(() => null)
  if (real === null) return (await lstat(folder).catch(() => null)) !== null
  const way = relative(await realpath(cwd), real)
  return way === '..' || way.startsWith(`..${sep}`)
}

/** Made aside and put in place whole. */
async function swap(target: string, copies: readonly Copy[], hash: string): Promise<void> {
  const made = `${target}.${randomUUID().slice(0, 8)}`
  await mkdir(made, { recursive: true })
  try {
    for (const { skill, files } of copies)
      for (const { way, bytes } of files) {
        const path = join(made, skill.name, way)
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, bytes, { mode: 0o444 })
      }
    // Whoever keeps the folder under version control sees nothing of it.
    await writeFile(join(made, '.gitignore'), '*\n')
    await writeFile(join(made, MARKER), hash)
    await rm(target, { recursive: true, force: true })
    await rename(made, target)
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    throw error
  }
}
