import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { parseEntries, type SkillEntry } from './entries.js'

/** What an agent knows beyond its model: a folder with a `SKILL.md`. */
export interface Skill {
  name: string
  /** When to use it, in one or two sentences. Agents choose by it. */
  description: string
  /** Markdown without the front matter. */
  body: string
  /** Absolute path of the `SKILL.md`. */
  path: string
  /** Passages for full-text search. Empty where the skill teaches agents only (`audience: agents`). */
  entries: readonly SkillEntry[]
  /** Ships with Golem. */
  builtIn: boolean
}

/** A skill that cannot be loaded. `message` names the file, the line where there is one, and the cure. */
export class SkillError extends Error {
  override readonly name = 'SkillError'
}

export interface SkillFolders {
  /** Absolute folder of the skills that ship with Golem. */
  builtIn: string
  /** Absolute folder of a team's own skills; one of the same name replaces a built-in one. */
  own?: {
    path: string
    /** Written in golem.yaml: then it must exist. A default folder need not. */
    configured: boolean
  }
}

const FILE = 'SKILL.md'
const FILE_BYTES = 1024 * 1024
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u
const DESCRIPTION_CHARACTERS = 1_024

/**
 * All skills, sorted by name. Folders without a `SKILL.md` are no skills and are passed over.
 *
 * @throws SkillError for a folder that is missing and a file that is none of its kind
 */
export async function loadSkills(folders: SkillFolders): Promise<Skill[]> {
  const byName = new Map<string, Skill>()
  for (const skill of await loadFolder(folders.builtIn, true, true)) byName.set(skill.name, skill)
  if (folders.own) {
    const seen = new Map<string, string>()
    for (const skill of await loadFolder(folders.own.path, folders.own.configured, false)) {
      const other = seen.get(skill.name)
      if (other !== undefined) {
        throw new SkillError(
          `Two skills are called "${skill.name}": ${other} and ${skill.path}. Rename one of them.`,
        )
      }
      seen.set(skill.name, skill.path)
      byName.set(skill.name, skill)
    }
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function loadFolder(folder: string, required: boolean, builtIn: boolean): Promise<Skill[]> {
  let names: string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    if (code === 'ENOENT' && !required) return []
    if (code === 'ENOENT') {
      throw new SkillError(
        builtIn
          ? `The built-in skills are missing: there is no folder ${folder}. Install Golem again.`
          : `The skills folder ${folder} does not exist: make it, or correct skillsDir in golem.yaml.`,
      )
    }
    throw new SkillError(
      `The skills folder ${folder} cannot be read (${code}): check that it is a folder Golem may read.`,
    )
  }
  const skills: Skill[] = []
  for (const name of names.sort()) {
    if (name.startsWith('.')) continue
    const path = join(folder, name, FILE)
    const text = await readText(path)
    if (text !== null) skills.push(parseSkill(text, path, builtIn))
    else await refuseMisnamed(join(folder, name))
  }
  return skills
}

/**
 * The skill of one folder.
 *
 * @param folder absolute
 * @throws SkillError when it holds none, or one that cannot be read
 */
export async function readSkill(folder: string): Promise<Skill> {
  const path = join(folder, FILE)
  const text = await readText(path)
  if (text !== null) return parseSkill(text, path, false)
  await refuseMisnamed(folder)
  throw new SkillError(`There is no skill in ${folder}: it has no file ${FILE}.`)
}

/** `skill.md` would be passed over in silence. */
async function refuseMisnamed(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  const meant = names.find((name) => name !== FILE && name.toUpperCase() === FILE.toUpperCase())
  if (meant !== undefined) throw new SkillError(`${join(folder, meant)} must be called ${FILE}: rename it.`)
}

/** The file's text; null where there is none. */
async function readText(path: string): Promise<string | null> {
  try {
    const info = await stat(path)
    if (!info.isFile()) throw new SkillError(`${path} is not a file: put the skill's text there.`)
    if (info.size > FILE_BYTES) {
      throw new SkillError(
        `${path} has ${info.size} bytes; a skill has at most ${FILE_BYTES}: split it into several.`,
      )
    }
    const file = await open(path)
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile())
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof SkillError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (error instanceof TypeError) throw new SkillError(`${path} is not UTF-8 text: save it as UTF-8.`)
    throw new SkillError(`${path} cannot be read (${code}): check that Golem may read it.`)
  }
}

/**
 * A `SKILL.md`: YAML front matter between two lines of `---`, then Markdown.
 *
 * @throws SkillError naming the file and the line
 */
export function parseSkill(text: string, path: string, builtIn: boolean): Skill {
  const fail = (line: number, what: string): never => {
    throw new SkillError(`${path}:${line}: ${what}`)
  }
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (lines[0]?.trimEnd() !== '---') {
    fail(1, 'a skill begins with a line of ---, then name: and description:, then another line of ---.')
  }
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line))
  if (end < 0) fail(1, 'the front matter has no end: close it with a line of ---.')

  const counter = new LineCounter()
  const document = parseDocument(lines.slice(1, end).join('\n'), { lineCounter: counter })
  const problem = document.errors[0]
  // The front matter begins on the file's second line.
  if (problem) {
    fail(
      counter.linePos(problem.pos[0]).line + 1,
      `the front matter is no YAML: ${problem.message.split('\n')[0]}`,
    )
  }
  const fields: unknown = document.toJS()
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    return fail(2, 'the front matter must hold name: and description:.')
  }
  const lineOf = (key: string): number => {
    const at = lines.findIndex((line, index) => index > 0 && index < end && line.startsWith(`${key}:`))
    return at < 0 ? 1 : at + 1
  }
  const field = (key: string): string => {
    const value: unknown = Reflect.get(fields, key)
    if (value === undefined || value === null)
      return fail(lineOf(key), `the front matter has no ${key}: add "${key}: …".`)
    if (typeof value !== 'string') return fail(lineOf(key), `${key} must be text: put it in quotes.`)
    return value.replace(/\s+/g, ' ').trim()
  }
  const name = field('name')
  if (!NAME.test(name)) {
    fail(
      lineOf('name'),
      `name ${JSON.stringify(name.slice(0, 80))} may hold letters, digits, ".", "_" and "-", at most 64.`,
    )
  }
  const description = field('description')
  if (description === '' || description.length > DESCRIPTION_CHARACTERS) {
    fail(lineOf('description'), `description must have 1 to ${DESCRIPTION_CHARACTERS} characters.`)
  }
  const audience: unknown = Reflect.get(fields, 'audience')
  if (audience !== undefined && audience !== 'agents' && audience !== 'everyone') {
    fail(lineOf('audience'), 'audience is "agents" (it teaches agents only) or "everyone".')
  }
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim()
  const offset = lines.slice(end + 1).findIndex((line) => line.trim() !== '')
  const entries = audience === 'agents' ? [] : parseEntries(body, end + 2 + Math.max(offset, 0))
  return { name, description, body, path, entries, builtIn }
}
