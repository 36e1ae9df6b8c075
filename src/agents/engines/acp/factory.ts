import { join } from 'node:path'
import { loggable } from '../../loggable.js'
import type { EngineFactory } from '../../roster.js'
import { createAcp } from './acp.js'
import { installed, type Preset } from './program.js'
import { schema } from './settings.js'

/** Engine `acp` for `createRunner`, or a coding agent that is known by name. */
export function acpEngine(known?: { id: string; preset: Preset }): EngineFactory {
  return {
    program: true,
    create(agent, { clock, log, mark, environment, dataDir }) {
      const parsed = schema.safeParse(agent.engine.options)
      const id = known?.id ?? 'acp'
      if (!parsed.success || (known === undefined && parsed.data.command === undefined)) {
        const issue = parsed.error?.issues[0]
        throw new Error(
          `The agent ${agent.name} cannot be run by engine ${id} (${issue?.path.join('.') ?? 'command'}: ${issue?.message ?? 'missing'}): give it command: [program, argument, …].`,
        )
      }
      // Said at the start, which it does not hold up; each turn looks again, for it may be installed by then.
      if (known !== undefined && parsed.data.command === undefined)
        void installed(known.preset, environment).catch((error: unknown) =>
          log.warn({ agent: agent.name, ...loggable(error) }, 'this agent cannot be started'),
        )
      const folder = join(dataDir, 'sessions')
      return createAcp(parsed.data, { agent: agent.name, clock, log, mark, environment, folder }, known)
    },
  }
}

/** One factory for each coding agent that is known by name. */
export function presetEngines(presets: Readonly<Record<string, Preset>>): Record<string, EngineFactory> {
  return Object.fromEntries(Object.entries(presets).map(([id, preset]) => [id, acpEngine({ id, preset })]))
}
