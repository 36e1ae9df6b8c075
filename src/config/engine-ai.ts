/** Options of engine `ai`, and what no schema of a single key can see of them: providers without an address or a key. */
import { z } from 'zod'
import type { Effects } from '../messaging/roster.js'
import { duration } from './duration.js'
import { keyProblem, providerKey } from './engine-keys.js'
import type { Environment } from './env.js'
import { type Finding, type Path, showPath } from './errors.js'
import { listOf, type Mapping, mappingOf } from './shape.js'
import { nearest } from './suggest.js'

const MINUTE = 60_000

/** Providers that need no address, with the environment variables that hold their key; the first that is set counts. */
export const PROVIDER_KEYS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
}
/** Any server that speaks OpenAI's chat protocol; needs `baseUrl`. */
const COMPATIBLE = 'openai-compatible'
const PROVIDERS = [...Object.keys(PROVIDER_KEYS), COMPATIBLE]

const model = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]*\/[^\s/]\S*$/, 'must be provider/model, e.g. anthropic/claude-sonnet-4-5')

const baseUrl = z
  .string()
  .regex(
    /^https?:\/\/[^\s/@?#]+(?:\/[^\s?#]*)?$/i,
    'must be an http or https address, without a user, a query or blanks',
  )
  .meta({
    description:
      'Address of the provider, up to the version, e.g. of a local server or a relay. `openai-compatible` needs it.',
    examples: ['http://127.0.0.1:11434/v1'],
  })
const apiKey = providerKey.meta({
  description:
    "Key of the provider. Default: the provider's usual environment variable (`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GOOGLE_GENERATIVE_AI_API_KEY` or `GEMINI_API_KEY`). A server of your own may need none.",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
  examples: ['${ANTHROPIC_API_KEY}'],
})
const headers = z
  .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of a header'), z.string())
  .meta({
    description: 'Further headers of each request. Their values are kept secret.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
    examples: [{ 'X-Team': '${TEAM_TOKEN}' }],
  })

const price = z.number().min(0).max(100_000)
const MODELS = 'Each is provider/model.'

export const aiOptions = z
  .strictObject({
    model: model.meta({
      description:
        'The model, as provider/model. Providers: `anthropic`, `openai`, `google`, `openai-compatible`, and the names under `providers`.',
      examples: ['anthropic/claude-sonnet-4-5', 'openai-compatible/qwen3:8b'],
    }),
    fallback: z
      .array(model)
      .max(5)
      .default([])
      .meta({
        description: `Models that are tried, in this order, when one cannot be had. ${MODELS}`,
        examples: [['openai/gpt-5-mini']],
      }),
    models: z
      .array(model)
      .max(50)
      .default([])
      .meta({
        description: `Models that people with the right may switch to in a chat. ${MODELS}`,
        examples: [['anthropic/claude-haiku-4-5']],
      }),
    apiKey: apiKey.optional(),
    baseUrl: baseUrl.optional(),
    headers: headers.default({}),
    providers: z
      .record(
        z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, 'must be a name of small letters, digits, _ and -'),
        z.strictObject({
          baseUrl: baseUrl.optional(),
          apiKey: apiKey.optional(),
          headers: headers.default({}),
        }),
      )
      .default({})
      .meta({
        description:
          'Address, key and headers of other providers than that of `model`, by name. A name of your own is a server that speaks OpenAI’s chat protocol.',
        examples: [{ ollama: { baseUrl: 'http://127.0.0.1:11434/v1' } }],
      }),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .optional()
      .meta({ description: "Default: the provider's own. Some models take none." }),
    effort: z.enum(['minimal', 'low', 'medium', 'high']).optional().meta({
      description: "How much a model that reasons should think. Default: the provider's own.",
    }),
    maxSteps: z.int().min(1).max(200).default(20).meta({
      description: 'Requests to the model in one turn. In the last one it has to answer, without tools.',
    }),
    maxOutputTokens: z
      .int()
      .min(16)
      .max(1_000_000)
      .optional()
      .meta({ description: "Most tokens of one reply. Default: the provider's own." }),
    contextTokens: z
      .int()
      .min(1_000)
      .max(10_000_000)
      .optional()
      .meta({
        description:
          'Most tokens that a prompt may have, by estimate. Older lines are left out beyond it. Default: as many as `historyLimit` gives.',
        examples: [32_000],
      }),
    prices: z
      .record(z.string(), z.strictObject({ input: price, output: price, cachedInput: price.optional() }))
      .default({})
      .meta({
        description:
          'Price of a model in USD for a million tokens. Receipts say what a turn cost where there is one.',
        examples: [{ 'anthropic/claude-sonnet-4-5': { input: 3, output: 15, cachedInput: 0.3 } }],
      }),
    providerOptions: z
      .record(z.string(), z.record(z.string(), z.json()))
      .default({})
      .meta({
        description: "Further options of a request in the provider's own words, by provider.",
        examples: [{ openai: { serviceTier: 'flex' } }],
      }),
    proxy: z
      .string()
      .regex(/^https?:\/\/\S+$/i, 'must be the http address of a proxy, e.g. http://proxy.example.com:3128')
      .optional()
      .meta({
        description: 'HTTP proxy for the requests to the providers.',
        examples: ['http://proxy.example.com:3128'],
      }),
    turnLimit: duration('m', MINUTE, 1_440 * MINUTE)
      .optional()
      .meta({
        description: 'Work one turn of this agent may take, instead of the general `turnLimit`.',
        examples: [15],
      }),
  })
  .meta({
    description:
      'Any language model: Anthropic, OpenAI, Google, or a server that speaks OpenAI’s chat protocol. It uses Golem’s tools, sees images, PDF and text files, and reports tokens and cost.',
  })

