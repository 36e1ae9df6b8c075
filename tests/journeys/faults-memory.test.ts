/** Memory files that cannot be used: one failed turn for what needs them, and no other. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Daemon, TEAM } from './daemon.js'

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(TEAM)
  mkdirSync(join(daemon.folder, 'memory/groups'), { recursive: true })
})

const fileOf = (room: string) => join(daemon.folder, `memory/groups/local-${room}.md`)

async function remember(line: string, room: string) {
  const id = await daemon.say(`@Scribe remember that ${line}`, { room })
  await daemon.quiet(room)
  const receipt = await daemon.receipt(id, room)
  const texts = (await daemon.answers(id, room)).map(({ text }) => text)
  return { id, texts, outcome: receipt.outcome, reason: receipt.turns[0]?.reason ?? '' }
}

describe.each([
  [
    'of another chat',
    'other',
    (file: string) => writeFileSync(file, '# Group: local-secret\n\n## Decisions\n- theirs\n'),
    /says it belongs to "local-secret", not to local-other; it is neither used nor changed: correct its first line to "# Group: local-other" or move it away\.$/,
  ],
  [
    'that is a folder',
    'folder',
    (file: string) => mkdirSync(file),
    /local-folder\.md is not a plain file: put the file itself there instead of a folder, pipe or device\.$/,
  ],
  [
    'that is far too large',
    'large',
    (file: string) => writeFileSync(file, `# Group: local-large\n${'- x\n'.repeat(80_000)}`),
    /has 32\d+ bytes, more than the 262144 that Golem reads; it was left as it is: move parts of it to another file\.$/,
  ],
])('a file %s', (_, room, spoil, reason) => {
  it('fails what would write to it, names itself and the cure in the receipt, and is left alone', async () => {
    const file = fileOf(room)
    spoil(file)
    const before = room === 'folder' ? '' : readFileSync(file, 'utf8')
    const { id, texts, ...rest } = await remember('tea is at four', room)
    expect(texts).toEqual([`Sorry, Scribe could not finish this. Receipt local:${room}:${id} says why.`])
    expect(rest).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(reason) })
    if (room !== 'folder') expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('does not keep anybody from an answer, and shows nothing of itself', async () => {
    const [answer] = await daemon.ask('@Librarian what is a receipt?', { room })
    expect(answer?.text).toMatch(/skill golem-faq/)
    expect(answer?.text).not.toContain('theirs')
    rmSync(fileOf(room), { recursive: true })
    expect((await remember('tea is at four', room)).outcome).toBe('answered')
    expect(daemon.memory(room)).toContain('tea is at four')
  })
})

describe.each([
  ['torn', '# Gro'],
  ['of zero bytes at its end', '# Group: local-ROOM\n\0\0\0'],
])('a file that is %s', (name, text) => {
  it('is kept aside, and a new one is begun', async () => {
    const room = name.split(' ')[0] ?? ''
    const spoilt = text.replace('ROOM', room)
    writeFileSync(fileOf(room), spoilt)
    expect((await remember('tea is at four', room)).outcome).toBe('answered')
    expect(daemon.memory(room)).toContain('tea is at four')
    const aside = daemon.list('memory/groups').filter((file) => file.startsWith(`local-${room}.damaged-`))
    expect(aside).toHaveLength(1)
    expect(daemon.file(`memory/groups/${aside[0]}`)).toBe(spoilt)
  })
})

it('the log names each file and its cure, without stacks', () => {
  expect(daemon.log).not.toMatch(/\\n\s+at |"stack"/)
  expect(daemon.log).toContain('take over by hand what can be saved of it')
})
