/** Feishu, against its simulator. */
import feishu from '../../../adapters/feishu/index.js'
import type { Part, Platform } from '../../../src/messaging/contract.js'
import { startFeishu } from '../../simulators/feishu/index.js'
import { samplesOf } from '../kit/samples.js'
import { type Refusal, type Subject, sceneOf, type World } from '../subject.js'

/** Feishu refuses whatever is posted, by this code (https://open.feishu.cn/document/server-docs/im-v1/message/create, "error codes"). */
const refused = (name: string, failure: Refusal['failure'], code: number, description?: string): Refusal => ({
  name: `${name} (${code})`,
  failure,
  op: ({ chat, part }) => ({ kind: 'post', place: { chat }, part }),
  fault: {
    method: 'im.message.create',
    times: 1,
    do: { kind: 'refuse', code, ...(description !== undefined && { description }) },
  },
})

const NOWHERE = `om_${'0'.repeat(32)}`

const long = (part: Part): Part => ({
  ...part,
  body: {
    type: 'interactive',
    card: {
      schema: '2.0',
      config: { update_multi: true },
      body: { elements: [{ tag: 'markdown', content: '汉'.repeat(12_000) }] },
    },
  },
})

const subject: Subject = {
  platform: feishu as Platform<never, never> as Platform,
  ways: ['socket', 'webhook'],
  async open(): Promise<World> {
    const stage = await startFeishu({ clientConfig: { PingInterval: 0.5 } })
    return {
      scene: sceneOf(stage),
      clock: stage.clock,
      settings: (way) => stage.settings(way === 'webhook' ? 'webhook' : 'socket'),
      thread: async (chat, people) => {
        const [person = stage.bot] = people
        const root = stage.say(chat, person, 'the root of a topic')
        stage.say(chat, person, 'the topic', { thread: root })
        const thread = stage.seen(chat).find(({ id }) => id === root)?.thread
        if (thread === undefined) throw new Error('no topic was made')
        return { chat, thread }
      },
      change: async (chat, person) => stage.feishu.rename(chat, 'renamed', person),
    }
  },
  refused: [
    { name: 'a wrong App Secret', settings: (good) => ({ ...good, appSecret: 'wrong-secret-of-nobody' }) },
    { name: 'an App ID of nobody', settings: (good) => ({ ...good, appId: 'cli_0000000000000000' }) },
  ],
  samples: samplesOf('feishu'),
  self: { id: 'ou_bot', name: 'Golem' },
  userIds: ['ou_aaaaaaaaaa01', 'ou_aaaaaaaaaa02', 'ou_aaaaaaaaaa03', 'ou_aaaaaaaaaa04'],
  shows: {
    drawn: /^[•>|—]$/u,
    boxes: { done: ['☑'], open: ['☐'] },
    rules: ['———'],
    image: (alt, url) => ({ text: alt === '' ? url : alt, link: true }),
    linkable: (url) => /^https?:\/\/[^\s/]\S*$/i.test(url),
    unlinked: (label, url) => {
      const address = url.replace(/^(?:mailto|tel):/i, '')
      if (url === label || address === label || address === '') return label
      return label === '' ? address : `${label} (${address})`
    },
    repeatsHeader: true,
  },
  hostile: [
    '<at id=all></at>',
    '<at id="all"></at>',
    '<at user_id="all">所有人</at>',
    '<at email="ann@acme.example"></at>',
    '<at ids="all"></at>',
    '@_all',
    '@_user_1',
    '<person id="ou_1"></person>',
    '&lt;at id=all&gt;&lt;/at&gt;',
  ],
  silent: false,
  postMethod: 'im.message.create',
  listening: [
    'auth.tenantAccessToken',
    'ws.endpoint',
    'application.scopes',
    'bot.info',
    'im.chat.get',
    'im.chat.members',
    'im.message.get',
    'contact.user.get',
  ],
  requests: {
    post: {
      most: 2,
      why: 'A topic is written into by answering a message of it: where none has been heard since the start, one is looked up (https://open.feishu.cn/document/server-docs/im-v1/message/reply)',
    },
    upload: {
      most: 2,
      why: 'The bytes go into a store that nobody sees; only the second request makes a message (https://open.feishu.cn/document/server-docs/im-v1/file/create)',
    },
    react: {
      most: 2,
      why: 'Feishu cannot replace a reaction: the earlier mark is taken away by a request of its own, behind the operation',
    },
  },
  refusals: [
    refused('a chat without the bot', { kind: 'forbidden' }, 230002),
    refused('a chat in which the bot may not speak', { kind: 'forbidden' }, 230018),
    refused('a missing scope', { kind: 'forbidden' }, 99991672),
    refused('a topic that is not there', { kind: 'gone', what: 'thread' }, 230019),
    refused('a text that is too long', { kind: 'invalid', field: 'length' }, 230025),
    refused(
      'a card with too many tables',
      { kind: 'invalid', field: 'markup' },
      230099,
      'Failed to create card content, ext=ErrCode: 11310; ErrMsg: card table number over limit; ErrorValue: table; ',
    ),
    refused('a thing that Feishu itself does not know', { kind: 'ambiguous' }, 2200, 'internal error'),
    {
      name: 'a quoted message that was withdrawn, said without a code',
      failure: { kind: 'gone', what: 'target' },
      op: ({ chat, target, part }) => ({ kind: 'post', place: { chat }, part, replyTo: target }),
      fault: {
        method: 'im.message.reply',
        times: 1,
        do: { kind: 'refuse', code: '', description: 'The message was withdrawn.' },
      },
    },
    {
      name: 'a card that is too long',
      failure: { kind: 'invalid', field: 'length' },
      op: ({ chat, part }) => ({ kind: 'post', place: { chat }, part: long(part) }),
    },
    {
      name: 'a chat that is not there',
      failure: { kind: 'gone', what: 'chat' },
      op: ({ part }) => ({ kind: 'post', place: { chat: `oc_${'0'.repeat(32)}` }, part }),
    },
    {
      name: 'the edit of a message that is not there',
      failure: { kind: 'gone', what: 'target' },
      op: ({ chat, part }) => ({ kind: 'edit', place: { chat }, id: NOWHERE, part }),
    },
    {
      name: "the edit of a person's message",
      failure: { kind: 'forbidden' },
      op: ({ chat, target, part }) => ({ kind: 'edit', place: { chat }, id: target, part }),
    },
    {
      name: 'a mark on a message that is not there',
      failure: { kind: 'gone', what: 'target' },
      op: ({ chat }) => ({ kind: 'react', place: { chat }, id: NOWHERE, mark: 'done' }),
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
      fault: { method: 'im.message.create', do: { kind: 'rate-limit', retryAfterMs: 7_000 } },
      waitMs: 7_000,
      scope: 'kind',
    },
  ],
}

export default subject