export type AiOptions = z.output<typeof aiOptions>

/** All that a model does goes through Golem's tools, and is recorded there. */
export const AI_EFFECTS: Effects = 'recorded'

/** The part of `provider/model` before the first slash. */
function providerOf(written: string): string {
  return written.slice(0, written.indexOf('/'))
}

/**
 * Providers that nobody knows, without an address or without a key, and prices of models that are not there.
 *
 * @param origin where a path of `root` stands in the file
 */
export function checkAi(root: Mapping, origin: (path: Path) => Path, env: Environment): Finding[] {
  return listOf(root.agents).flatMap((value, index) => {
    const agent = mappingOf(value)
    if (agent.engine !== 'ai') return []
    const base = ['agents', index]
    return [...checkModels(agent, base, origin, env), ...checkPrices(agent, base, origin)]
  })
}

/** The models of an agent, with their places below it. */
function modelsOf(agent: Mapping): { written: string; path: Path }[] {
  const all = [
    { written: agent.model, path: ['model'] as Path },
    ...['fallback', 'models'].flatMap((key) =>
      listOf(agent[key]).map((written, index) => ({ written, path: [key, index] as Path })),
    ),
  ]
  return all.flatMap(({ written, path }) =>
    typeof written === 'string' && written.indexOf('/') > 0 ? [{ written, path }] : [],
  )
}

function checkModels(agent: Mapping, base: Path, origin: (path: Path) => Path, env: Environment): Finding[] {
  const own = mappingOf(agent.providers)
  const main = typeof agent.model === 'string' ? providerOf(agent.model) : ''
  const seen = new Set<string>()
  return modelsOf(agent).flatMap(({ written, path: below }): Finding[] => {
    const provider = providerOf(written)
    if (seen.has(provider)) return []
    seen.add(provider)
    const path = origin([...base, ...below])
    const say = (rest: string): Finding[] => [{ path, message: `${showPath(path)}: ${rest}` }]
    const settings: Mapping = { ...(provider === main ? agent : {}), ...mappingOf(own[provider]) }
    const known = [...new Set([...PROVIDERS, ...Object.keys(own)])]
    if (!known.includes(provider)) {
      const near = nearest(provider, known)
      const which = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${near}?`
      return say(
        `there is no provider ${provider}. ${which} A server of your own is named under providers, with its baseUrl.`,
      )
    }
    const variables = PROVIDER_KEYS[provider]
    const reached = settings.baseUrl !== undefined
    if (variables === undefined) {
      if (reached) return []
      const where = provider === main ? 'baseUrl' : `providers.${provider}.baseUrl`
      return say(
        `${provider} needs an address. Write ${where}: http://127.0.0.1:11434/v1, or wherever it is.`,
      )
    }
    if (settings.apiKey !== undefined) return []
    // A server of one's own may want none.
    const where = reached ? null : provider === main ? 'apiKey' : `providers.${provider}.apiKey`
    const problem = keyProblem(provider, variables, where, env)
    return problem === null ? [] : say(problem)
  })
}

function checkPrices(agent: Mapping, base: Path, origin: (path: Path) => Path): Finding[] {
  const known = modelsOf(agent).map(({ written }) => written)
  return Object.keys(mappingOf(agent.prices)).flatMap((key): Finding[] => {
    if (known.length === 0 || known.includes(key)) return []
    const path = origin([...base, 'prices', key])
    const near = nearest(key, known)
    const which =
      near === undefined ? `Its models: ${[...new Set(known)].join(', ')}.` : `Did you mean ${near}?`
    const message = `${showPath(path)}: this agent has no such model. ${which}`
    return [{ path, at: 'key', message, ...(near === undefined ? {} : { nearest: near }) }]
  })
}

/** Keys that agents take from the environment by default: secrets, although golem.yaml does not name them. */
export function keysFromEnvironment(root: Mapping, env: Environment): string[] {
  const usesModels = listOf(root.agents).some((agent) => mappingOf(agent).engine === 'ai')
  if (!usesModels && root.transcribe === undefined) return []
  return Object.values(PROVIDER_KEYS)
    .flat()
    .flatMap((name) => env[name] ?? [])
}
