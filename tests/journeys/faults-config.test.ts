import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { golem, makeFolder, refusal } from './program.js'

const SKILL = (text: string) => ({ 'skills/faq/SKILL.md': text })

/** What is wrong, golem.yaml, other files, and what a person reads after the folder's path. */
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
const CASES: readonly (readonly [string, string, Readonly<Record<string, string>>, string])[] = [
  [
    'a tab',
    'name: golem\n\tx: 1\n',
    {},
    '/golem.yaml:2:1: a tab stands at the start of this line. Indent with blanks only.',
  ],
  [
    'a quote that is not closed',
    'name: "golem\n',
    {},
    '/golem.yaml:1:7: this " is not closed. Add the missing ".',
  ],
  [
    'an empty file',
    '',
    {},
    '/golem.yaml:1:1: the file is empty. Write at least `name: golem`, or start from golem.yaml.example.',
  ],
  [
    'an unknown key',
    'groupchat: {}\n',
    {},
    '/golem.yaml:1:1: groupchat is not a known key. Did you mean groupChat?',
  ],
  [
    'an unknown key further in',
    'groupChat: { grouPolicy: smart }\n',
    {},
    '/golem.yaml:1:14: groupChat.grouPolicy is not a known key. Did you mean groupPolicy?',
  ],
  [
    'an unknown engine',
    'agents:\n  - { name: A, engine: offlin }\n',
    {},
    '/golem.yaml:2:24: agents[0].engine is "offlin", which is not one of offline, command, ai, acp, claude-code, codex, opencode, gemini, cursor. Did you mean offline?',
  ],
  [
    'two agents of one name',
    'agents:\n  - { name: A, engine: offline }\n  - { name: a, engine: offline }\n',
    {},
    '/golem.yaml:3:13: agents[1].name: the name a is already agents[0].name. Give each agent names of its own.',
  ],
  [
    'a variable that is not set',
    'gateway: { token: "${NO_SUCH_TOKEN}" }\n',
    {},
    '/golem.yaml:1:20: in gateway.token, the environment variable NO_SUCH_TOKEN is not set. Set it, or write ${NO_SUCH_TOKEN:-default}.',
  ],
  [
    'a server that is open to the network',
    'gateway: { host: 0.0.0.0 }\n',
    {},
    '/golem.yaml:1:18: gateway.host: 0.0.0.0 can be reached from other machines, so gateway.token must be set as well.',
  ],
  [
    'a skills folder that is missing',
    'skillsDir: nowhere\n',
    {},
    'The skills folder FOLDER/nowhere does not exist: make it, or correct skillsDir in golem.yaml.',
  ],
  [
    'a skills folder that is a file',
    'skillsDir: notes\n',
    { notes: '' },
    'The skills folder FOLDER/notes cannot be read (ENOTDIR): check that it is a folder Golem may read.',
  ],
  [
    'a skill without front matter',
    'name: golem\n',
    SKILL('hello'),
    '/skills/faq/SKILL.md:1: a skill begins with a line of ---, then name: and description:, then another line of ---.',
  ],
  [
    'a skill without a description',
    'name: golem\n',
    SKILL('---\nname: faq\n---\ntext\n'),
    '/skills/faq/SKILL.md:1: the front matter has no description: add "description: …".',
  ],
  [
    'a skill whose front matter is no YAML',
    'name: golem\n',
    SKILL('---\nname: [\n---\n'),
    '/skills/faq/SKILL.md:',
  ],
  [
    'a skill file of another name',
    'name: golem\n',
    { 'skills/faq/skill.md': '' },
    '/skills/faq/skill.md must be called SKILL.md: rename it.',
  ],
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

describe.concurrent('a start with', () => {
  it.each(CASES)('%s ends with 3 and one sentence', async (_, yaml, files, sentence) => {
    const folder = makeFolder({ ...files, 'golem.yaml': yaml })
    const { code, text, error } = await refusal(folder)
    expect(code).toBe(3)
    const wanted = sentence.startsWith('/') ? `${folder}${sentence}` : sentence.replace('FOLDER', folder)
    expect(text.startsWith(`golem: ${wanted}`)).toBe(true)
    expect(text.trim().split('\n')).toHaveLength(1)
    expect(error.code).toMatch(/^(config|skill)$/)
    expect(text).toBe(`golem: ${error.message}\n`)
  })

  it('many mistakes names them all, a line each', async () => {
    const yaml = 'groupChat: { maxTurns: 0, historyLimit: 99 }\nagents:\n  - { name: A, engine: nope }\n'
    const { code, text } = await refusal(makeFolder({ 'golem.yaml': yaml }))
    expect(code).toBe(3)
    for (const part of ['maxTurns', 'historyLimit', 'agents[0].engine']) expect(text).toContain(part)
    expect(text).not.toMatch(/\n\s+at /)
  })

  it('bytes that are no text says where', async () => {
    const folder = makeFolder({ 'golem.yaml': '' })
    writeFileSync(`${folder}/golem.yaml`, Buffer.from([0x6e, 0xff, 0xfe]))
    expect(await refusal(folder)).toMatchObject({
      code: 3,
      text: expect.stringContaining('Save the file as UTF-8.'),
    })
  })

  it('no golem.yaml says which was looked for', async () => {
    const folder = makeFolder()
    expect(await refusal(folder)).toMatchObject({
      code: 3,
      text: `golem: ${folder}/golem.yaml: does not exist. Copy golem.yaml.example to it, or name another file with --config.\n`,
    })
  })
})

describe.concurrent('a command line with', () => {
  it.each([
    ['an unknown flag', ['start', '--prot', '1'], /Did you mean --port\?/],
    ['an unknown command', ['strat'], /Did you mean start\?/],
    ['a port that is none', ['start', '--port', '99999'], /must be a number from 0 to 65535/],
    ['nothing', [], /Usage: golem/],
  ])('%s ends with 2', async (_, args, sentence) => {
    const { code, stderr, stdout } = await golem(args)
    expect(code).toBe(2)
    expect(stderr).toMatch(sentence)
    expect(stdout).toBe('')
  })
})
