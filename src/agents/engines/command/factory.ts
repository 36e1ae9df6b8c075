import { z } from 'zod'
import type { EngineFactory } from '../../roster.js'
import { createCommand } from '../command.js'

const schema = z.object({
  command: z.array(z.string()).min(1),
  env: z.record(z.string(), z.string()).optional(),
  effects: z.enum(['none', 'unknown']).optional(),
  outputLimit: z.number().int().positive().optional(),
  persistent: z.boolean().optional(),
})

/** Engine `command` for `createRunner`. */
export const commandEngine: EngineFactory = {
  program: true,
  create(agent, deps) {
    const parsed = schema.safeParse(agent.engine.options)
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      throw new Error(
        `The agent ${agent.name} cannot be run by engine command (${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong'}): give it command: [program, argument, …].`,
      )
    }
    return createCommand(parsed.data, deps)
  },
}
