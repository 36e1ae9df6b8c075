import { z } from 'zod'
import { page } from '../../memory/digest.js'
import { MemoryError, type MemoryErrorCode } from '../../memory/error.js'
import { ToolError } from '../../messaging/engine.js'
import { defineTool } from './tool.js'

/** What the agent may do otherwise; everything else is for the person who runs Golem. */
const CORRECTABLE: readonly MemoryErrorCode[] = ['section', 'too-long', 'empty', 'full', 'busy']

async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof MemoryError && CORRECTABLE.includes(error.code)) {
      throw new ToolError(error.message, { cause: error })
    }
    throw error
  }
}

export const memoryRead = defineTool({
  name: 'memory_read',
  description:
    "Read this chat's memory: its members, its context, its decisions. A long one comes in parts: pass `next` as `from_line` to go on.",
  args: z.strictObject({
    from_line: z.number().int().min(1).default(1).describe('the line to begin with; the first is 1'),
  }),
  writes: false,
  async run({ from_line: from }, { memory, turn }) {
    const { text } = await told(memory.read(turn.chatKey))
    const part = page(text, from)
    return { result: part, note: `${part.text.length} of ${text.length} characters` }
  },
})

export const memoryRemember = defineTool({
  name: 'memory_remember',
  description:
    "Add one line to this chat's memory, for every later turn here. Only what the people of this chat want kept; never a secret, a password or a token.",
  args: z.strictObject({
    section: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .default('context')
      .describe(
        'members (who is who), context (what the project is), decisions (what was decided; dated by itself)',
      ),
    line: z.string().trim().min(1).max(4_000).describe('one sentence'),
  }),
  writes: true,
  async run(args, { memory, turn }) {
    const { changed, section, line, note } = await told(
      memory.remember(turn.chatKey, args.section, args.line),
    )
    return {
      result: {
        status: changed ? 'remembered' : 'known already',
        section,
        line,
        ...(note === undefined ? {} : { note }),
      },
      note: `${changed ? 'one line in' : 'known already in'} ${section}${note === undefined ? '' : `; ${note}`}`,
    }
  },
})

export const memoryForget = defineTool({
  name: 'memory_forget',
  description:
    "Remove one line from this chat's memory. Name it as it stands there, or by words that only it has.",
  args: z.strictObject({ line: z.string().trim().min(1).max(4_000).describe('the line, or words of it') }),
  writes: true,
  async run(args, { memory, turn }) {
    const { removed, candidates } = await told(memory.forget(turn.chatKey, args.line))
    if (candidates.length > 0) {
      throw new ToolError(
        `Nothing was removed: several lines fit. Name one of them as it stands: ${candidates.map((line) => JSON.stringify(line)).join(', ')}`,
      )
    }
    if (removed.length === 0) {
      throw new ToolError(
        'Nothing was removed: no line of the memory says this. Look with memory_read first.',
      )
    }
    return { result: { status: 'forgotten', removed }, note: `${removed.length} removed` }
  },
})
