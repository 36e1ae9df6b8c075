import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ENGINES } from '../src/config/engines.js'
import { type JsonSchema, jsonSchema } from '../src/config/json-schema.js'
import { loadConfig } from '../src/config/load.js'
import { PLATFORMS as ALL } from '../src/platforms.js'

const PLATFORMS = Object.fromEntries(Object.entries(ALL).map(([id, { settings }]) => [id, settings]))

function textOf(file: string): string {
  return readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8')
}

function load(text: string, env: Record<string, string> = {}) {
  return loadConfig({ text, env, platforms: PLATFORMS, engines: ENGINES })
}

/** Every key that a schema knows, at any depth. */
function keysOf(schema: JsonSchema): string[] {
  const forms = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const inner = forms.flatMap((form) => (typeof form === 'object' ? keysOf(form) : []))
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, each]) => [key, ...keysOf(each)]),
    ...inner,
  ]
}

describe('golem.yaml.example', () => {
  const example = textOf('golem.yaml.example')

  it('tells editors its schema in the first line', () => {
    expect(example.split('\n')[0]).toBe('# yaml-language-server: $schema=docs/golem.schema.json')
  })

  it('is a configuration that needs no environment', () => {
    expect(load(example).agents.map((agent) => agent.name)).toEqual(['Golem', 'Librarian'])
  })

  it('stays one when every setting that is switched off is switched on', () => {
    const everything = example.replace(/^(\s*)#(?=[^\s#-]|- )/gm, '$1')
    const config = load(everything, {
      GOLEM_TOKEN: 'token',
      REVIEWER_API_KEY: 'key',
      ANTHROPIC_API_KEY: 'key',
      OPENAI_API_KEY: 'key',
      TEAM_TOKEN: 'token',
      DISCORD_BOT_TOKEN: 'MTQ1.Abc.def',
      FEISHU_APP_ID: 'cli_a1b2c3d4e5f60718',
      FEISHU_APP_SECRET: 'secret',
      FEISHU_ENCRYPT_KEY: 'key',
      FEISHU_VERIFICATION_TOKEN: 'token',
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_APP_TOKEN: 'xapp-1',
      SLACK_SIGNING_SECRET: 'secret',
      TELEGRAM_BOT_TOKEN: '123456789:AAE',
      TELEGRAM_WEBHOOK_SECRET: 'secret',
    })
    expect(config.agents.map((agent) => agent.name)).toEqual([
      'Golem',
      'Librarian',
      'Thinker',
      'Reviewer',
      'Coder',
      'Claude',
    ])
    expect(config.gateway.token).toBe('token')
    expect(config.rooms['local:lobby']).toMatchObject({ groupPolicy: 'smart' })
  })

  it('shows the defaults', () => {
    const { groupChat, gateway, agentConcurrency, turnLimitMs, dataDir, memoryDir, skillsDir } = load(example)
    const defaults = load('{}')
    expect({ groupChat, gateway, agentConcurrency, turnLimitMs, dataDir, memoryDir, skillsDir }).toEqual({
      groupChat: defaults.groupChat,
      gateway: defaults.gateway,
      agentConcurrency: defaults.agentConcurrency,
      turnLimitMs: defaults.turnLimitMs,
      dataDir: defaults.dataDir,
      memoryDir: defaults.memoryDir,
      skillsDir: defaults.skillsDir,
    })
  })

  it.each([...new Set(keysOf(jsonSchema(PLATFORMS, ENGINES)))])('documents %s', (key) => {
    expect(example).toMatch(new RegExp(`(^|[\\s#{,([])${key}\\b`, 'm'))
  })
})

describe('golem.demo.yaml', () => {
  it('is a team that needs no key and no network', () => {
    const config = load(textOf('golem.demo.yaml'))
    expect(config.agents.map(({ name, orchestrator, engine }) => [name, orchestrator, engine.id])).toEqual([
      ['Golem', true, 'offline'],
      ['Librarian', false, 'offline'],
      ['Scribe', false, 'offline'],
    ])
    expect(config.connections.map((each) => each.connection)).toEqual(['local'])
  })
})
