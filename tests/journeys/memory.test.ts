import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, programAgent, TEAM } from './daemon.js'

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(
    `${TEAM}${programAgent('Coder', 'obeys')}${programAgent('Editor', 'edits-memory')}`,
  )
})

const file = () => join(daemon.folder, 'memory/groups/local-lobby.md')

describe('group memory', () => {
  it('keeps what it is told, under its heading, in a file made when it is first needed', async () => {
    expect(daemon.memory()).toBeUndefined()
    await daemon.ask('@Golem remember that the demo is on Friday')
    await daemon.ask('@Scribe we decided to use Postgres', { author: 'Bob' })
    const text = daemon.memory() ?? ''
    expect(text).toMatch(/^# Group: local-lobby\n/)
    expect(text).toMatch(/## Project context\n+- .*the demo is on Friday/i)
    expect(text).toMatch(/## Decisions\n+- \[\d{4}-\d\d-\d\d\] Use Postgres/)
  })

  it('keeps the list of members from what it sees', async () => {
    expect(daemon.memory()).toMatch(/## Members\n+- Ann\n- Bob\n/)
  })

  it('answers from it, quoting it', async () => {
    const [answer] = await daemon.ask('@Golem what did we decide?')
    expect(answer?.text).toContain('Use Postgres')
    const [recalled] = await daemon.ask('@Golem what do you remember about the demo?')
    expect(recalled?.text).toContain('Friday')
  })

  it('a person’s edit in between survives, comments and sections nobody knows with it', async () => {
    const edited = (daemon.memory() ?? '')
      .replace('Friday', 'Thursday')
      .replace('## Decisions', '<!-- ours -->\n## Links\n- https://example.com\n\n## Decisions')
    writeFileSync(file(), edited)
    await daemon.ask('@Golem remember that Bob brings cake')
    const text = daemon.memory() ?? ''
    expect(text).toContain('Thursday')
    expect(text).not.toContain('Friday')
    expect(text).toContain('<!-- ours -->\n## Links\n- https://example.com\n')
    expect(text).toContain('Bob brings cake')
  })

  it('a program sees the file as it is now, and its own edit of its copy is merged', async () => {
    appendFileSync(file(), '- written at the last moment\n')
    const [shown] = await daemon.ask('@Coder do memory')
    expect(shown?.text).toContain('written at the last moment')
    await daemon.ask('@Editor please')
    expect(daemon.memory()).toContain('- added by the program\n')
    expect(daemon.memory()).toContain('written at the last moment')
  })

  it('forgets on request, that line only', async () => {
    await daemon.ask('@Golem forget the demo')
    expect(daemon.memory()).not.toContain('Thursday')
    expect(daemon.memory()).toContain('Bob brings cake')
    expect(daemon.memory()).toContain('Use Postgres')
  })

  it('a file that people removed is begun again', async () => {
    rmSync(file())
    await daemon.ask('@Golem remember that the keys are in the drawer')
    expect(daemon.memory()).toMatch(/^# Group: local-lobby\n[\s\S]*keys are in the drawer/)
  })

  it('is the room’s own: another room and a direct conversation know nothing of it', async () => {
    const [elsewhere] = await daemon.ask('@Golem what do you remember?', { room: 'kitchen' })
    expect(elsewhere?.text).not.toMatch(/drawer|Postgres/)
    expect(daemon.list('memory/groups').sort()).toEqual(['local-kitchen.md', 'local-lobby.md'])
  })

  it('has nothing to complain about', () => {
    expect(daemon.warnings).toEqual([])
  })
})
