/** The vendor's SDK, as it is: the long connection, the client, webhooks. */
import { afterEach, describe, expect, it } from 'vitest'
import { button, Closing, card, clientOf, type Json, markdown } from './bot.fixture.js'

const closing = new Closing()
afterEach(() => closing.end())

describe('the long connection', () => {
  it('hears a mention and answers it by a reply', async () => {
    const sim = await closing.feishu()
    const client = clientOf(sim)
    const [ann] = [sim.person('Ann')]
    const chat = sim.group('team', [ann])
    const { heard } = await closing.socket(sim, async (event) => {
      const { message_id } = event.message as { message_id: string }
      await client.im.v1.message.reply({
        path: { message_id },
        data: {
          msg_type: 'text',
          content: JSON.stringify({ text: `<at user_id="${ann.id}">Ann</at> hello` }),
        },
      })
    })
    const id = sim.say(chat, ann, 'hi', { mention: true })
    await sim.until(() => sim.acknowledged.length === 1, 'the event to be taken')
    expect(heard[0]).toMatchObject({
      event_type: 'im.message.receive_v1',
      sender: { sender_id: { open_id: ann.id }, sender_type: 'user' },
      message: {
        message_id: id,
        chat_id: chat,
        chat_type: 'group',
        content: '{"text":"@_user_1 hi"}',
        mentions: [{ key: '@_user_1', id: { open_id: sim.bot.id }, name: 'Golem', mentioned_type: 'bot' }],
      },
    })
    expect(sim.seen(chat)).toMatchObject([
      { id, text: '@Golem hi', pings: [sim.bot.id] },
      { replyTo: id, author: { id: sim.bot.id, bot: true }, text: '@Ann hello', pings: [ann.id] },
    ])
    expect(sim.calls.map(({ method }) => method)).toEqual([
      'ws.endpoint',
      'auth.tenantAccessToken',
      'im.message.reply',
    ])
  })

  it('asks the app about a press, and shows its toast and its card', async () => {
    const sim = await closing.feishu()
    const ann = sim.person('Ann')
    const chat = sim.group('team', [ann])
    const after = JSON.parse(card(markdown('done'))) as Json
    const { heard } = await closing.socket(sim, () => ({
      toast: { type: 'success', content: 'thanks' },
      card: { type: 'raw', data: after },
    }))
    const sent = await clientOf(sim).im.v1.message.create({
      params: { receive_id_type: 'chat_id' },
      data: {
        receive_id: chat,
        msg_type: 'interactive',
        content: card(markdown('**Shall I?**'), button('Yes', { value: 'y' })),
      },
    })
    const id = sent.data?.message_id ?? ''
    expect(sim.seen(chat)).toMatchObject([{ text: 'Shall I?', buttons: [{ label: 'Yes', value: 'y' }] }])
    sim.press(chat, id, ann, 'y')
    await sim.until(() => sim.feishu.toasts.length === 1, 'the toast')
    expect(heard[0]).toMatchObject({
      event_type: 'card.action.trigger',
      operator: { open_id: ann.id },
      action: { tag: 'button', value: { value: 'y' } },
      context: { open_message_id: id, open_chat_id: chat },
    })
    expect(sim.feishu.toasts).toMatchObject([{ person: ann.id, type: 'success', text: 'thanks' }])
    expect(sim.seen(chat)).toMatchObject([{ id, text: 'done', edited: true, buttons: [] }])
  })
})
