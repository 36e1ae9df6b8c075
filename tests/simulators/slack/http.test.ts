/** The unpatched Bolt, by HTTP. */

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App, HTTPReceiver, type ReceiverEvent } from '@slack/bolt'
import { afterEach, describe, expect, it } from 'vitest'
import { Closing } from './bot.fixture.js'
import type { SlackOptions, SlackSimulator } from './index.js'
import { quiet } from './quiet.fixture.js'

const closing = new Closing()
afterEach(() => closing.end())

async function bolt(sim: SlackSimulator): Promise<App> {
  const { botToken = '', signingSecret = '', apiUrl = '' } = sim.settings('webhook') as Record<string, string>
  const app = new App({
    token: botToken,
    signingSecret,
    logger: quiet,
    clientOptions: { slackApiUrl: apiUrl },
  })
  const server = (await app.start({ port: 0, host: '127.0.0.1' })) as Server
  closing.add(app, () => app.stop())
  sim.webhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`)
  return app
}

async function open(options: SlackOptions = {}) {
  const sim = await closing.slack(options)
  const app = await bolt(sim)
  const ann = sim.person('Ann')
  return { sim, app, ann, chat: sim.group('dev', [ann]) }
}

describe('Bolt over HTTP', () => {
  it('proves its URL, answers a mention in its thread', async () => {
    const { sim, app, ann, chat } = await open()
    expect(await sim.verifyWebhook()).toBe(true)
    app.event('app_mention', async ({ event, client }) => {
      await client.chat.postMessage({
        channel: event.channel,
        thread_ts: event.ts,
        text: `Hello <@${event.user}>`,
      })
    })
    const ts = sim.say(chat, ann, 'hi', { mention: true })
    await sim.until(() => sim.seen(chat).length === 2, 'an answer')
    expect(sim.seen(chat)[1]).toMatchObject({ text: 'Hello @Ann', thread: ts, pings: [ann.id] })
    await sim.until(() => sim.pending === 0, 'all taken')
  })

  it('refuses a signature of an hour ago, and the event comes again', async () => {
    const { sim, ann, chat } = await open()
    sim.skew(-3_600_000)
    sim.say(chat, ann, 'late')
    await sim.until(() => sim.waitsUntil !== undefined, 'refused twice')
    sim.skew(0)
    sim.clock.advance(60_000)
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
  })

  it('takes presses, commands and shortcuts, and answers by what came with them', async () => {
    const { sim, app, ann, chat } = await open()
    app.command('/golem', async ({ command, ack }) => {
      await ack({ response_type: 'in_channel', text: `you said ${command.text}` })
    })
    app.action('approve', async ({ ack, respond, body }) => {
      await ack()
      await respond({ text: `approved by <@${body.user.id}>`, replace_original: true })
    })
    app.shortcut('ask', async ({ ack, client, shortcut }) => {
      await ack()
      await client.views.open({
        trigger_id: shortcut.trigger_id,
        view: { type: 'modal', title: { type: 'plain_text', text: 'Ask' }, blocks: [{ type: 'divider' }] },
      })
    })
    sim.slack.slash(chat, ann, '/golem', 'hi there')
    await sim.until(() => sim.seen(chat).length === 1, 'the answer to a command')
    expect(sim.seen(chat)[0]).toMatchObject({ text: 'you said hi there', author: { bot: true } })
    const { ts = '' } = await app.client.chat.postMessage({
      channel: chat,
      text: 'Deploy?',
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: 'Deploy?' } },
        {
          type: 'actions',
          elements: [
            { type: 'button', text: { type: 'plain_text', text: 'Yes' }, value: 'y:1', action_id: 'approve' },
          ],
        },
      ],
    })
    expect(sim.seen(chat)[1]?.buttons).toEqual([{ label: 'Yes', value: 'y:1' }])
    sim.press(chat, ts, ann, 'y:1')
    await sim.until(() => sim.seen(chat)[1]?.text === 'approved by @Ann', 'the press has changed the message')
    expect(sim.seen(chat)[1]?.buttons).toEqual([])
    sim.slack.shortcut(ann, 'ask', { chat, id: ts })
    await sim.until(() => sim.views.length === 1, 'a window')
    expect(sim.views[0]).toMatchObject({ user: ann.id, view: { type: 'modal' } })
  })

  it('HTTPReceiver alone can persist before it acknowledges', async () => {
    const sim = await closing.slack()
    const { signingSecret = '' } = sim.settings('webhook') as Record<string, string>
    const receiver = new HTTPReceiver({ signingSecret, logger: quiet, port: 0 })
    const kept: string[] = []
    receiver.init({
      processEvent: async (event: ReceiverEvent) => {
        kept.push(String((event.body as { event_id: string }).event_id))
        await event.ack()
      },
    } as unknown as App)
    const server = (await receiver.start({ port: 0, host: '127.0.0.1' })) as Server
    closing.add(receiver, () => receiver.stop())
    sim.webhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`)
    const ann = sim.person('Ann')
    sim.say(sim.dm(ann), ann, 'hi')
    await sim.until(() => sim.acknowledged.length === 1, 'taken')
    expect(kept).toEqual(sim.acknowledged)
  })
})
