// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how golem.yaml names a variable
/** Broken values: every sentence exactly as a person reads it. Each begins with its line and column. */
import { expect, it } from 'vitest'
import { ENGINES } from './engines.js'
import { formatProblem } from './errors.js'
import { problemsOf } from './harness.fixture.js'
import { fileSchema, oneAgentKeys } from './schema.js'

const TOP_KEYS = [...Object.keys(fileSchema({}, ENGINES).shape), ...oneAgentKeys(ENGINES)]

interface Broken {
  name: string
  yaml: string
  env?: Record<string, string>
  says: string[]
}

const BROKEN: Broken[] = [
  {
    name: 'an unknown key at the top',
    yaml: 'nam: golem\n',
    says: ['1:1: nam is not a known key. Did you mean name?'],
  },
  {
    name: 'an unknown key beside a known one',
    yaml: 'groupChat:\n  groupPolicy: smart\n  groupPolicyy: always\n',
    says: ['3:3: groupChat.groupPolicyy is not a known key. Did you mean groupPolicy?'],
  },
  {
    name: 'a key that has no neighbour',
    yaml: 'name: golem\nxyzzy: 1\n',
    says: [`2:1: xyzzy is not a known key. Known here: ${TOP_KEYS.join(', ')}.`],
  },
  {
    name: 'a key of groupChat at the top',
    yaml: 'name: golem\nhistoryLimit: 5\n',
    says: ['2:1: historyLimit is not a known key. It belongs to groupChat or an entry of rooms.'],
  },
  {
    name: 'a key of another tool',
    yaml: 'name: golem\ntimeout: 300\nsystemPrompt: Be kind.\n',
    says: [
      '2:1: timeout is not a known key. Golem calls it turnLimit, in minutes.',
      '3:1: systemPrompt is not a known key. Standing instructions are the bulletin of a room: rooms: {"*": {bulletin: …}}.',
    ],
  },
  {
    name: 'a misspelt one-agent key',
    yaml: 'name: golem\nengin: offline\n',
    says: ['2:1: engin is not a known key. Did you mean engine?'],
  },
  {
    name: 'a policy with an underscore',
    yaml: 'groupChat:\n  groupPolicy: mention_only\n',
    says: [
      '2:16: groupChat.groupPolicy is "mention_only", which is not one of mention-only, smart, always. Did you mean mention-only?',
    ],
  },
  {
    name: 'a policy that is far from any',
    yaml: 'groupChat:\n  groupPolicy: loud\n',
    says: ['2:16: groupChat.groupPolicy is "loud", which is not one of mention-only, smart, always.'],
  },
  {
    name: 'a policy from the environment',
    yaml: 'groupChat:\n  groupPolicy: ${POLICY}\n',
    env: { POLICY: 'sometimes' },
    says: ['2:16: groupChat.groupPolicy (from ${POLICY}) is not one of mention-only, smart, always.'],
  },
  {
    name: 'a number out of bounds',
    yaml: 'groupChat:\n  historyLimit: 31\n  maxTurns: 0\n',
    says: [
      '2:17: groupChat.historyLimit must be 30 or less, but it is 31.',
      '3:13: groupChat.maxTurns must be 1 or more, but it is 0.',
    ],
  },
  {
    name: 'a number with a fraction',
    yaml: 'groupChat:\n  historyLimit: 2.5\n',
    says: ['2:17: groupChat.historyLimit must be a whole number, but it is 2.5.'],
  },
  {
    name: 'a number in quotes',
    yaml: 'groupChat:\n  maxTurns: "3"\n',
    says: ['2:13: groupChat.maxTurns must be a number, but it is text. Remove the quotes.'],
  },
  {
    name: 'yes for true',
    yaml: 'groupChat:\n  respondToEveryone: yes\n',
    says: [
      '2:22: groupChat.respondToEveryone must be true or false, but it is text. Write true, without quotes.',
    ],
  },
  {
    name: 'a length of time that is none',
    yaml: 'groupChat:\n  coalesceWindow: soon\n',
    says: [
      '2:19: groupChat.coalesceWindow must be a length of time: a number of seconds, or text such as 90s, 1.5s or 2m.',
    ],
  },
  {
    name: 'a length of time that is too long',
    yaml: 'groupChat:\n  debounce: 2m\n  coalesceWindow: 7200\n',
    says: [
      '2:13: groupChat.debounce must be between 0s and 60s.',
      '3:19: groupChat.coalesceWindow must be 3,600 or less, but it is 7200.',
    ],
  },
  {
    name: 'a list where a word belongs',
    yaml: 'groupChat:\n  reply: [quote]\n',
    says: ['2:10: groupChat.reply is a list, which is not one of quote, thread, plain.'],
  },
  {
    name: 'a word where a section belongs',
    yaml: 'groupChat: smart\n',
    says: ['1:12: groupChat must be a mapping (key: value), but it is text.'],
  },
  {
    name: 'an unknown language',
    yaml: 'language: de\n',
    says: ['1:11: language is "de", which is not one of en, zh.'],
  },
  {
    name: 'an unknown platform',
    yaml: 'channels:\n  slak: {}\n',
    says: ['2:3: channels.slak: no platform is named slak. Did you mean slack? Known here: local, slack.'],
  },
  {
    name: 'a platform without its token',
    yaml: 'channels:\n  slack: {}\n',
    says: ['2:3: channels.slack.botToken is missing. Bot token, begins with xoxb-.'],
  },
  {
    name: 'a token where settings belong',
    yaml: 'channels:\n  slack: xoxb-very-secret\n',
    says: ['2:10: channels.slack must be false, a mapping (key: value) or a list, but it is text.'],
  },
  {
    name: 'an unknown key of a platform',
    yaml: 'channels:\n  slack: { botToken: x, appTokn: y }\n',
    says: [
      '2:10: channels.slack needs appToken or signingSecret.',
      '2:25: channels.slack.appTokn is not a known key. Did you mean appToken?',
    ],
  },
  {
    name: "a platform's own rule",
    yaml: 'channels:\n  slack: { botToken: x }\n',
    says: ['2:10: channels.slack needs appToken or signingSecret.'],
  },
  {
    name: 'an account without an id',
    yaml: 'channels:\n  slack:\n    - { botToken: a, appToken: b }\n',
    says: [
      '3:7: channels.slack[0].id is missing. Name of the account. The first account of a list is the connection `<platform>`, the others `<platform>.<id>`.',
    ],
  },
  {
    name: 'two accounts with one id',
    yaml: 'channels:\n  slack:\n    - { id: a, botToken: x, appToken: y }\n    - { id: a, botToken: x, appToken: y }\n',
    says: ['4:13: channels.slack[1].id: another account is named a already. Give each account its own id.'],
  },
  {
    name: 'an id with other characters',
    yaml: 'channels:\n  slack:\n    - { id: Acme-1, botToken: x, appToken: y }\n',
    says: ['3:13: channels.slack[0].id must be made of a-z and 0-9 only.'],
  },
  {
    name: 'an unknown list under deny',
    yaml: 'channels:\n  local:\n    deny: { user: [mallory] }\n',
    says: ['3:13: channels.local.deny.user is not a known key. Did you mean users?'],
  },
  {
    name: 'nothing connected',
    yaml: 'channels:\n  local: false\n',
    says: ['1:1: channels: nothing is connected. Switch one on; `local: {}` needs no account.'],
  },
  {
    name: 'a missing variable',
    yaml: 'channels:\n  slack:\n    botToken: ${SLACK_BOT_TOKEN}\n    appToken: xapp\n',
    says: [
      '3:15: in channels.slack.botToken, the environment variable SLACK_BOT_TOKEN is not set. Set it, or write ${SLACK_BOT_TOKEN:-default}.',
    ],
  },
  {
    name: 'a missing variable inside braces and text',
    yaml: 'channels:\n  slack: { botToken: "x-${A}-${B}", appToken: y }\n',
    env: { A: 'a' },
    says: [
      '2:30: in channels.slack.botToken, the environment variable B is not set. Set it, or write ${B:-default}.',
    ],
  },
  {
    name: 'an empty variable',
    yaml: 'gateway:\n  token: ${GOLEM_TOKEN}\n',
    env: { GOLEM_TOKEN: '' },
    says: [
      '2:10: in gateway.token, the environment variable GOLEM_TOKEN is empty. Set it, or write ${GOLEM_TOKEN:-default}.',
    ],
  },
  {
    name: 'a reference that is not closed',
    yaml: 'gateway:\n  token: ${GOLEM_TOKEN\n',
    says: [
      '2:10: in gateway.token, a reference is not closed by }. Write ${NAME} or ${NAME:-default}, or $${ for a plain ${.',
    ],
  },
  {
    name: 'a reference to no name',
    yaml: 'gateway:\n  token: ${GOLEM-TOKEN}\n',
    says: [
      '2:10: in gateway.token, ${GOLEM-TOKEN} names no environment variable. Write ${NAME} or ${NAME:-default}, or $${ for a plain ${.',
    ],
  },
  {
    name: 'a port from the environment that is no number',
    yaml: 'gateway:\n  port: ${PORT}\n',
    env: { PORT: 'http-secret' },
    says: ['2:9: gateway.port must be a number, but it is text (from ${PORT}).'],
  },
  {
    name: 'a port out of bounds',
    yaml: 'gateway: { port: 65536 }\n',
    says: ['1:18: gateway.port must be 65,535 or less, but it is 65536.'],
  },
  {
    name: 'an open address without a token',
    yaml: 'gateway:\n  host: 0.0.0.0\n',
    says: [
      '2:9: gateway.host: 0.0.0.0 can be reached from other machines, so gateway.token must be set as well.',
    ],
  },
  {
    name: 'a token with a blank',
    yaml: 'gateway:\n  token: my token\n',
    says: ['2:10: gateway.token must be letters, digits and marks of ASCII, without blanks.'],
  },
]

it.each(BROKEN)('$name', ({ yaml, env, says }) => {
  expect(problemsOf(yaml, env).map(formatProblem)).toEqual(says.map((sentence) => `golem.yaml:${sentence}`))
})
