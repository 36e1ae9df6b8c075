/** The unpatched SDKs over Socket Mode. */
import { App, type ReceiverEvent, SocketModeReceiver } from '@slack/bolt'
import { SocketModeClient } from '@slack/socket-mode'
import { WebClient } from '@slack/web-api'
import { afterEach, describe, expect, it } from 'vitest'
import { Closing } from './bot.fixture.js'
import type { SlackSimulator } from './index.js'
import { quiet } from './quiet.fixture.js'

const closing = new Closing()
afterEach(() => closing.end())

interface Heard {
  type: string
  body: Record<string, unknown> & { event: Record<string, unknown> }
  retry_num: number
  ack(response?: unknown): Promise<void>
}

const settings = (sim: SlackSimulator) =>
  sim.settings('socket') as { appToken: string; botToken: string; apiUrl: string }

/** The client's own `disconnect` waits for a handshake; the end of the test need not. */
const leave = (going: Promise<unknown>): Promise<unknown> => Promise.race([going, Promise.resolve()])

function client(sim: SlackSimulator, options: object = {}): SocketModeClient {
  const { appToken, apiUrl } = settings(sim)
  const made = new SocketModeClient({
    appToken,
    logger: quiet,
    clientOptions: { slackApiUrl: apiUrl },
    ...options,
  })
  return closing.add(made, () => leave(made.disconnect()))
}

function listen(socket: SocketModeClient): Heard[] {
  const heard: Heard[] = []
  socket.on('slack_event', (event: Heard) => {
    heard.push(event)
    void event.ack()
  })
  return heard
}

describe('SocketModeClient', () => {
  it('hears a mention as two events of one post, and acknowledges them', async () => {
    const sim = await closing.slack()
    const ann = sim.person('Ann Lee')
    const chat = sim.group('dev', [ann])
    const socket = client(sim)
    const heard = listen(socket)
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
    })
    expect(heard[0]?.retry_num).toBe(0)
    expect(sim.pending).toBe(0)
  })

  it('comes back by itself after a cut, a silent line and a request to refresh', async () => {
    const sim = await closing.slack({ pingMs: 50 })
    const ann = sim.person('Ann')
    const chat = sim.group('dev', [ann])
    const socket = client(sim, {
      clientPingTimeout: 100,
      clientOptions: { slackApiUrl: settings(sim).apiUrl, timeout: 300 },
    })
    const heard = listen(socket)
    await socket.start()
    for (const [n, cut] of [
      () => sim.cut('close'),
      () => sim.cut('half-open'),
      () => sim.disconnect('refresh_requested'),
    ].entries()) {
      cut()
      sim.say(chat, ann, `after ${n}`)
      await sim.until(() => sim.acknowledged.length === n + 1, `event ${n} acknowledged`)
    }
    expect(new Set(heard.map(({ body }) => body.event.text))).toEqual(
      new Set(['after 0', 'after 1', 'after 2']),
    )
  })

  it('a token that is no longer good is told when it connects', async () => {
    const sim = await closing.slack()
    sim.revoke('app')
    await expect(client(sim).start()).rejects.toThrow('invalid_auth')
  })
})

describe('Bolt', () => {
  it('answers a mention in its thread', async () => {
    const sim = await closing.slack({ subscribe: 'addressed' })
    const ann = sim.person('Ann')
    const chat = sim.group('dev', [ann])
    const { appToken, botToken, apiUrl } = settings(sim)
    const app = new App({
      token: botToken,
      appToken,
      socketMode: true,
      logger: quiet,
      clientOptions: { slackApiUrl: apiUrl },
    })
    app.event('app_mention', async ({ event, say }) => {
      await say({ text: `Hello <@${event.user}>`, thread_ts: event.ts })
    })
    await app.start()
    closing.add(app, () => leave(app.stop()))
    const question = sim.say(chat, ann, 'hi', { mention: true })
    await sim.until(() => sim.seen(chat).length === 2, 'an answer')
    expect(sim.seen(chat)[1]).toMatchObject({
      text: 'Hello @Ann',
      replyTo: question,
      thread: question,
      pings: [ann.id],
      author: { bot: true, name: 'Golem' },
    })
  })

  it('SocketModeReceiver alone can persist before it acknowledges', async () => {
    const sim = await closing.slack()
    const { appToken, apiUrl } = settings(sim)
    const receiver = new SocketModeReceiver({
      appToken,
      logger: quiet,
      installerOptions: { clientOptions: { slackApiUrl: apiUrl } },
    })
    const kept: unknown[] = []
    receiver.init({
      processEvent: async (event: ReceiverEvent) => {
        kept.push((event.body as { event_id: string }).event_id)
        await event.ack()
      },
    } as unknown as App)
    await receiver.start()
    closing.add(receiver, () => leave(receiver.stop()))
    const ann = sim.person('Ann')
    sim.say(sim.dm(ann), ann, 'hi')
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
    expect(kept).toEqual(sim.acknowledged)
  })
})

describe('WebClient', () => {
  const web = (sim: SlackSimulator, options: object = {}) =>
    new WebClient(settings(sim).botToken, {
      slackApiUrl: settings(sim).apiUrl,
      logger: quiet,
      retryConfig: { retries: 0 },
      ...options,
    })

  it('posts, edits, reacts, uploads', async () => {
    const sim = await closing.slack()
    const chat = sim.group('dev', [sim.person('Ann')])
    const slack = web(sim)
    expect(await slack.auth.test()).toMatchObject({ user_id: sim.bot.id, team: 'Acme' })
    const { ts = '' } = await slack.chat.postMessage({ channel: chat, text: 'one' })
    await slack.chat.update({ channel: chat, ts, text: '*two*' })
    await slack.reactions.add({ channel: chat, timestamp: ts, name: 'eyes' })
    await slack.filesUploadV2({
      channel_id: chat,
      filename: 'a.txt',
      content: 'hello',
      initial_comment: 'see',
    })
    expect(sim.seen(chat)).toMatchObject([
      { text: 'two', edited: true, reactions: [{ emoji: '👀', by: sim.bot.id }] },
      { text: 'see', files: [{ name: 'a.txt', bytes: 5 }] },
    ])
  })

  it('is told how long to wait', async () => {
    const sim = await closing.slack()
    sim.fault({ do: { kind: 'rate-limit', retryAfterMs: 7_000 } })
    const call = web(sim, { rejectRateLimitedCalls: true }).auth.test()
    await expect(call).rejects.toMatchObject({ retryAfter: 7 })
  })

  it('reads page by page', async () => {
    const sim = await closing.slack()
    const ann = sim.person('Ann')
    const chat = sim.group('dev', [ann])
    for (let n = 0; n < 5; n++) sim.say(chat, ann, String(n))
    const texts: unknown[] = []
    for await (const page of web(sim).paginate('conversations.history', { channel: chat, limit: 2 })) {
      texts.push(...((page as { messages?: { text: string }[] }).messages ?? []).map(({ text }) => text))
    }
    expect(texts).toEqual(['4', '3', '2', '1', '0'])
  })
})
