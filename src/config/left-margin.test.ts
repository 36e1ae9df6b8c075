/** Lines for the top of the file that were pasted with blanks before them, or below a key that is there already. */
import { expect, it } from 'vitest'
import { formatProblem } from './errors.js'
import { problemsOf } from './harness.fixture.js'

const PASTED = '  channels:\n    slack:\n      botToken: xoxb-1\n      appToken: xapp-1\n'
const MOVE = 'Remove the blanks before it, and as many before the lines below it.'

const PASTES: { name: string; yaml: string; says: string[] }[] = [
  {
    name: 'below rooms',
    yaml: `rooms:\n  "local:lobby": { historyLimit: 3 }\n${PASTED}`,
    says: [`3:3: rooms.channels is no room: channels belongs at the left margin. ${MOVE}`],
  },
  {
    name: 'below a room',
    yaml: `rooms:\n  "local:lobby":\n    historyLimit: 3\n${PASTED}`,
    says: [`4:3: rooms.channels is no room: channels belongs at the left margin. ${MOVE}`],
  },
  {
    name: 'below rooms, in a file that has channels',
    yaml: `name: golem\nchannels:\n  local: {}\nrooms:\n  "*": {}\n${PASTED}`,
    says: [
      '6:3: rooms.channels is no room: channels belongs at the left margin, where line 2 has it already. Put what stands below this one there.',
    ],
  },
  {
    name: 'a single key below rooms',
    yaml: 'rooms:\n  "*": {}\n  language: en\n',
    says: [`3:3: rooms.language is no room: language belongs at the left margin. ${MOVE}`],
  },
  {
    name: 'below gateway',
    yaml: `gateway:\n  port: 3000\n${PASTED}`,
    says: [`3:3: gateway.channels is not a known key. channels belongs at the left margin. ${MOVE}`],
  },
  {
    name: 'below channels',
    yaml: 'channels:\n  local: {}\n  gateway: { port: 1 }\n',
    says: [
      `3:3: channels.gateway: no platform is named gateway. gateway belongs at the left margin. ${MOVE}`,
    ],
  },
  {
    name: 'channels below channels',
    yaml: `channels:\n  local: {}\n${PASTED}`,
    says: [
      '3:3: channels.channels: no platform is named channels. channels belongs at the left margin, where line 1 has it already. Put what stands below this one there.',
    ],
  },
  {
    name: 'below a platform',
    yaml: 'channels:\n  slack:\n    botToken: x\n    appToken: y\n    agents: []\n',
    says: [`5:5: channels.slack.agents is not a known key. agents belongs at the left margin. ${MOVE}`],
  },
  {
    name: 'in an agent',
    yaml: `agents:\n- name: A\n  engine: offline\n${PASTED}`,
    says: [`4:3: agents[0].channels is not a known key. channels belongs at the left margin. ${MOVE}`],
  },
  {
    name: 'below a list of agents, where it is no YAML',
    yaml: `agents:\n  - name: A\n    engine: offline\n${PASTED}`,
    says: [`4:3: channels belongs at the left margin. ${MOVE}`],
  },
  {
    name: 'below a text, where it is no YAML',
    yaml: `language: en\n${PASTED}`,
    says: [`2:3: channels belongs at the left margin. ${MOVE}`],
  },
  {
    name: 'below a mapping in braces, where it is no YAML',
    yaml: `rooms: {}\n${PASTED}`,
    says: [`2:3: channels belongs at the left margin. ${MOVE}`],
  },
  {
    name: 'a second channels',
    yaml: 'channels:\n  local: {}\nname: golem\nchannels:\n  slack: { botToken: x, appToken: y }\n',
    says: [
      '4:1: channels stands here a second time, first in line 1. Merge both: put what stands below this one below the first.',
    ],
  },
  {
    name: 'a second list',
    yaml: 'agents:\n  - { name: A, engine: offline }\nagents:\n  - { name: B, engine: offline }\n',
    says: [
      '3:1: agents stands here a second time, first in line 1. Merge both: put what stands below this one below the first.',
    ],
  },
]

it.each(PASTES)('$name', ({ yaml, says }) => {
  for (const text of [yaml, yaml.replaceAll('\n', '\r\n')])
    expect(problemsOf(text).map(formatProblem)).toEqual(says.map((sentence) => `golem.yaml:${sentence}`))
})

it('a room may still be called anything that has a connection', () => {
  expect(problemsOf('rooms:\n  "local:channels": {}\n  "*": {}\n  lobby: {}\n').map(formatProblem)).toEqual([
    'golem.yaml:4:3: rooms.lobby: the key of a room is "connection:chat", "connection:*" or "*". Write it like "local:lobby".',
  ])
})
