/** Options of the built-in engines, as they stand beside `engine:` in golem.yaml. */
import { z } from 'zod'
import type { Effects } from '../messaging/roster.js'
import { duration } from './duration.js'
import { AI_EFFECTS, aiOptions } from './engine-ai.js'

const MINUTE = 60_000

/** Bytes a program may write in one turn, as the engine itself has it. */
export const OUTPUT_LIMIT = 4_000_000

export const offlineOptions = z.strictObject({}).meta({
  description:
    'The embedded agent: no network, no key, no language model. It answers from skills, group memory and the transcript by full-text search and quotes its source.',
})

export const commandOptions = z
  .strictObject({
    command: z
      .array(z.string().min(1))
      .min(1)
      .meta({
        description:
          'The program and its arguments. It is started directly, without a shell. Entries that begin with `./`, `../` or `~/` are paths, relative to the folder of golem.yaml.',
        examples: [['node', './agents/reviewer.mjs']],
      }),
    env: z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a name of letters, digits and _'),
        z.string(),
      )
      .default({})
      .meta({
        description:
          'Environment variables for the program, added to a minimal environment that holds no platform token.',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
        examples: [{ API_KEY: '${REVIEWER_API_KEY}' }],
      }),
    effects: z.enum(['none', 'unknown']).default('unknown').meta({
      description:
        'What a run that was cut off may have done. `none`: it may simply be run again. `unknown`: it is not run again by itself; the chat gets a Retry button.',
    }),
    turnLimit: duration('m', MINUTE, 1_440 * MINUTE)
      .optional()
      .meta({
        description: 'Work one turn of this agent may take, instead of the general `turnLimit`.',
        examples: [15],
      }),
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
} satisfies EngineSchemas

/** An agent's engine and its options, told apart by `id`. */
export type EngineChoice<E extends EngineSchemas = typeof ENGINES> = {
  [Id in keyof E & string]: { id: Id; options: z.output<E[Id]> }
}[keyof E & string]

/** What a built-in engine says about a run that was cut off. */
export function effectsOf(engine: EngineChoice): Effects {
  if (engine.id === 'ai') return AI_EFFECTS
  return engine.id === 'command' ? engine.options.effects : 'none'
}
