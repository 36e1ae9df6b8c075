/** Programs that misbehave: one failed turn each, the next message is answered, the daemon never notices. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, programAgent } from './daemon.js'
import { makeFolder } from './program.js'

let daemon: Daemon
beforeAll(async () => {
  const folder = makeFolder({
    'agents/plain.sh': '#!/bin/sh\necho hello\n',
    'agents/binary': 'no program',
    'agents/note.txt': 'x',
  })
  chmodSync(join(folder, 'agents/binary'), 0o755)
  mkdirSync(join(folder, 'project'))
  daemon = await Daemon.start(
    `name: Golem
groupChat: { debounce: 50ms }
rooms:
  "local:gone": { workingFolder: project }
agents:
${programAgent('Golem', 'obeys', 'role: orchestrator, env: { API_KEY: "sk-journey-4711-secret-key" }')}${programAgent('Stays', 'persistent', 'persistent: true')}  - { name: Missing, engine: command, command: [no-such-program-anywhere] }
  - { name: Nowhere, engine: command, command: [./agents/nowhere.mjs] }
  - { name: Forbidden, engine: command, command: [./agents/plain.sh] }
  - { name: Binary, engine: command, command: [./agents/binary] }
`,
    { folder },
  )
})

/** Asks, and says what became of it: the lines in the room, and the receipt's reason. */
async function outcome(text: string, room = 'lobby') {
  const id = await daemon.say(text, { room })
  await daemon.quiet(room)
  const receipt = await daemon.receipt(id, room)
  return {
    id,
    texts: (await daemon.answers(id, room)).map((answer) => answer.text),
    outcome: receipt.outcome,
    reason: receipt.turns.at(-1)?.reason ?? '',
    mark: (await daemon.message(id, room)).reactions.map(({ emoji }) => emoji),
  }
}

