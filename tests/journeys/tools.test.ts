/** Tools with the real daemon: a program calls them by MCP, and people see what came of it, here and in other rooms. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Daemon, programAgent, QUICK, until } from './daemon.js'

const AGENTS = `agents:\n${programAgent('Golem', 'mcp-client', 'role: orchestrator')}`
const ROOMS = `channels: { local: { rooms: [{ id: lobby }, { id: dev, title: Dev }, { id: ops }] } }
rooms:
  "*": { workingFolder: . }
  "local:lobby": { places: ["local:dev"], owners: [Ann] }
`
const YAML = `name: Golem\n${QUICK}${ROOMS}${AGENTS}`

const ask = async (daemon: Daemon, calls: unknown[], author = 'Ann') => {
  const answers = await daemon.ask(`@Golem ${JSON.stringify(calls)}`, { author })
  return JSON.parse(answers.find(({ text }) => text.startsWith('['))?.text ?? '[]') as unknown[]
}

describe('an agent that speaks MCP', () => {
  it('is offered what its room has, posts where it may, and is refused where it may not', async () => {
    const daemon = await Daemon.start(YAML)
    const [offered] = await ask(daemon, [['list', {}]])
    expect(offered).toEqual(
      expect.arrayContaining([
        'history_search',
        'post_to_room',
        'list_places',
        'post_to_place',
        'set_bulletin',
      ]),
    )
    const [places, interim, there, elsewhere, known] = await ask(daemon, [
      ['list_places', {}],
      ['post_to_room', { text: 'Half of it.' }],
      ['post_to_place', { place: 'local:dev', text: 'The build is **broken**.' }],
      ['post_to_place', { place: 'local:ops', text: 'psst' }],
      ['history_search', { query: 'Half' }],
    ])
    expect(places).toEqual({ places: [{ place: 'local:dev', platform: 'local', title: 'Dev' }] })
    expect([interim, there]).toEqual([{ status: 'posted' }, { status: 'posted' }])
    expect(elsewhere).toMatchObject({ error: expect.stringContaining('may not post there') })
    expect(JSON.stringify(known)).toContain('Half of it.')

    await daemon.quiet()
    expect((await daemon.talk('dev')).join()).toMatch(/^Golem: The build is \**broken\**\.$/)
    expect(await daemon.talk('ops')).toEqual([])
    // The interim post stands before the answer.
    const lobby = await daemon.talk()
    expect(lobby.indexOf('Golem: Half of it.')).toBe(lobby.length - 2)

    // Receipts at both ends.
    const question = (await daemon.messages()).findLast(({ author }) => author.name === 'Ann')
    const receipt = await daemon.receipt(question?.id ?? '')
    const [turn] = receipt.turns
    expect(turn?.tools.map(({ name, ok }) => [name, ok])).toEqual([
      ['list_places', true],
      ['post_to_room', true],
      ['post_to_place', true],
      ['post_to_place', false],
      ['history_search', true],
    ])
    const sent = turn?.operations.find(({ to }) => to === 'local:dev')
    expect(sent).toMatchObject({ state: 'sent' })
    const far = await daemon.receipt(sent?.native ?? '', 'dev')
    expect(far).toMatchObject({
      outcome: 'said',
      message: { author: { name: 'Golem', kind: 'agent' }, chatKey: 'local:dev' },
      answers: [`local:lobby:${question?.id}`],
    })
    expect(await daemon.run('why', `local:dev:${sent?.native}`)).toMatchObject({ code: 0 })
  })

  it('has a token that ends with its turn, and stands nowhere', async () => {
    const daemon = await Daemon.start(YAML)
    const [told] = await ask(daemon, [['tell', {}]])
    // The answer is what it was given, without the token.
    expect(told).toEqual({ url: `${daemon.url}/mcp`, token: '[redacted]' })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const headers = { 'content-type': 'application/json', authorization: `Bearer gmcp_${'x'.repeat(43)}` }
    expect((await fetch(`${daemon.url}/mcp`, { method: 'POST', body, headers })).status).toBe(401)
    expect((await fetch(`${daemon.url}/mcp`, { method: 'POST', body })).status).toBe(415)
    const foreign = { ...headers, origin: 'https://evil.example' }
    expect((await fetch(`${daemon.url}/mcp`, { method: 'POST', body, headers: foreign })).status).toBe(403)
    expect(daemon.log).not.toContain('gmcp_')
  })

  it('has the bulletin changed by an owner, and by nobody else', async () => {
    const daemon = await Daemon.start(YAML)
    const set = ['set_bulletin', { text: 'Answer in rhymes.' }]
    const [refused] = await ask(daemon, [set], 'Bob')
    expect(refused).toMatchObject({ error: expect.stringContaining('not to be had in this turn') })
    expect(await ask(daemon, [set])).toEqual([{ status: 'changed' }])
    expect((await daemon.talk()).some((line) => line.includes('standing instructions'))).toBe(true)
  })
})

describe('a daemon that is killed', () => {
  it('while its agent works says nothing twice, and the interruption in one line', async () => {
    const daemon = await Daemon.start(YAML)
    const go = join(daemon.folder, 'go')
    await daemon.say(
      `@Golem ${JSON.stringify([
        ['post_to_room', { text: 'Half of it.' }],
        ['post_to_place', { place: 'local:dev', text: 'The build is broken.' }],
        ['wait', { file: go }],
      ])}`,
    )
    await until(() => daemon.file('go.started') !== undefined, 'the agent did not get that far')
    await daemon.restart('SIGKILL')
    await daemon.quiet()
    const lobby = await daemon.talk()
    expect(lobby.filter((line) => line === 'Golem: Half of it.')).toHaveLength(1)
    expect(await daemon.talk('dev')).toEqual(['Golem: The build is broken.'])
    expect(lobby.some((line) => /interrupted/i.test(line))).toBe(true)

    // Retry runs it again: what was posted stands, once.
    writeFileSync(go, '')
    const line = (await daemon.messages()).find(({ buttons }) =>
      buttons.some(({ label }) => label === 'Retry'),
    )
    if (line === undefined) throw new Error('there is no Retry button')
    await daemon.press(line, 'Retry')
    await daemon.quiet()
    expect((await daemon.talk()).at(-1)).toContain('posted')
    expect((await daemon.talk()).filter((line) => line === 'Golem: Half of it.')).toHaveLength(1)
    expect(await daemon.talk('dev')).toEqual(['Golem: The build is broken.'])
  })
})

describe('skills', () => {
  it('lie where a program can read them; what people keep in the folder is as it was', async () => {
    const own = { 'AGENTS.md': 'mine\n', 'CLAUDE.md': 'mine too\n', '.claude/settings.json': '{}\n' }
    const skill = '---\nname: office\ndescription: When it is open.\n---\nAt nine.\n'
    const files: Record<string, string> = { 'skills/office/SKILL.md': skill }
    for (const [path, text] of Object.entries(own)) files[`project/${path}`] = text
    const daemon = await Daemon.start(
      `name: Golem\n${QUICK}rooms: { "*": { workingFolder: project } }\nagents:\n${programAgent('Golem', 'echo')}`,
      { files },
    )
    const [answer] = await daemon.ask('@Golem hello')
    expect(answer?.text).toContain('.golem/skills/office/SKILL.md')
    expect(daemon.file('project/.golem/skills/office/SKILL.md')).toBe(skill)
    for (const [path, text] of Object.entries(own)) expect(daemon.file(`project/${path}`)).toBe(text)
    expect(daemon.list('project').sort()).toEqual(['.claude', '.golem', 'AGENTS.md', 'CLAUDE.md'])
  })
})

describe('voice notes', () => {
  it('are read by agents as words, now and later', async () => {
    const daemon = await Daemon.start(
      `name: Golem\n${QUICK}transcribe: { command: [/bin/sh, -c, 'cat "$0"'] }\nagents:\n${programAgent('Golem', 'echo')}`,
    )
    const sent = await fetch(`${daemon.url}/api/local/rooms/lobby/files?name=note.ogg`, {
      method: 'POST',
      headers: { 'content-type': 'audio/ogg' },
      body: 'the build is broken',
    })
    const { id: file } = (await sent.json()) as { id: string }
    const [answer] = await daemon.ask('@Golem listen', { files: [file] })
    expect(answer?.text).toContain('[voice note, transcribed: the build is broken]')
    const receipt = await daemon.receipt(answer?.replyTo?.id ?? '')
    expect(receipt.turns[0]?.tools).toMatchObject([{ name: 'transcribe', ok: true }])
    const [later] = await daemon.ask('@Golem and?')
    expect(later?.text).toContain('[voice note, transcribed: the build is broken]')
  })
})
