/** The unpatched SDKs over Socket Mode. */

import { App } from '@slack/bolt'
import { SocketModeClient } from '@slack/socket-mode'
import { WebClient } from '@slack/web-api'
import { afterEach, describe, expect, it } from 'vitest'
import { type SlackOptions, type SlackSimulator, startSlack } from './index.js'

const quiet = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => 'error' as never,
  setName() {},
}

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function start(options: SlackOptions = {}): Promise<SlackSimulator> {
  const sim = await startSlack(options)
  closers.push(() => sim.close())
  return sim
}

interface Heard {
  type: string
  body: Record<string, unknown> & { event: Record<string, unknown> }
  retry_num: number
  retry_reason: string
  envelope_id: string
  ack(response?: unknown): Promise<void>
}

function client(sim: SlackSimulator, options: object = {}): SocketModeClient {
  const { appToken, apiUrl } = sim.settings('socket') as { appToken: string; apiUrl: string }
  const made = new SocketModeClient({
    appToken,
    logger: quiet,
    clientOptions: { slackApiUrl: apiUrl },
    ...options,
  })
  closers.push(() => Promise.race([made.disconnect(), new Promise((resolve) => setImmediate(resolve))]))
  return made
}

describe('SocketModeClient', () => {
  it('is greeted, hears a mention as two events of one post, and acknowledges them', async () => {
    const sim = await start()
    const ann = sim.person('Ann Lee')
    const chat = sim.group('dev', [ann])
    const socket = client(sim)
    const heard: Heard[] = []
    socket.on('slack_event', (event: Heard) => {
      heard.push(event)
      void event.ack()
    })
    await socket.start()
    const ts = sim.say(chat, ann, 'deploy *now* `x`', { mention: true })
    await sim.until(() => sim.acknowledged.length === 2, 'both events acknowledged')
    expect(heard.map(({ body }) => [body.event.type, body.event.ts])).toEqual([
      ['message', ts],
      ['app_mention', ts],
    ])
    expect(heard[0]?.body.event).toMatchObject({
      user: ann.id,
      text: `<@${sim.bot.id}> deploy *now* \`x\``,
      channel: chat,
      channel_type: 'channel',
      blocks: [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'user', user_id: sim.bot.id },
                { type: 'text', text: ' deploy ' },
                { type: 'text', text: 'now', style: { bold: true } },
                { type: 'text', text: ' ' },
                { type: 'text', text: 'x', style: { code: true } },
              ],
            },
          ],
        },
      ],
    })
    expect(heard[0]).toMatchObject({ retry_num: 0 })
    expect(sim.pending).toBe(0)
  })
})

describe('Bolt', () => {
  it('answers a mention in its thread over Socket Mode', async () => {
    const sim = await start({ subscribe: 'addressed' })
    const ann = sim.person('Ann')
    const chat = sim.group('dev', [ann])
    const { appToken, botToken, apiUrl } = sim.settings('socket') as Record<string, string>
    const app = new App({
      token: botToken ?? '',
      appToken: appToken ?? '',
      socketMode: true,
      logger: quiet,
      clientOptions: { slackApiUrl: apiUrl ?? '' },
    })
    app.event('app_mention', async ({ event, say }) => {
      await say({ text: `Hello <@${event.user}>`, thread_ts: event.ts })
    })
    await app.start()
    closers.push(() => Promise.race([app.stop(), new Promise((resolve) => setImmediate(resolve))]))
    const question = sim.say(chat, ann, 'hi', { mention: true })
    await sim.until(() => sim.seen(chat).length === 2, 'an answer')
    expect(sim.seen(chat)[1]).toMatchObject({
      text: 'Hello @Ann',
      replyTo: question,
      thread: question,
      pings: [ann.id],
      author: { bot: true, name: 'Golem' },
    })
    expect(sim.calls.map(({ method }) => method)).toContain('chat.postMessage')
  })
})

describe('WebClient', () => {
  it('posts, edits, reacts, uploads', async () => {
    const sim = await start()
    const ann = sim.person('Ann')
    const chat = sim.group('dev', [ann])
    const { botToken, apiUrl } = sim.settings('socket') as Record<string, string>
    const web = new WebClient(botToken, {
      slackApiUrl: apiUrl ?? '',
      logger: quiet,
      retryConfig: { retries: 0 },
    })
    expect(await web.auth.test()).toMatchObject({ user_id: sim.bot.id, team: 'Acme' })
    const { ts = '' } = await web.chat.postMessage({ channel: chat, text: 'one' })
    await web.chat.update({ channel: chat, ts, text: '*two*' })
    await web.reactions.add({ channel: chat, timestamp: ts, name: 'eyes' })
    await web.filesUploadV2({ channel_id: chat, filename: 'a.txt', content: 'hello', initial_comment: 'see' })
    expect(sim.seen(chat)).toMatchObject([
      { text: 'two', edited: true, reactions: [{ emoji: '👀', by: sim.bot.id }] },
      { text: 'see', files: [{ name: 'a.txt', bytes: 5 }] },
    ])
  })
})
