/** Broken rosters and rooms: every sentence exactly as a person reads it. Each begins with its line and column. */
import { expect, it } from 'vitest'
import { ENGINES } from './engines.js'
import { formatProblem } from './errors.js'
import { problemsOf } from './harness.fixture.js'

const ENGINE_LIST = Object.keys(ENGINES).join(', ')

interface Broken {
  name: string
  yaml: string
  says: string[]
}

const BROKEN: Broken[] = [
  {
    name: 'two agents of one name',
    yaml: 'agents:\n  - { name: Scout, engine: offline }\n  - { name: SCOUT, engine: offline }\n',
    says: [
      '3:13: agents[1].name: the name SCOUT is already agents[0].name. Give each agent names of its own.',
    ],
  },
  {
    name: 'an alias that is another name',
    yaml: 'agents:\n  - { name: Scout, engine: offline }\n  - { name: Docs, aliases: [scout], engine: offline }\n',
    says: [
      '3:29: agents[1].aliases[0]: the name scout is already agents[0].name. Give each agent names of its own.',
    ],
  },
  {
    name: 'two spellings of one accented name',
    yaml: 'agents:\n  - { name: José, engine: offline }\n  - { name: José, engine: offline }\n',
    says: [
      '3:13: agents[1].name: the name José is already agents[0].name. Give each agent names of its own.',
    ],
  },
  {
    name: 'reserved names',
    yaml: 'agents:\n  - { name: Everyone, engine: offline }\n  - { name: Scout, aliases: [ALL], engine: offline }\n',
    says: [
      '2:13: agents[0].name: the name Everyone is reserved, because it has a meaning of its own. Choose another.',
      '3:30: agents[1].aliases[0]: the name ALL is reserved, because it has a meaning of its own. Choose another.',
    ],
  },
  {
    name: 'a name with an @',
    yaml: 'agents:\n  - { name: "@Scout", engine: offline }\n',
    says: [
      '2:13: agents[0].name must be 1 to 64 characters on one line, without an @ before it and without blanks around it.',
    ],
  },
  {
    name: 'an unknown engine',
    yaml: 'agents:\n  - { name: Scout, engine: ofline }\n',
    says: [`2:28: agents[0].engine is "ofline", which is not one of ${ENGINE_LIST}. Did you mean offline?`],
  },
  {
    name: 'an agent without an engine',
    yaml: 'agents:\n  - name: Golem\n    engine: offline\n  - name: Scout\n',
    says: [`4:5: agents[1].engine is missing. Write one of ${ENGINE_LIST}.`],
  },
  {
    name: 'an agent without a name',
    yaml: 'agents:\n  - engine: offline\n',
    says: [
      '2:5: agents[0].name is missing. What people call it: `@Name`. Unique in the file, aliases included.',
    ],
  },
  {
    name: 'an option of another engine',
    yaml: 'agents:\n  - { name: Scout, engine: offline, command: [x] }\n',
    says: [
      '2:37: agents[0].command is not a known key. It belongs to the engines command, acp, claude-code, codex, opencode, gemini, cursor.',
    ],
  },
  {
    name: 'a program as text',
    yaml: 'agents:\n  - { name: Scout, engine: command, command: node x.mjs }\n',
    says: ['2:46: agents[0].command must be a list, but it is text. Write [a, b], or one `- entry` a line.'],
  },
  {
    name: 'a program that is missing',
    yaml: 'engine: command\n',
    says: [
      '1:1: command is missing. The program and its arguments. It is started directly, without a shell. Entries that begin with `./`, `../` or `~/` are paths, relative to the folder of golem.yaml.',
    ],
  },
  {
    name: 'effects that nobody can know',
    yaml: 'engine: command\ncommand: [x]\neffects: recorded\nturnLimit: 1441\noutputLimit: 10\n',
    says: [
      '3:10: effects is "recorded", which is not one of none, unknown.',
      '4:12: turnLimit must be 1,440 or less, but it is 1441.',
      '5:14: outputLimit must be 1,024 or more, but it is 10.',
    ],
  },
  { name: 'no agents', yaml: 'agents: []\n', says: ['1:9: agents needs at least 1 entry.'] },
  {
    name: 'all agents archived',
    yaml: 'agents:\n  - { name: Scout, engine: offline, archived: true }\n',
    says: ['1:1: agents: every agent is archived, so nobody can answer. Keep one that is not.'],
  },
  {
    name: 'an engine beside agents',
    yaml: 'engine: offline\nagents:\n  - { name: Scout, engine: offline }\n',
    says: ['1:1: engine stands beside agents, where it describes nobody. Move it into one of the agents.'],
  },
  {
    name: 'a room of no connection',
    yaml: 'rooms:\n  "locl:lobby": {}\n',
    says: ['2:3: rooms["locl:lobby"]: no connection is named locl. Did you mean local?'],
  },
  {
    name: 'a room key without a chat',
    yaml: 'rooms:\n  lobby: {}\n',
    says: [
      '2:3: rooms.lobby: the key of a room is "connection:chat", "connection:*" or "*". Write it like "local:lobby".',
    ],
  },
  {
    name: 'a member that nobody is',
    yaml: 'rooms:\n  "local:lobby": { members: [Golm] }\n',
    says: ['2:30: rooms["local:lobby"].members[0]: no agent is named Golm. Did you mean Golem?'],
  },
  {
    name: 'a member twice',
    yaml: 'rooms:\n  "local:lobby": { members: [Golem, golem] }\n',
    says: ['2:37: rooms["local:lobby"].members[1]: golem is a member already. Name each agent once.'],
  },
  {
    name: 'a responder that nobody is',
    yaml: 'rooms:\n  "*": { defaultResponder: mention }\n',
    says: ['2:28: rooms["*"].defaultResponder: no agent is named mention. Did you mean mentions?'],
  },
  {
    name: 'a responder outside the room',
    yaml: 'agents:\n  - { name: A, engine: offline }\n  - { name: B, engine: offline }\nrooms:\n  "*": { defaultResponder: A }\n  "local:lobby": { members: [B] }\n',
    says: [
      '6:29: rooms["local:lobby"].members: A answers here when nobody is named, but is no member of the room. Add it to members.',
    ],
  },
  {
    name: 'a responder that is archived',
    yaml: 'agents:\n  - { name: A, engine: offline }\n  - { name: B, engine: offline, archived: true }\nrooms:\n  "*": { defaultResponder: b }\n',
    says: ['5:28: rooms["*"].defaultResponder: b is archived and answers nobody. Name another agent.'],
  },
  {
    name: 'a bulletin that is too long',
    yaml: `rooms:\n  "*": { bulletin: "${'x'.repeat(12_001)}" }\n`,
    says: ['2:20: rooms["*"].bulletin must have at most 12,000 characters.'],
  },
  {
    name: 'a description of two lines',
    yaml: 'rooms:\n  "*":\n    description: |\n      one\n      two\n',
    says: ['3:18: rooms["*"].description must be one line.'],
  },
  {
    name: 'a folder that is empty',
    yaml: 'dataDir: ""\n',
    says: ['1:10: dataDir is empty. Write a text, or remove the key.'],
  },
]

it.each(BROKEN)('$name', ({ yaml, says }) => {
  expect(problemsOf(yaml).map(formatProblem)).toEqual(says.map((sentence) => `golem.yaml:${sentence}`))
})
