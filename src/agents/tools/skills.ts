import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { z } from 'zod'
import { ToolError } from '../../messaging/engine.js'
import { safeLine } from '../../messaging/text/index.js'
import { isSecretPath } from '../files/names.js'
import { defineTool } from './tool.js'

/** A page of a skill, in characters. */
const PAGE = 30_000
const FILE_BYTES = 1_000_000

export const skillRead = defineTool({
  name: 'skill_read',
  description:
    'Read one of the skills that are listed in your instructions, when it fits the work. A skill may name further files of its own: read them by file.',
  args: z.strictObject({
    name: z.string().trim().min(1).max(64).describe('name of the skill'),
    file: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .default('SKILL.md')
      .describe('a file of the skill, as it names it'),
    from: z.number().int().min(0).default(0).describe('where to go on in a long one: next of the last page'),
  }),
  writes: false,
  // A program is shown where they lie, and reads them itself.
  offered: ({ skills = [] }) => skills.length > 0,
  async run({ name, file, from }, { skills = [] }) {
    const skill = skills.find((one) => one.name === name)
    if (skill === undefined)
      throw new ToolError(
        `There is no skill ${safeLine(name, 60)}. There are: ${skills.map((one) => one.name).join(', ')}.`,
      )
    const text = await readOf(dirname(skill.path), file)
    const page = text.slice(from, from + PAGE)
    const next = from + page.length
    return {
      result: { name, file, text: page, ...(next < text.length ? { next } : {}) },
      note: file === 'SKILL.md' ? name : `${name}: ${safeLine(file, 100)}`,
    }
  },
})

async function readOf(folder: string, file: string): Promise<string> {
  const root = await realpath(folder).catch(() => folder)
  const path = await realpath(join(root, file)).catch(() => null)
  const way = path === null ? '..' : relative(root, path)
  const outside = isAbsolute(way) || way === '' || way.split(sep)[0] === '..'
  const found = path === null || outside || isSecretPath(way.split(sep)) ? null : await stat(path)
  if (path === null || found === null || !found.isFile() || found.size > FILE_BYTES)
    throw new ToolError(`The skill has no file ${safeLine(file, 100)} that can be read.`)
  return readFile(path, 'utf8')
}
