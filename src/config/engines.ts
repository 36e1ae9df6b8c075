/** Options of the built-in engines, as they stand beside `engine:` in golem.yaml. */
import { z } from 'zod'
import type { Effects } from '../messaging/roster.js'
import { ACP_EFFECTS, acpOptions, presetEngines } from './engine-acp.js'
import { AI_EFFECTS, aiOptions } from './engine-ai.js'
import { programCommand, programEnv, turnLimit } from './engine-keys.js'

/** Bytes a program may write in one turn, as the engine itself has it. */
export const OUTPUT_LIMIT = 4_000_000

export const offlineOptions = z.strictObject({}).meta({
  description:
    'The embedded agent: no network, no key, no language model. It answers from skills, group memory and the transcript by full-text search and quotes its source.',
})

export const commandOptions = z
  .strictObject({
    command: programCommand('The program and its arguments.', ['node', './agents/reviewer.mjs']),
    env: programEnv('REVIEWER_API_KEY'),
    effects: z.enum(['none', 'unknown']).default('unknown').meta({
      description:
        'What a run that was cut off may have done. `none`: it may simply be run again. `unknown`: it is not run again by itself; the chat gets a Retry button.',
    }),
    turnLimit,
    outputLimit: z
      .int()
      .min(1_024)
      .max(1_073_741_824)
      .default(OUTPUT_LIMIT)
      .meta({ description: 'Bytes the program may write in one turn; beyond it the turn fails.' }),
    persistent: z
      .boolean()
      .default(false)
      .meta({ description: 'Keep one process for many turns instead of starting one for each turn.' }),
  })
  .meta({
    description:
      'Any program that speaks the command protocol: one JSON line in on standard input, JSON lines out on standard output.',
  })

/** `turnLimit` is in milliseconds. */
export type CommandOptions = z.output<typeof commandOptions>
export type OfflineOptions = z.output<typeof offlineOptions>

/** What engines take, by engine id. Each is a strict object; its keys stand beside `engine:`. */
export type EngineSchemas = Readonly<Record<string, z.ZodObject>>

export const ENGINES = {
  offline: offlineOptions,
  command: commandOptions,
  ai: aiOptions,
  acp: acpOptions,
  ...presetEngines,
} satisfies EngineSchemas

/** An agent's engine and its options, told apart by `id`. */
export type EngineChoice<E extends EngineSchemas = typeof ENGINES> = {
  [Id in keyof E & string]: { id: Id; options: z.output<E[Id]> }
}[keyof E & string]

/** What a built-in engine says about a run that was cut off. */
export function effectsOf(engine: EngineChoice): Effects {
  switch (engine.id) {
    case 'offline':
      return 'none'
    case 'command':
      return engine.options.effects
    case 'ai':
      return AI_EFFECTS
    default:
      return ACP_EFFECTS
  }
}
