import type { EngineFactory } from '../../roster.js'
import { createAi } from './ai.js'
import { schema } from './settings.js'

/** Engine `ai` for `createRunner`. */
export const aiEngine: EngineFactory = {
  program: false,
  folderless: true,
  create(agent, { clock, environment }) {
    const parsed = schema.safeParse(agent.engine.options)
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      throw new Error(
        `The agent ${agent.name} cannot be run by engine ai (${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong'}): give it model: provider/model.`,
      )
    }
    return createAi(parsed.data, { clock, environment })
  },
}
