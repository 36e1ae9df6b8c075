/** Slack, against its simulator. */
import slack from '../../../adapters/slack/index.js'
import type { Part, Platform } from '../../../src/messaging/contract.js'
import { startSlack } from '../../simulators/slack/index.js'
import { samplesOf } from '../kit/samples.js'
import { type Refusal, type Subject, sceneOf, type World } from '../subject.js'

/** Slack refuses whatever is posted, by this code (https://docs.slack.dev/reference/methods/chat.postMessage#errors). */
const refused = (name: string, failure: Refusal['failure'], code: string): Refusal => ({
  name: `${name} (${code})`,
  failure,
  op: ({ chat, part }) => ({ kind: 'post', place: { chat }, part }),
  fault: { method: 'chat.postMessage', times: 1, do: { kind: 'refuse', code } },
})

const long = (part: Part): Part => {
  const text = 'x'.repeat(13_300)
  const element = { type: 'rich_text_section', elements: [{ type: 'text', text }] }
  return { ...part, body: { text: 'x', blocks: [{ type: 'rich_text', elements: [element] }] } }
}

const subject: Subject = {
  platform: slack as Platform<never, never> as Platform,
  ways: ['socket', 'webhook'],
  async open(): Promise<World> {
    const stage = await startSlack({ pingMs: 500 })
    return {
      scene: sceneOf(stage),
      clock: stage.clock,
      webhookPath: '/events',
      settings: (way) => stage.settings(way === 'webhook' ? 'webhook' : 'socket'),
      thread: async (chat, people) => {
        const [person = stage.bot] = people
        return { chat, thread: stage.say(chat, person, 'the root of a thread') }
      },
      change: async (chat, person) => stage.slack.rename(chat, 'renamed', person),
    }
  },
  refused: [
    { name: 'a wrong bot token', settings: (good) => ({ ...good, botToken: 'xoxb-wrong-token-of-nobody' }) },
    {
      name: 'a wrong app token',
      ways: ['socket'],
      settings: (good) => ({ ...good, appToken: 'xapp-wrong-token-of-nobody' }),
    },
  ],
  samples: samplesOf('slack'),
  self: { id: 'UBOT', name: 'Golem' },
  userIds: ['U0AAAAAAA1', 'U0AAAAAAA2', 'U0AAAAAAA3', 'U0AAAAAAA4'],
  shows: {
    drawn: /^[•>|—]$/u,
    boxes: { done: ['☑', '[x]'], open: ['☐', '[ ]'] },
    rules: ['———'],
    image: (alt, url) => ({ text: alt === '' ? url : alt, link: true }),
    linkable: (url) => /^(?:https?:\/\/|mailto:|tel:|slack:\/\/)\S+$/i.test(url),
    unlinked: (label, url) =>
      url === label || url === '' ? label : label === '' ? url : `${label} (${url})`,
    repeatsHeader: true,
  },
  hostile: [
    '<!date^1^{date}|<!channel>>',
    '<@USLACKBOT>',
    '<slack://user?team=T1&id=U1>',
    '<https://x.example|<!channel>>',
    ':tada:',
    '&lt;!here&gt;',
  ],
  silent: false,
  postMethod: 'chat.postMessage',
  listening: [
    'apps.connections.open',
    'auth.test',
    'users.info',
    'users.list',
    'conversations.info',
    'conversations.list',
    'users.conversations',
  ],
  requests: {
    upload: {
      most: 3,
      why: 'Slack has three requests for one upload, of which only the last can be seen (https://docs.slack.dev/messaging/working-with-files#upload)',
    },
    react: {
      most: 2,
      why: 'Slack cannot replace a reaction: the earlier mark is taken away by a request of its own, behind the operation',
    },
  },
  refusals: [
    refused('a chat without the bot', { kind: 'forbidden' }, 'not_in_channel'),
    refused('an archived chat', { kind: 'forbidden' }, 'is_archived'),
    refused('a missing scope', { kind: 'forbidden' }, 'missing_scope'),
    refused('a text that is too long', { kind: 'invalid', field: 'length' }, 'msg_too_long'),
    refused('markup that is not taken', { kind: 'invalid', field: 'markup' }, 'invalid_blocks'),
    refused('a thing that Slack itself does not know', { kind: 'ambiguous' }, 'fatal_error'),
    {
      name: 'blocks that are too long',
      failure: { kind: 'invalid', field: 'length' },
      op: ({ chat, part }) => ({ kind: 'post', place: { chat }, part: long(part) }),
    },
    {
      name: 'a chat that is not there',
      failure: { kind: 'gone', what: 'chat' },
      op: ({ part }) => ({ kind: 'post', place: { chat: 'C0NOWHERE' }, part }),
    },
    {
      name: 'the edit of a message that is not there',
      failure: { kind: 'gone', what: 'target' },
      op: ({ chat, part }) => ({ kind: 'edit', place: { chat }, id: '1500000000.000001', part }),
    },
    {
      name: "the edit of a person's message",
      failure: { kind: 'forbidden' },
      op: ({ chat, target, part }) => ({ kind: 'edit', place: { chat }, id: target, part }),
    },
    {
      name: 'a mark on a message that is not there',
      failure: { kind: 'gone', what: 'target' },
      op: ({ chat }) => ({ kind: 'react', place: { chat }, id: '1500000000.000001', mark: 'done' }),
    },
    {
      name: 'a file that is not there',
      failure: { kind: 'invalid', field: 'file' },
      op: ({ chat }) => ({ kind: 'upload', place: { chat }, path: '/nowhere/at/all.txt', name: 'all.txt' }),
    },
  ],
  throttles: [
    {
      name: 'a limit on posting',
      fault: { method: 'chat.postMessage', do: { kind: 'rate-limit', retryAfterMs: 7_000 } },
      waitMs: 7_000,
      scope: 'chat',
    },
  ],
}

export default subject
