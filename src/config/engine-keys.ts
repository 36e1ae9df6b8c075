/** Keys that several engines share. */
import { z } from 'zod'
import { duration } from './duration.js'

const MINUTE = 60_000

export const turnLimit = duration('m', MINUTE, 1_440 * MINUTE)
  .optional()
  .meta({
    description: 'Work one turn of this agent may take, instead of the general `turnLimit`.',
    examples: [15],
  })

/** What goes into a header as it is: no key holds a blank, and a line break at its end was copied along. */
const KEY = /^[\x21-\x7e]+$/

/** The key of a model's provider. */
export const providerKey = z
  .string()
  .regex(KEY, 'must be printable ASCII without blanks or line breaks; one at its end is often copied along')

/**
 * Whether the environment has the provider's key, and as one that a header takes.
 *
 * @param variables where it is looked for, the first that is set counts
 * @param where the key of golem.yaml that would hold it instead; null: it can do without one
 * @returns a sentence with the cure; null: it is there
 */
export function keyProblem(
  provider: string,
  variables: readonly string[],
  where: string | null,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const set = variables.find((name) => (env[name] ?? '') !== '')
  if (set === undefined)
    return where === null
      ? null
      : `${provider} needs a key. Set ${variables.join(' or ')} in the environment, or write ${where}: \${NAME}.`
  if (KEY.test(env[set] ?? '')) return null
  return `the key in ${set} holds a blank, a line break or another character that no key has. Set ${set} again, without what was copied along.`
}

/** @param what stands in front of the rules that hold for every program */
export function programCommand(what: string, example: readonly string[]) {
  return z
    .array(z.string().min(1))
    .min(1)
    .meta({
      description: `${what} It is started directly, without a shell. Entries that begin with \`./\`, \`../\` or \`~/\` are paths, relative to the folder of golem.yaml.`,
      examples: [example],
    })
}

/** @param variable an example's name of one */
export function programEnv(variable: string) {
  return z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a name of letters, digits and _'),
      z.string(),
    )
    .default({})
    .meta({
      description:
        'Environment variables for the program, added to a minimal environment that holds no platform token.',
      examples: [{ API_KEY: `\${${variable}}` }],
    })
}
