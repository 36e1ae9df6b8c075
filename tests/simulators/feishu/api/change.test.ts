/** Messages that are there already: edited, replaced, taken back, marked; by bare calls. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../kit/stage.js'
import { api, button, Closing, card, type Json, markdown } from '../bot.fixture.js'
import type { FeishuOptions, FeishuSimulator } from '../index.js'

const closing = new Closing()
afterEach(() => closing.end())

let sim: FeishuSimulator
let ann: Person
let chat: string

async function begin(options: FeishuOptions = {}): Promise<void> {
  sim = await closing.feishu({ clock: { manual: true, start: 1_700_000_000_000 }, ...options })
  ann = sim.person('Ann')
  chat = sim.group('team', [ann])
}
beforeEach(() => begin())

const text = (value: string) => JSON.stringify({ text: value })
const create = (more: Json = {}, type = 'chat_id') =>
  api(sim, 'POST', `/im/v1/messages?receive_id_type=${type}`, {
    receive_id: chat,
    msg_type: 'text',
    content: text('hello'),
    ...more,
  })
const _reply = (id: string, more: Json = {}) =>
  api(sim, 'POST', `/im/v1/messages/${id}/reply`, { msg_type: 'text', content: text('re'), ...more })
const idOf = ({ body }: Awaited<ReturnType<typeof create>>): string => String(body.data?.message_id)

describe('update', () => {
  const update = (id: string, more: Json = {}) =>
    api(sim, 'PUT', `/im/v1/messages/${id}`, { msg_type: 'text', content: text('new'), ...more })

  it('edits text twenty times, and pages nobody', async () => {
    const id = idOf(await create())
    for (let n = 0; n < 20; n++) {
      sim.clock.advance(1_000)
      expect((await update(id, { content: text(`<at user_id="${ann.id}"></at> ${n}`) })).body.code).toBe(0)
    }
    expect(sim.seen(chat)).toMatchObject([{ text: '@Ann 19', edited: true, pings: [] }])
    sim.clock.advance(1_000)
    expect((await update(id)).body.code).toBe(230072)
  })

  it('refuses what is not its own, not text, too old, or gone', async () => {
    expect((await update(sim.say(chat, ann, 'hers'))).body.code).toBe(230071)
    const id = idOf(await create({ msg_type: 'interactive', content: card(markdown('x')) }))
    expect((await update(id)).body.code).toBe(230054)
    const old = idOf(await create())
    sim.clock.advance(86_400_001)
    expect((await update(old)).body.code).toBe(230075)
    expect((await update('om_nothing')).body.code).toBe(230001)
  })
})

describe('patch', () => {
  const patch = (id: string, content: string) => api(sim, 'PATCH', `/im/v1/messages/${id}`, { content })

  it('replaces a card, and pages nobody', async () => {
    const id = idOf(await create({ msg_type: 'interactive', content: card(markdown('a'), button('B', 'b')) }))
    expect((await patch(id, card(markdown(`<at id=${ann.id}></at> c`)))).body.code).toBe(0)
    expect(sim.seen(chat)).toMatchObject([{ id, text: '@Ann c', buttons: [], pings: [], edited: true }])
  })

  it('refuses text, cards of others, cards that are not shared, and cards of two weeks ago', async () => {
    expect((await patch(idOf(await create()), card())).body.code).toBe(230054)
    expect((await patch(sim.say(chat, ann, 'x'), card())).body.code).toBe(230012)
    const old = { elements: [markdown('x')] }
    const id = idOf(await create({ msg_type: 'interactive', content: JSON.stringify(old) }))
    const shared = JSON.stringify({ ...old, config: { update_multi: true } })
    expect((await patch(id, shared)).body.code).toBe(230001)
    const late = idOf(await create({ msg_type: 'interactive', content: card() }))
    sim.clock.advance(14 * 86_400_000 + 1)
    expect((await patch(late, card())).body.code).toBe(230031)
  })
})

describe('delete', () => {
  const remove = (id: string) => api(sim, 'DELETE', `/im/v1/messages/${id}`)

  it('takes back its own, within a day', async () => {
    const [first, second] = [idOf(await create()), idOf(await create())]
    expect((await remove(first)).body.code).toBe(0)
    expect((await remove(first)).body.code).toBe(230011)
    expect(sim.seen(chat).map(({ id }) => id)).toEqual([second])
    sim.clock.advance(86_400_001)
    expect((await remove(second)).body.code).toBe(230026)
    expect((await remove(sim.say(chat, ann, 'hers'))).body.code).toBe(230026)
  })
})

describe('reactions', () => {
  const react = (id: string, emoji: string) =>
    api(sim, 'POST', `/im/v1/messages/${id}/reactions`, { reaction_type: { emoji_type: emoji } })

  it('are added, listed and taken away', async () => {
    const id = sim.say(chat, ann, 'x')
    sim.react(chat, id, ann, '👍')
    const { body } = await react(id, 'DONE')
    expect(sim.seen(chat)[0]?.reactions).toEqual([
      { emoji: '👍', by: ann.id },
      { emoji: '✅', by: sim.bot.id },
    ])
    const listed = await api(sim, 'GET', `/im/v1/messages/${id}/reactions?reaction_type=DONE`)
    expect(listed.body.data).toMatchObject({
      items: [{ operator: { operator_type: 'app' } }],
      has_more: false,
    })
    const away = `/im/v1/messages/${id}/reactions/${String(body.data?.reaction_id)}`
    expect((await api(sim, 'DELETE', away)).body.code).toBe(0)
    expect(sim.seen(chat)[0]?.reactions).toHaveLength(1)
  })

  it('have refusals of their own', async () => {
    const id = sim.say(chat, ann, 'x')
    expect((await react(id, 'not a name')).body.code).toBe(231001)
    expect((await react('om_nothing', 'DONE')).body.code).toBe(231003)
    sim.react(chat, id, ann, 'DONE')
    const listed = await api(sim, 'GET', `/im/v1/messages/${id}/reactions`)
    const [hers] = (listed.body.data?.items ?? []) as { reaction_id: string }[]
    const away = `/im/v1/messages/${id}/reactions/${hers?.reaction_id}`
    expect((await api(sim, 'DELETE', away)).body.code).toBe(231007)
    sim.feishu.remove(chat, sim.bot)
    expect((await react(id, 'DONE')).body.code).toBe(231002)
  })
})