describe('a program that', () => {
  it.each([
    [
      'prints bytes that are no text',
      '@Golem do garbage',
      /^protocol: The program wrote bytes that are not UTF-8 text: have it write /,
    ],
    [
      'prints a line of an unknown type',
      '@Golem do json',
      /^protocol: .*"no-such-type".*use one of text, final, tool, file, usage, error/,
    ],
    ['prints a wrong field', '@Golem do field', /^protocol: .*"text" line with a wrong field/],
    [
      'prints 100 MB in lines',
      '@Golem do flood',
      /^output-limit: The program wrote more than 4 MB in one turn and was stopped: have it write less, or raise outputLimit/,
    ],
    [
      'prints 100 MB in one line',
      '@Golem do line',
      /^output-limit: The program wrote a line longer than 1 MB and was stopped/,
    ],
    ['dies by SIGKILL', '@Golem do die SIGKILL', /^exit: The program was ended by SIGKILL: run it by hand/],
    ['dies by SIGSEGV', '@Golem do die SIGSEGV', /^exit: The program was ended by SIGSEGV/],
    [
      'exits with 3',
      '@Golem do exit 3',
      /^exit: The program ended with exit code 3: run it by hand with the same input to see why\.\nThe end of its error output:\nError: no such model, token \[redacted\]/,
    ],
    [
      'reports an error',
      '@Golem do error the model is out of credit',
      /^reported: The program reported an error: the model is out of credit/,
    ],
    [
      'is not installed',
      '@Missing hello',
      /^spawn: The program no-such-program-anywhere was not found.*: install it, (?:or )?write its full path/,
    ],
    [
      'is not where golem.yaml says',
      '@Nowhere hello',
      /^spawn: The program \S+\/agents\/nowhere\.mjs was not found/,
    ],
    [
      'may not be executed',
      '@Forbidden hello',
      /^spawn: The program \S+\/agents\/plain\.sh may not be started \(EACCES\): make it executable \(chmod \+x\)/,
    ],
    ['is no program', '@Binary hello', /^(?:spawn|exit): The program /],
    [
      'stays, and dies in its turn',
      '@Stays die',
      /^exit: The program ended with exit code 7 in the middle of this turn; it is started again for the next one/,
    ],
    [
      'stays, and forgets the turn’s id',
      '@Stays nameless',
      /^protocol: A persistent program must write its turn’s id/,
    ],
  ])('%s: one sentence in the room, the reason in the receipt', async (_, text, reason) => {
    const found = await outcome(text)
    const agent = /@(\w+)/.exec(text)?.[1]
    expect(found.texts).toEqual([
      `Sorry, ${agent} could not finish this. Receipt local:lobby:${found.id} says why.`,
    ])
    expect(found).toMatchObject({ outcome: 'failed', mark: ['❌'] })
    expect(found.reason).toMatch(reason)
    expect(await daemon.ask('@Golem do say and on it goes')).toMatchObject([{ text: 'and on it goes' }])
  })

  it('failed is explained by `golem why`, word for word', async () => {
    const { id, reason } = await outcome('@Golem do exit 3')
    const why = await daemon.run('why', `local:lobby:${id}`)
    const words = (text: string) => text.replace(/[\s│]+/g, ' ')
    expect(words(why.stdout)).toContain(words(reason))
    expect(why.stdout).not.toContain('xoxb-')
  })

  it('says nothing is asked once more, and then an honest line stands in for it', async () => {
    expect((await outcome('@Golem do nothing')).texts).toEqual([
      'I worked on this but came to no answer. Please ask again with a little more detail.',
    ])
  })

  it('stays is there again for the next turn', async () => {
    expect((await outcome('@Stays hello')).texts).toEqual([expect.stringMatching(/^pid \d+ served 1$/)])
  })

  it('has lost its working folder: which one, and to make it again; then it works', async () => {
    const room = 'gone'
    await daemon.ask('@Golem do say first', { room })
    rmSync(join(daemon.folder, 'project'), { recursive: true })
    const found = await outcome('@Golem do say second', room)
    expect(found.texts).toEqual([
      `Sorry, Golem could not finish this. Receipt local:gone:${found.id} says why.`,
    ])
    expect(found.reason).toBe(
      `folder: The working folder ${daemon.folder}/project is missing: create it again, or change workingFolder for this room.`,
    )
    mkdirSync(join(daemon.folder, 'project'))
    expect((await outcome('@Golem do say third', room)).texts).toEqual(['third'])
  })

  it('is told nothing of Golem’s environment, and its keys show nowhere', async () => {
    const [answer] = await daemon.ask('@Golem do env')
    const names = answer?.text.split(' ') ?? []
    expect(names).toContain('API_KEY')
    expect(names.filter((name) => /TOKEN|SECRET|GOLEM_[A-Z]+TOKEN/.test(name))).toEqual([])
    const [leak] = await daemon.ask('@Golem do say the key is sk-journey-4711-secret-key')
    expect(leak?.text).not.toContain('4711')
  })
})

describe('the log of all this', () => {
  it('names each failed turn once, without a stack, without a secret', () => {
    expect(daemon.alive).toBe(true)
    expect(daemon.log).not.toMatch(/\\n\s+at |"stack"/)
    expect(daemon.log).not.toMatch(/xoxb-|4711-secret/)
    const failed = daemon.warnings.filter(({ msg }) => msg.startsWith('a turn failed: '))
    expect(failed).toHaveLength(17)
    expect(daemon.warnings).toHaveLength(17)
  })
})

it('a memory file that cannot be used does not keep anybody from an answer', async () => {
  const file = join(daemon.folder, 'memory/groups/local-odd.md')
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, Buffer.from([0x23, 0x20, 0xc4, 0xe3]))
  expect(await daemon.ask('@Golem do memory', { room: 'odd' })).toMatchObject([
    { text: expect.stringMatching(/^# Group: local-odd/) },
  ])
  expect(daemon.list('memory/groups').some((name) => name.startsWith('local-odd.damaged-'))).toBe(true)
})
