// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
import { describe, expect, it } from 'vitest'
import { load, problemsOf } from './harness.fixture.js'

describe('defaults', () => {
  const config = load('name: golem\n')

  it('need nothing but a name', () => {
    expect(config).toMatchObject({
      file: '/etc/golem/golem.yaml',
      folder: '/etc/golem',
      name: 'golem',
      language: 'en',
      gateway: { host: '127.0.0.1', port: 3000, token: null },
      rooms: {},
      agentConcurrency: 8,
      turnLimitMs: 300_000,
      dataDir: '/etc/golem/.golem',
      memoryDir: '/etc/golem/memory',
      skillsDir: '/etc/golem/skills',
    })
    expect(config.groupChat).toEqual({
      groupPolicy: 'mention-only',
      historyLimit: 20,
      maxTurns: 10,
      sessionScope: 'auto',
      threadFollowUps: 'one-person',
      reply: 'quote',
      answer: 'new',
      smartGate: 'off',
      respondToEveryone: false,
      cjkNames: 'strict',
      coalesceWindowMs: 120_000,
      debounceMs: 1_500,
    })
  })

  it('are one offline agent of that name, in the local rooms', () => {
    expect(config.agents).toEqual([
      {
        name: 'golem',
        role: '',
        aliases: [],
        orchestrator: true,
        archived: false,
        hidden: false,
        engine: { id: 'offline', options: {} },
        turnLimitMs: 300_000,
      },
    ])
    expect(config.connections).toEqual([
      { connection: 'local', platform: 'local', settings: { rooms: ['lobby'] }, access: {} },
    ])
  })

  it('stand for sections whose keys are all comments', () => {
    const empty = load('name: golem\ngroupChat:\nchannels:\n  local:\ngateway:\nrooms:\n  "*":\nagents:\n')
    expect({ ...empty, rooms: {} }).toEqual(config)
    expect(load('\uFEFF{}').agents[0]?.name).toBe('Golem')
  })
})

describe('agents', () => {
  it('stand at the top when there is one', () => {
    const { agents } = load(
      'name: Scout\nrole: helper\naliases: [S]\nengine: command\ncommand: [a]\nturnLimit: 2\n',
    )
    expect(agents).toMatchObject([
      { name: 'Scout', role: 'helper', aliases: ['S'], orchestrator: true, turnLimitMs: 120_000 },
    ])
    expect(agents[0]?.engine).toEqual({
      id: 'command',
      options: { command: ['a'], env: {}, effects: 'unknown', outputLimit: 4_000_000, persistent: false },
    })
  })

  const chiefs = (...agents: string[]) =>
    load(`agents: [${agents.map((agent) => `{ engine: offline, ${agent} }`).join(', ')}]`)
      .agents.filter((agent) => agent.orchestrator)
      .map((agent) => agent.name)

  it('have exactly one orchestrator', () => {
    expect(chiefs('name: A', 'name: B')).toEqual(['A'])
    expect(chiefs('name: A', 'name: B, role: Orchestrator', 'name: C, role: orchestrator')).toEqual(['B'])
    expect(chiefs('name: A, archived: true', 'name: B')).toEqual(['B'])
    expect(chiefs('name: A', 'name: B, role: orchestrator, archived: true')).toEqual(['A'])
  })

  it('take their own turn limit before the general one', () => {
    const { agents } = load(
      'turnLimit: 7\nagents: [{ name: A, engine: command, command: [a], turnLimit: 90s }, { name: B, engine: offline }]',
    )
    expect(agents.map((agent) => agent.turnLimitMs)).toEqual([90_000, 420_000])
  })

  it('keep their names in one normal form', () => {
    expect(load('name: Jose\u0301\n').agents[0]?.name).toBe('José')
  })
})

describe('channels', () => {
  const ids = (yaml: string) => load(yaml).connections.map((each) => each.connection)

  it('have local on by default', () => {
    expect(ids('channels: { slack: { botToken: a, appToken: b } }')).toEqual(['local', 'slack'])
    expect(ids('channels: { slack: { botToken: a, appToken: b }, local: false }')).toEqual(['slack'])
    expect(ids('channels: { slack: false }')).toEqual(['local'])
  })

  it('name the first account after the platform and the others after both', () => {
    const { connections } = load(
      'channels:\n  slack:\n    - { id: acme, botToken: a, appToken: b }\n    - { id: labs, botToken: c, appToken: d, deny: { users: [1234567890123456789] } }\n',
    )
    expect(connections.slice(1)).toEqual([
      { connection: 'slack', platform: 'slack', settings: { botToken: 'a', appToken: 'b' }, access: {} },
      {
        connection: 'slack.labs',
        platform: 'slack',
        settings: { botToken: 'c', appToken: 'd' },
        // Longer than a number can hold: taken as it is written.
        access: { deny: { users: ['1234567890123456789'] } },
      },
    ])
  })

  it('may name an empty list of people: that is nobody, not everybody', () => {
    expect(load('channels: { local: { allow: { users: [] } } }').connections[0]?.access).toEqual({
      allow: { users: [] },
    })
  })
})

