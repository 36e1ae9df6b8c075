/** Discord, against its simulator. */
import discord from '../../../adapters/discord/index.js'
import type { Part, Platform } from '../../../src/messaging/contract.js'
import { startDiscord } from '../../simulators/discord/index.js'
import { refusedChanges } from '../kit/refusals.js'
import { samplesOf } from '../kit/samples.js'
import { type Refusal, type Subject, sceneOf, type World } from '../subject.js'

/**
 * Discord refuses whatever is posted, by this code
 * (https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes).
 */
const refused = (name: string, failure: Refusal['failure'], code: number, description?: string): Refusal => ({
  name: `${name} (${code})`,
  failure,
  op: ({ chat, part }) => ({ kind: 'post', place: { chat }, part }),
  fault: {
    method: 'createMessage',
    times: 1,
    do: { kind: 'refuse', code, ...(description !== undefined && { description }) },
  },
})

const long = (part: Part): Part => ({
  ...part,
  body: { content: 'x'.repeat(2_001), allowed_mentions: { parse: [], users: [] }, flags: 4 },
})

/** An id that nothing has. */
const NOWHERE = '100000000000000001'

const subject: Subject = {
  platform: discord as Platform<never, never> as Platform,
  ways: ['socket'],
  async open(): Promise<World> {
    // What has arrived is said by heartbeats, of which a connection may send 120 a minute.
    const stage = await startDiscord({ heartbeatMs: 500 })
    return {
      scene: sceneOf(stage),
      clock: stage.clock,
      settings: () => stage.settings('socket'),
      thread: async (chat, people) => {
        const [person = stage.bot] = people
        return { chat, thread: stage.discord.thread(chat, person, 'Plans') }
      },
      change: async (chat) => stage.discord.renameChannel(chat, 'renamed'),
    }
  },
  refused: [
    {
      name: 'a wrong token',
      settings: (good) => ({
        ...good,
        botToken: 'MTAwMDAwMDAwMDAwMDAwMDAx.Wrong0.a-token-of-nobody-at-all-really',
      }),
    },
  ],
  samples: samplesOf('discord'),
  self: { id: '900000000000000001', name: 'Golem', aliases: ['golem'] },
  userIds: ['600000000000000011', '600000000000000012', '600000000000000013', '600000000000000014'],
  shows: {
    drawn: /^[•>|│─┼—]$/u,
    boxes: { done: ['☑', '[x]'], open: ['☐', '[ ]'] },
    rules: ['———'],
    image: (alt, url) => ({ text: alt === '' ? url : alt, link: true }),
    // https://docs.discord.com/developers/reference#message-formatting: masked links lead to the web alone.
    linkable: (url) => /^https?:\/\/[^\s/]/i.test(url),
    unlinked: (label, url) =>
      url === label || url === `mailto:${label}` || url === ''
        ? label
        : label === ''
          ? url
          : `${label} (${url})`,
    repeatsHeader: true,
  },
  size: ({ body }) => [...(body as { content: string }).content].length,
  hostile: [
    '<@600000000000000011>',
    '<@!600000000000000011>',
    '<@&800000000000000001>',
    '<#700000000000000001>',
    '<id:customize>',
    '</golem:123456789012345678>',
    '<:wave:123456789012345678>',
    '<t:1700000000:R>',
    ':tada:',
    '@silent',
    '||@everyone||',
    '-# @here',
    '[@here](https://x.example)',
  ],
  silent: true,
  postMethod: 'createMessage',
  listening: [
    'getCurrentUser',
    'getCurrentApplication',
    'getGatewayBot',
    'getChannel',
    'getMembers',
    // The first message of a direct chat: what came before it may have been missed.
    'getMessages',
    'getCommands',
    'putCommands',
    'postCommand',
    'createInteractionResponse',
  ],
  requests: {
    post: {
      most: 2,
      why: 'the first post to a person opens their direct chat, which nobody sees (https://docs.discord.com/developers/resources/user#create-dm)',
    },
    whisper: {
      most: 2,
      why: 'without an interaction to answer a note goes to the direct chat, which is opened first (https://docs.discord.com/developers/resources/user#create-dm)',
    },
    react: {
      most: 2,
      why: 'Discord cannot replace a reaction: the earlier mark is taken away by a request of its own, behind the operation',
    },
  },
  refusals: [
    refused('a chat the bot does not see', { kind: 'forbidden' }, 50_001),
    refused('a chat without the right to write', { kind: 'forbidden' }, 50_013),
    refused('a text that a filter blocks', { kind: 'forbidden' }, 240_000),
    refused('a thread that is locked', { kind: 'gone', what: 'thread' }, 160_005),
    refused(
      'markup that is not taken',
      { kind: 'invalid', field: 'markup' },
      50_035,
      'content: BASE_TYPE_BAD_TYPE',
    ),
    refused(
      'a quote of what is not there',
      { kind: 'gone', what: 'target' },
      50_035,
      'message_reference: MESSAGE_REFERENCE_UNKNOWN_MESSAGE',
    ),
    {
      name: 'a server in trouble (503)',
      failure: { kind: 'ambiguous' },
      op: ({ chat, part }) => ({ kind: 'post', place: { chat }, part }),
      fault: { method: 'createMessage', times: 1, do: { kind: 'status', status: 503, body: '<html>' } },
    },
    {
      name: 'a text that is too long',
      failure: { kind: 'invalid', field: 'length' },
      op: ({ chat, part }) => ({ kind: 'post', place: { chat }, part: long(part) }),
    },
    {
      name: 'a chat that is not there',
      failure: { kind: 'gone', what: 'chat' },
      op: ({ part }) => ({ kind: 'post', place: { chat: NOWHERE }, part }),
    },
    {
      name: 'a thread that is not there',
      failure: { kind: 'gone', what: 'thread' },
      op: ({ chat, part }) => ({ kind: 'post', place: { chat, thread: NOWHERE }, part }),
    },
    {
      name: 'an id that climbs out of its path',
      failure: { kind: 'gone', what: 'chat' },
      op: ({ part }) => ({ kind: 'post', place: { chat: '../users' }, part }),
    },
    ...refusedChanges(NOWHERE),
    {
      name: 'a file that is not there',
      failure: { kind: 'invalid', field: 'file' },
      op: ({ chat }) => ({ kind: 'upload', place: { chat }, path: '/nowhere/at/all.txt', name: 'all.txt' }),
    },
  ],
  throttles: [
    {
      name: 'a limit on posting',
      fault: { method: 'createMessage', do: { kind: 'rate-limit', retryAfterMs: 7_250 } },
      waitMs: 7_250,
      scope: 'chat',
    },
  ],
}

export default subject
