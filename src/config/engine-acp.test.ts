// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
import { describe, expect, it } from 'vitest'
import { effectsOf } from './engines.js'
import { formatProblem } from './errors.js'
import { load, problemsOf } from './harness.fixture.js'

const agentOf = (yaml: string, env = {}) => {
  const [agent] = load(yaml, env).agents
  if (agent === undefined) throw new Error('no agent')
  return agent
}

describe('engine: acp', () => {
  it('needs a command; the rest has defaults, and paths are whole', () => {
    const { engine } = agentOf('engine: acp\ncommand: [./agents/mine, acp]\n')
    expect(engine).toEqual({
      id: 'acp',
      options: {
        command: ['/etc/golem/agents/mine', 'acp'],
        env: {},
        models: [],
        permissions: 'ask',
        pool: { max: 4, idle: 600_000 },
      },
    })
    expect(effectsOf(engine)).toBe('unknown')
  })

  it('takes permissions for all, or by kind', () => {
    const { engine } = agentOf('engine: acp\ncommand: [a]\npermissions: { read: allow, execute: deny }\n')
    expect(engine.options).toMatchObject({
      permissions: { read: 'allow', edit: 'ask', execute: 'deny', fetch: 'ask', other: 'ask' },
    })
  })

  it.each([
    ['engine: acp\n', '1:1: command is missing.'],
    ['engine: acp\ncommand: a\n', '2:10: command must be a list, but it is text. Write [a, b]'],
    [
      'engine: acp\ncommand: [a]\npermissions: always\n',
      '3:14: permissions must be ask, allow, deny or a mapping (key: value), but it is text.',
    ],
    [
      'engine: acp\ncommand: [a]\npermissions: { write: allow }\n',
      '3:16: permissions.write is not a known key. Known here: read, edit, execute, fetch, other.',
    ],
    [
      'engine: acp\ncommand: [a]\npool: { max: 1000 }\n',
      '3:14: pool.max must be 64 or less, but it is 1000.',
    ],
    ['engine: acp\ncommand: [a]\npool: { idle: soon }\n', '3:15: pool.idle must be a length of time'],
    [
      'engine: acp\ncommand: [a]\nskipPermissions: true\n',
      '3:1: skipPermissions is not a known key. It belongs to the engines claude-code, codex, opencode, gemini, cursor.',
    ],
  ])('%j', (yaml, says) => {
    const problems = problemsOf(yaml).map(formatProblem)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(`golem.yaml:${says}`)
  })
})

describe('coding agents by name', () => {
  it.each(['claude-code', 'codex', 'opencode', 'gemini', 'cursor'])('%s needs nothing else', (id) => {
    const { engine, turnLimitMs } = agentOf(`name: bot\nengine: ${id}\n`)
    expect(engine.id).toBe(id)
    expect(effectsOf(engine)).toBe('unknown')
    expect(turnLimitMs).toBe(300_000)
  })

  it('takes the keys of a one-agent file that people bring along', () => {
    const { engine, turnLimitMs } = agentOf(
      'name: bot\nengine: claude-code\nmodel: opus\nskipPermissions: true\ntimeout: 600\nsystemPrompt: Be kind.\n',
    )
    expect(engine.options).toMatchObject({ model: 'opus', skipPermissions: true, systemPrompt: 'Be kind.' })
    expect(turnLimitMs).toBe(600_000)
  })

  it('keeps the keys that an agent is given from the environment out of sight', () => {
    const env = {
      ANTHROPIC_API_KEY: 'sk-of-claude',
      OPENAI_API_KEY: 'sk-of-codex',
      ANTHROPIC_BASE_URL: 'http://x',
    }
    expect([...load('name: bot\nengine: claude-code\n', env).secrets]).toEqual(['sk-of-claude'])
    expect([...load('name: bot\nengine: offline\n', env).secrets]).toEqual([])
  })
})