describe('the environment', () => {
  it('fills text, numbers and switches, also inside braces', () => {
    const config = load(
      'gateway: { port: ${PORT}, token: ${TOKEN} }\ngroupChat: { respondToEveryone: ${LOUD:-true}, historyLimit: ${LINES:-5} }\nname: $${x}\n',
      { PORT: '8080', TOKEN: '12345678' },
    )
    expect(config.gateway).toEqual({ host: '127.0.0.1', port: 8080, token: '12345678', hosts: [] })
    expect(config.groupChat).toMatchObject({ respondToEveryone: true, historyLimit: 5 })
    expect(config.name).toBe('${x}')
  })

  it('makes secrets, but not of names, places, numbers and defaults', () => {
    const config = load(
      'name: ${NAME}\ndataDir: ${DATA}\ngateway: { port: ${PORT}, token: "${TOKEN}" }\nchannels: { slack: { botToken: ${BOT}, appToken: ${APP:-app-default} } }\nengine: command\ncommand: [a, "--key=${KEY}"]\nenv: { NAME: ${SECOND}, host: ${HOST} }\n',
      {
        NAME: 'Company',
        DATA: '/data',
        PORT: '8080',
        TOKEN: 't0ken',
        BOT: 'xoxb-1',
        KEY: 'k3y',
        SECOND: 's3cond',
        HOST: 'h0st',
      },
    )
    expect([...config.secrets].sort()).toEqual(['h0st', 'k3y', 's3cond', 't0ken', 'xoxb-1'])
  })

  it('makes no secrets of words and numbers that stand in every log', () => {
    const config = load(
      'language: ${L}\ngroupChat: { groupPolicy: "${P}", debounce: "${D}" }\nrooms: { "*": { sessionScope: "${P2}", bulletin: "${B}" } }\nengine: command\ncommand: [a]\neffects: ${E}\noutputLimit: ${O}\npersistent: ${Y}\nchannels: { local: { deny: { users: ["${U}"] } } }\n',
      {
        L: 'zh',
        P: 'always',
        D: '1.5s',
        P2: 'thread',
        B: 'Be brief.',
        E: 'unknown',
        O: '100000',
        Y: 'false',
        U: 'mallory',
      },
    )
    expect([...config.secrets]).toEqual([])
  })

  it('knows secrets that were written into the file by the name of their key', () => {
    expect([...load('gateway: { token: written }').secrets]).toEqual(['written'])
  })

  it('never shows a value in an error', () => {
    const secret = 'hunter2-hunter2'
    const env = { S: secret }
    const places = [
      'name: a\nlanguage: ${S}',
      'gateway: { port: "${S}" }',
      'gateway: { token: "${S} x" }',
      'channels: { slack: ${S} }',
      'channels: { slack: [{ id: "${S}", botToken: a, appToken: b }] }',
      'groupChat: { debounce: "${S}", reply: "${S}", respondToEveryone: "${S}" }',
      'rooms: { "*": { description: "${S}\\n" } }',
      'engine: command\ncommand: "${S}"',
      'engine: "${S}"',
      'agents: "${S}"',
      'outputLimit: "${S}"\nengine: command\ncommand: [x]',
    ]
    for (const yaml of places) expect(JSON.stringify(problemsOf(yaml, env)), yaml).not.toContain(secret)
  })
})

describe('paths', () => {
  it('are relative to the folder of the file', () => {
    const config = load(
      'dataDir: ../data\nmemoryDir: /srv/memory\nskillsDir: ~/skills\nengine: command\ncommand: [./run.sh, node, ../x.mjs, ~/y, -/z, a/b]\nrooms: { "*": { workingFolder: work }, "local:x": { workingFolder: null } }\n',
      { HOME: '/home/me' },
    )
    expect(config).toMatchObject({
      dataDir: '/etc/data',
      memoryDir: '/srv/memory',
      skillsDir: '/home/me/skills',
    })
    expect(config.agents[0]?.engine.options).toMatchObject({
      command: ['/etc/golem/run.sh', 'node', '/etc/x.mjs', '/home/me/y', '-/z', 'a/b'],
    })
    expect(config.rooms).toMatchObject({
      '*': { workingFolder: '/etc/golem/work' },
      'local:x': { workingFolder: null },
    })
  })
})

describe('YAML', () => {
  it('may use aliases and merge keys', () => {
    const config = load(
      'agents:\n  - &base { name: A, role: one, engine: offline }\n  - { <<: *base, name: B }\nrooms:\n  "local:a": &quiet { groupPolicy: smart }\n  "local:b": *quiet\n',
    )
    expect(config.agents).toMatchObject([
      { name: 'A', role: 'one' },
      { name: 'B', role: 'one' },
    ])
    expect(config.rooms['local:b']).toEqual({ groupPolicy: 'smart' })
  })

  it('takes keys like those of every object as unknown keys', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(problemsOf(`${key}: { name: x }\n`)[0]?.message).toContain(`${key} is not a known key.`)
      expect(problemsOf(`channels: { ${key}: {} }\n`)[0]?.message).toContain(`no platform is named ${key}`)
    }
  })

  it('reports everything at once, in the order of the file', () => {
    const problems = problemsOf(
      'name: all\nlanguag: en\ngateway: { token: ${T} }\nagents:\n  - { name: A, engine: offlin }\n  - { name: a, engine: offline }\n',
    )
    expect(problems.map((each) => [each.line, each.path])).toEqual([
      [1, 'name'],
      [2, 'languag'],
      [3, 'gateway.token'],
      [5, 'agents[0].engine'],
      [6, 'agents[1].name'],
    ])
    expect(problems[1]).toMatchObject({ file: 'golem.yaml', column: 1, nearest: 'language' })
  })
})
