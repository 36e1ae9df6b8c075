/** Telegram, against its simulator. */

import telegram from '../../../adapters/telegram/index.js'
import type { Operation, Part, Platform } from '../../../src/messaging/contract.js'
import { startTelegram, type TelegramSimulator } from '../../simulators/telegram/index.js'
import { refusedChanges } from '../kit/refusals.js'
import { samplesOf } from '../kit/samples.js'
import { type Refusal, type Subject, sceneOf, type World } from '../subject.js'

/** The platform refuses whatever is posted, in these words. */
const refused = (
  name: string,
  failure: Refusal['failure'],
  code: number,
  description: string,
  method = 'sendMessage',
): Refusal => ({
  name,
  failure,
  op: ({ chat, part }) => ({ kind: 'post', place: { chat }, part }),
  fault: { method, times: 1, do: { kind: 'refuse', code, description } },
})

const posted = (chat: string, part: Part, more: Partial<Operation> = {}): Operation =>
  ({ kind: 'post', place: { chat }, part, ...more }) as Operation

const subject: Subject = {
  platform: telegram as Platform<never, never> as Platform,
  ways: ['socket', 'webhook'],
  async open(): Promise<World> {
    // An administrator is told of reactions.
    const stage: TelegramSimulator = await startTelegram({ botIsAdmin: true })
    return {
      scene: sceneOf(stage),
      clock: stage.clock,
      settings: (way) => stage.settings(way === 'webhook' ? 'webhook' : 'socket'),
      thread: async (_, people) => {
        const chat = stage.forum('Topics', people)
        const [person = stage.bot] = people
        return { chat, thread: stage.topic(chat, person, 'Plans') }
      },
      change: async (chat, person) => stage.rename(chat, person, 'Renamed'),
    }
  },
  refused: [
    {
      name: 'a wrong token',
      settings: (good) => ({ ...good, botToken: '7000000001:AAwrong-token-of-nobody' }),
    },
  ],
  samples: samplesOf('telegram'),
  self: { id: '7000000001', name: 'Relay Helper', aliases: ['relaybot'] },
  userIds: ['5000000011', '5000000012', '5000000013', '5000000014'],
  shows: {
    drawn: /^[•>|—]$/u,
    boxes: { done: ['☑'], open: ['☐'] },
    rules: ['———'],
    image: (alt, url) => ({ text: alt === '' ? url : alt, link: true }),
    // Other schemes are dropped in silence, or make a mention (core.telegram.org/bots/api#formatting-options).
    linkable: (url) => /^https?:\/\//i.test(url),
    unlinked: (label, url) =>
      label === '' || url === label || url === `mailto:${label}` ? label || url : `${label} (${url})`,
    repeatsHeader: false,
  },
  size: ({ body }) => (body as { text: string }).text.length,
  hostile: [
    '@golem_bot',
    '/start',
    '/start@golem_bot',
    '@ann',
    '[Ann](tg://user?id=5000000011)',
    'tg://resolve?domain=ann',
  ],
  silent: true,
  // Administrators only (core.telegram.org/bots/api#getchatadministrators).
  members: 'some',
  postMethod: 'sendMessage',
  listening: ['getUpdates', 'getMe', 'getWebhookInfo'],
  refusals: [
    refused(
      'a chat the bot was removed from',
      { kind: 'forbidden' },
      403,
      'Forbidden: bot was kicked from the supergroup chat',
    ),
    refused(
      'a person who blocked the bot',
      { kind: 'forbidden' },
      403,
      'Forbidden: bot was blocked by the user',
    ),
    refused(
      'a chat without the right to write',
      { kind: 'forbidden' },
      400,
      'Bad Request: not enough rights to send text messages to the chat',
    ),
    refused('a topic that is closed', { kind: 'gone', what: 'thread' }, 400, 'Bad Request: TOPIC_CLOSED'),
    refused(
      'markup that is not taken',
      { kind: 'invalid', field: 'markup' },
      400,
      "Bad Request: can't parse entities: Can't find end of the entity",
    ),
    {
      name: 'a chat that is not there',
      failure: { kind: 'gone', what: 'chat' },
      op: ({ part }) => posted('-1009999999999', part),
    },
    {
      name: 'a thread that is not there',
      failure: { kind: 'gone', what: 'thread' },
      op: ({ chat, part }) => ({ kind: 'post', place: { chat, thread: '99999' }, part }),
    },
    ...refusedChanges('99999'),
    {
      name: 'a text that is too long',
      failure: { kind: 'invalid', field: 'length' },
      op: ({ chat, part }) => posted(chat, { ...part, body: { text: 'x'.repeat(4_097), entities: [] } }),
    },
    {
      name: 'a file that is not there',
      failure: { kind: 'invalid', field: 'file' },
      op: ({ chat }) => ({ kind: 'upload', place: { chat }, path: '/nowhere/at/all.txt', name: 'all.txt' }),
    },
  ],
  throttles: [
    {
      name: 'a flood in a chat',
      fault: { method: 'sendMessage', do: { kind: 'rate-limit', retryAfterMs: 7_000 } },
      waitMs: 7_000,
    },
  ],
}

export default subject
