// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
import { describe, expect, it } from 'vitest'
import { effectsOf } from './engines.js'
import { formatProblem } from './errors.js'
import { load, problemsOf } from './harness.fixture.js'

const KEY = { ANTHROPIC_API_KEY: 'anthropic-key-0123456789' }

interface Broken {
  name: string
  yaml: string
  env?: Record<string, string>
  says: string[]
}

const BROKEN: Broken[] = [
  {
    name: 'no model',
    yaml: 'engine: ai\n',
    says: [
      '1:1: model is missing. The model, as provider/model. Providers: `anthropic`, `openai`, `google`, `openai-compatible`, and the names under `providers`.',
    ],
  },
  {
    name: 'a model without a provider',
    yaml: 'engine: ai\nmodel: gpt-5\n',
    says: ['2:8: model must be provider/model, e.g. anthropic/claude-sonnet-4-5.'],
  },
  {
    name: 'a misspelt provider',
    yaml: 'engine: ai\nmodel: antropic/claude-sonnet-4-5\n',
    env: KEY,
    says: [
      '2:8: model: there is no provider antropic. Did you mean anthropic? A server of your own is named under providers, with its baseUrl.',
    ],
  },
  {
    name: 'a provider without a key',
    yaml: 'engine: ai\nmodel: anthropic/claude-sonnet-4-5\n',
    says: [
      '2:8: model: anthropic needs a key. Set ANTHROPIC_API_KEY in the environment, or write apiKey: ${NAME}.',
    ],
  },
  {
    name: 'a fallback without a key, in a list of agents',
    yaml: 'agents:\n  - name: Golem\n    engine: ai\n    model: anthropic/claude-sonnet-4-5\n    fallback: [google/gemini-2.5-flash]\n',
    env: KEY,
    says: [
      '5:16: agents[0].fallback[0]: google needs a key. Set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY in the environment, or write providers.google.apiKey: ${NAME}.',
    ],
  },
  {
    name: 'a key from the environment with a line break',
    yaml: 'engine: ai\nmodel: anthropic/claude-sonnet-4-5\n',
    env: { ANTHROPIC_API_KEY: 'sk-copied\n' },
    says: [
      '2:8: model: the key in ANTHROPIC_API_KEY holds a blank, a line break or another character that no key has. Set ANTHROPIC_API_KEY again, without what was copied along.',
    ],
  },
  {
    name: 'a key of golem.yaml with a blank',
    yaml: 'engine: ai\nmodel: anthropic/claude-sonnet-4-5\napiKey: ${MY_KEY}\n',
    env: { MY_KEY: 'sk copied' },
    says: [
      '3:9: apiKey must be printable ASCII without blanks or line breaks; one at its end is often copied along (it comes from ${MY_KEY}).',
    ],
  },
  {
    name: 'a local server without an address',
    yaml: 'engine: ai\nmodel: openai-compatible/qwen3\n',
    says: [
      '2:8: model: openai-compatible needs an address. Write baseUrl: http://127.0.0.1:11434/v1, or wherever it is.',
    ],
  },
  {
    name: 'an address that is none, or holds a password',
    yaml: 'engine: ai\nmodel: openai-compatible/qwen3\nbaseUrl: http://me:secret@127.0.0.1/v1\n',
    says: ['3:10: baseUrl must be an http or https address, without a user, a query or blanks.'],
  },
  {
    name: 'the price of a model that is not there',
    yaml: 'engine: ai\nmodel: anthropic/claude-sonnet-4-5\nprices:\n  anthropic/claude-sonet-4-5: { input: 3, output: 15 }\n',
    env: KEY,
    says: [
      '4:3: prices["anthropic/claude-sonet-4-5"]: this agent has no such model. Did you mean anthropic/claude-sonnet-4-5?',
    ],
  },
  {
    name: 'a price that is none',
    yaml: 'engine: ai\nmodel: anthropic/claude-sonnet-4-5\nprices: { anthropic/claude-sonnet-4-5: { input: -1, output: 15 } }\n',
    env: KEY,
    says: ['3:49: prices["anthropic/claude-sonnet-4-5"].input must be 0 or more, but it is -1.'],
  },
  {
    name: 'too many steps',
    yaml: 'engine: ai\nmodel: anthropic/claude-sonnet-4-5\nmaxSteps: 1000\n',
    env: KEY,
    says: ['3:11: maxSteps must be 200 or less, but it is 1000.'],
  },
]

describe('engine ai in golem.yaml', () => {
  it.each(BROKEN)('$name', ({ yaml, env, says }) => {
    const problems = problemsOf(yaml, env)
    expect(problems.map((problem) => formatProblem(problem).replace('golem.yaml:', ''))).toEqual(says)
  })

  it('is one line for a provider whose key is in the environment, and the key is a secret', () => {
    const config = load('engine: ai\nmodel: anthropic/claude-sonnet-4-5\n', KEY)
    expect(config.agents[0]?.engine).toMatchObject({
      id: 'ai',
      options: { model: 'anthropic/claude-sonnet-4-5', fallback: [], models: [], maxSteps: 20 },
    })
    expect([...config.secrets]).toContain(KEY.ANTHROPIC_API_KEY)
    expect(config.agents[0] === undefined ? '' : effectsOf(config.agents[0].engine)).toBe('recorded')
  })

  it('needs no key for a server of one’s own', () => {
    const config = load(
      'engine: ai\nmodel: ollama/qwen3:8b\nproviders: { ollama: { baseUrl: "http://127.0.0.1:11434/v1" } }\n',
    )
    expect(config.agents[0]?.engine.id).toBe('ai')
    load('engine: ai\nmodel: openai-compatible/org/model\nbaseUrl: http://127.0.0.1:8080/v1\n')
  })

  it('that may do without a key is still told of one that no header takes', () => {
    const yaml = 'engine: ai\nmodel: openai/gpt-5\nbaseUrl: http://127.0.0.1:8080/v1\n'
    expect(() => load(yaml, { OPENAI_API_KEY: 'copied\nalong' })).toThrow('the key in OPENAI_API_KEY holds')
    load(yaml, { OPENAI_API_KEY: 'whole' })
    load(yaml)
  })

  it('keeps keys and headers secret, wherever they stand, and models readable', () => {
    const config = load(
      'engine: ai\nmodel: ${MODEL}\napiKey: ${MY_KEY}\nheaders: { X-Team: team-value-1 }\nproviders: { openai: { apiKey: written-key-2 } }\n',
      { MODEL: 'anthropic/claude-sonnet-4-5', MY_KEY: 'my-own-key-3' },
    )
    expect([...config.secrets].sort()).toEqual(['my-own-key-3', 'team-value-1', 'written-key-2'])
  })

  it('takes no secret from the environment where no agent uses a model', () => {
    expect(load('name: golem\n', KEY).secrets.size).toBe(0)
  })
})
