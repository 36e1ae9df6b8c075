/** The simulator by hand, over HTTP. */
import { afterEach, expect, it } from 'vitest'
import { Closing, type Json, send } from './bot.fixture.js'

const closing = new Closing()
afterEach(() => closing.end())

it('is driven by the control API: the common words, and those of Feishu', async () => {
  const sim = await closing.feishu({ encryptKey: null })
  const post = async (path: string, body: Json): Promise<Json> =>
    (await send(`${sim.url}/_sim/${path}`, 'POST', body)).body
  const ann = await post('people', { name: 'Ann' })
  expect(ann.id).toMatch(/^ou_/)
  const { id: chat } = await post('chats', { title: 'team', people: ['Ann'] })
  const { id: topics } = await post('topics', { title: 'topics', people: ['Ann'] })
  await post(`chats/${String(chat)}/messages`, { person: 'Ann', text: 'hi', mention: true })
  await post('rename', { chat, name: 'crew' })
  const guest = await post('external', { name: 'Guest' })
  await post('add', { chat, person: guest.id })
  await post('remove', { chat })
  const message = await post('sticker', { chat: topics, person: 'Ann' })
  await post('forward', { chat: topics, person: 'Ann', messages: [message.id] })
  await post('menu', { person: 'Ann', key: 'help' })
  await post('inject', { body: { uuid: 'u1', type: 'event_callback' } })
  expect(await post('settings', { how: 'webhook' })).toEqual(sim.settings('webhook'))
  const hook = await closing.hook()
  await post('webhook', { url: hook.url })
  await sim.until(() => sim.acknowledged.length === 7, 'all that happened')
  expect(await post('rename', { chat: 'oc_nowhere', name: 'x' })).toMatchObject({
    error: { code: 'refused' },
  })
  expect(await post('menu', { person: 'Nobody', key: 'x' })).toMatchObject({ error: { code: 'refused' } })
  await post('disband', { chat })
  await post('revoke', {})
  await post('restore', {})
  const state = (await send(`${sim.url}/_sim/state`, 'GET')).body
  expect(state).toMatchObject({ platform: 'feishu', bot: { name: 'Golem' }, pending: 0 })
})
