/** What people do, and the events that tell of it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../kit/stage.js'
import { api, Closing, type Heard } from './bot.fixture.js'
import type { SlackOptions, SlackSimulator } from './index.js'

const closing = new Closing()
let sim: SlackSimulator
let ann: Person
let chat: string
let heard: Heard[]

async function open(options: SlackOptions = {}): Promise<void> {
  sim = await closing.slack(options)
  ann = sim.person('Ann')
  chat = sim.group('dev', [ann])
  heard = (await closing.socket(sim)).heard
}
beforeEach(() => open())
afterEach(() => closing.end())

/** What was heard when all is quiet: types, or types with their subtype. */
async function told(): Promise<string[]> {
  await sim.until(() => sim.pending === 0, 'all taken')
  return heard.map(({ payload: { event } }) =>
    event.subtype === undefined ? String(event.type) : `${event.type}/${event.subtype}`,
  )
}
const event = (at: number) => heard.at(at)?.payload.event

describe('what is said', () => {
  it('carries what a client sends', async () => {
    const root = sim.say(chat, ann, 'root')
    sim.say(chat, ann, 'reply with <https://x.example/?a=1&b=2|no>', { replyTo: root })
    await told()
    expect(event(0)).toEqual({
      type: 'message',
      user: ann.id,
      ts: root,
      client_msg_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      text: 'root',
      team: expect.stringMatching(/^T/),
      blocks: [
        {
          type: 'rich_text',
          block_id: expect.any(String),
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'root' }] }],
        },
      ],
      channel: chat,
      event_ts: root,
      channel_type: 'channel',
    })
    expect(event(1)).toMatchObject({ thread_ts: root, parent_user_id: ann.id })
    expect(heard[0]?.payload).toMatchObject({
      type: 'event_callback',
      authorizations: [{ user_id: sim.bot.id, is_bot: true }],
      is_ext_shared_channel: false,
      event_time: expect.any(Number),
    })
  })

  it('the two events of a mention come in either order; in a direct chat there is one', async () => {
    sim.say(chat, ann, 'a', { mention: true })
    sim.say(chat, ann, 'b', { mention: true })
    sim.say(sim.dm(ann), ann, 'c', { mention: true })
    expect(await told()).toEqual(['message', 'app_mention', 'app_mention', 'message', 'message'])
    expect(event(1)).not.toHaveProperty('channel_type')
    expect(event(4)).toMatchObject({ channel_type: 'im' })
  })

  it('an id in code is no mention', async () => {
    sim.say(chat, ann, `write \`<@${sim.bot.id}>\``)
    expect(await told()).toEqual(['message'])
  })

  it('files, broadcasts, /me and other bots have their subtypes', async () => {
    sim.say(chat, ann, 'see', { files: [{ name: 'A b.CSV', mime: 'text/csv', bytes: Buffer.from('1,2') }] })
    const root = sim.say(chat, ann, 'root')
    sim.slack.say(chat, ann, 'both', { replyTo: root, broadcast: true })
    sim.slack.say(chat, ann, 'waves', { me: true })
    sim.say(chat, sim.slack.otherBot('Hook', { legacy: true }), 'done')
    sim.say(chat, sim.slack.otherBot('Deploys'), 'done')
    expect(await told()).toEqual([
      'message/file_share',
      'message',
      'message/thread_broadcast',
      'message/me_message',
      'message/bot_message',
      'message',
    ])
    expect(event(0)?.files).toMatchObject([
      {
        name: 'A b.CSV',
        mimetype: 'text/csv',
        filetype: 'csv',
        size: 3,
        url_private: expect.stringContaining('/files-pri/T'),
      },
    ])
    expect(event(2)).toMatchObject({ thread_ts: root, root: { ts: root, text: 'root' } })
    expect(event(4)).toMatchObject({ bot_id: expect.stringMatching(/^B/), username: 'Hook' })
    expect(event(4)).not.toHaveProperty('user')
    expect(event(5)).toMatchObject({ user: expect.stringMatching(/^U/), bot_profile: { name: 'Deploys' } })
    expect(sim.seen(chat).slice(-2)).toMatchObject([
      { author: { name: 'Hook', bot: true } },
      { author: { name: 'Deploys', bot: true } },
    ])
  })

  it('a mention with a file may come as a message alone', async () => {
    await open({ mentionsWithFiles: false })
    sim.say(chat, ann, 'see', {
      mention: true,
      files: [{ name: 'a', mime: 'text/plain', bytes: Buffer.from('1') }],
    })
    expect(await told()).toEqual(['message/file_share'])
  })

  it('edits and deletes tell what was and what is', async () => {
    const ts = sim.say(chat, ann, 'one')
    sim.edit(chat, ts, 'two')
    sim.delete(chat, ts)
    expect(await told()).toEqual(['message', 'message/message_changed', 'message/message_deleted'])
    expect(event(1)).toMatchObject({
      hidden: true,
      message: { ts, text: 'two', edited: { user: ann.id } },
      previous_message: { ts, text: 'one' },
    })
    expect(event(2)).toMatchObject({ hidden: true, deleted_ts: ts, previous_message: { text: 'two' } })
    expect(sim.seen(chat)).toEqual([])
  })

  it('a deleted root with replies becomes a tombstone', async () => {
    const ts = sim.say(chat, ann, 'one')
    sim.say(chat, ann, 'reply', { replyTo: ts })
    sim.delete(chat, ts)
    expect(await told()).toEqual(['message', 'message', 'message/message_changed'])
    expect(event(2)).toMatchObject({
      message: { subtype: 'tombstone', hidden: true },
      previous_message: { text: 'one' },
    })
  })

  it('the bot hears its own posts, but not its whispers', async () => {
    await api(sim, 'chat.postMessage', { channel: chat, text: 'mine' })
    await api(sim, 'chat.postEphemeral', { channel: chat, user: ann.id, text: 'psst' })
    expect(await told()).toEqual(['message'])
    expect(event(0)).toMatchObject({
      user: sim.bot.id,
      bot_id: expect.any(String),
      app_id: expect.any(String),
      bot_profile: { name: 'Golem' },
    })
    expect(event(0)).not.toHaveProperty('metadata')
  })
})

describe('who hears what', () => {
  it('only what is addressed, by subscription', async () => {
    await open({ subscribe: 'addressed' })
    sim.say(chat, ann, 'aside')
    sim.say(chat, ann, 'you', { mention: true })
    sim.say(sim.dm(ann), ann, 'psst')
    expect(await told()).toEqual(['app_mention', 'message'])
  })

  it('nothing from where it is not, nor what it has no scope for', async () => {
    const other = sim.slack.channel('other', { joined: false, people: [ann] })
    sim.say(other, ann, 'x', { mention: true })
    expect(await told()).toEqual([])
    await open({ scopes: ['app_mentions:read'] })
    sim.say(chat, ann, 'x', { mention: true })
    expect(await told()).toEqual(['app_mention'])
  })

  it('a chat of several people is one kind of its own', async () => {
    const mpim = sim.slack.groupDm([ann, sim.person('Bob')])
    sim.say(mpim, ann, 'hi')
    expect(await told()).toEqual(['message'])
    expect(event(0)).toMatchObject({ channel: mpim, channel_type: 'mpim' })
    expect(await api(sim, 'conversations.info', { channel: mpim })).toMatchObject({
      channel: { name: 'mpdm-ann--bob--golem-1', is_mpim: true, is_private: true },
    })
  })

  it('people of another workspace are marked as such', async () => {
    const eve = sim.slack.connectPerson('Eve')
    const shared = sim.slack.channel('shared', { people: [ann, eve] })
    sim.say(shared, eve, 'hi', { files: [{ name: 'a', mime: 'text/plain', bytes: Buffer.from('1') }] })
    await told()
    expect(event(0)).toMatchObject({
      user_team: 'T0EXTERNAL',
      user_profile: { real_name: 'Eve' },
      files: [{ file_access: 'check_file_info' }],
    })
    expect(heard[0]?.payload).toMatchObject({ is_ext_shared_channel: true })
    const [file] = (event(0)?.files ?? []) as { id: string }[]
    expect(await api(sim, 'files.info', { file: file?.id })).toMatchObject({
      file: { name: 'a', file_access: 'visible' },
    })
  })
})

describe('what happens to channels and people', () => {
  it('joins, invitations, departures', async () => {
    const bob = sim.person('Bob')
    sim.slack.invite(chat, bob, ann)
    sim.slack.kick(chat, bob)
    expect(await told()).toEqual([
      'message/channel_join',
      'member_joined_channel',
      'message/channel_leave',
      'member_left_channel',
    ])
    expect(event(1)).toMatchObject({ user: bob.id, channel: chat, channel_type: 'C', inviter: ann.id })
    heard.length = 0
    sim.slack.kick(chat, sim.bot)
    sim.say(chat, ann, 'alone')
    sim.slack.invite(chat, sim.bot, ann)
    expect(await told()).toEqual(['channel_left', 'message/channel_join', 'member_joined_channel'])
    expect(event(2)).toMatchObject({ user: sim.bot.id, inviter: ann.id })
  })

  it('new names, topics, ends', async () => {
    sim.slack.rename(chat, 'ops', ann)
    sim.slack.topic(chat, 'all of it', ann)
    sim.slack.purpose(chat, 'why', ann)
    sim.slack.archive(chat, ann)
    sim.slack.archive(chat, ann, false)
    expect(await told()).toEqual([
      'message/channel_name',
      'channel_rename',
      'message/channel_topic',
      'message/channel_purpose',
      'message/channel_archive',
      'channel_archive',
      'message/channel_unarchive',
      'channel_unarchive',
    ])
    expect(event(0)).toMatchObject({ old_name: 'dev', name: 'ops' })
    expect(event(1)).toMatchObject({ channel: { id: chat, name: 'ops' } })
    expect(sim.chats()).toMatchObject([{ id: chat, title: 'ops', kind: 'group' }])
  })

  it('new channels are told when they are public', async () => {
    const id = sim.slack.createChannel('news', ann)
    sim.slack.createChannel('secret', ann, { private: true })
    expect(await told()).toEqual(['channel_created'])
    expect(event(0)).toMatchObject({ channel: { id, name: 'news', creator: ann.id } })
  })

  it('reactions, new names of people, the open home', async () => {
    const ts = sim.say(chat, ann, 'x')
    sim.react(chat, ts, ann, '👍')
    sim.slack.unreact(chat, ts, ann, '👍')
    sim.slack.renamePerson(ann, 'Anna')
    sim.slack.openHome(ann)
    expect(await told()).toEqual([
      'message',
      'reaction_added',
      'reaction_removed',
      'user_change',
      'app_home_opened',
    ])
    expect(event(1)).toMatchObject({
      reaction: '+1',
      user: ann.id,
      item: { channel: chat, ts },
      item_user: ann.id,
    })
    expect(event(3)).toMatchObject({ user: { id: ann.id, real_name: 'Anna' } })
    expect(sim.seen(chat)[0]).toMatchObject({ author: { name: 'Anna' } })
  })
})

describe('presses and commands by socket', () => {
  it('carry what the app needs to answer', async () => {
    const { ts } = await api(sim, 'chat.postMessage', {
      channel: chat,
      text: 'Go?',
      blocks: [
        {
          type: 'actions',
          block_id: 'blk',
          elements: [
            {
              type: 'button',
              text: { type: 'plain_text', text: 'Go' },
              value: 'v',
              action_id: 'a',
              style: 'primary',
            },
          ],
        },
      ],
    })
    await told()
    heard.length = 0
    sim.press(chat, String(ts), ann, 'v')
    await sim.until(() => heard.length === 1, 'a press')
    expect(heard[0]?.envelope).toMatchObject({ type: 'interactive', accepts_response_payload: true })
    expect(heard[0]?.payload).toMatchObject({
      type: 'block_actions',
      user: { id: ann.id, team_id: expect.any(String) },
      container: { type: 'message', message_ts: ts, channel_id: chat, is_ephemeral: false },
      channel: { id: chat, name: 'dev' },
      message: { ts, text: 'Go?' },
      actions: [{ action_id: 'a', block_id: 'blk', value: 'v', style: 'primary', type: 'button' }],
      trigger_id: expect.any(String),
    })
    expect(() => sim.press(chat, String(ts), ann, 'other')).toThrow('no button')
  })

  it('a response_url is good five times', async () => {
    sim.slack.slash(chat, ann, '/golem', 'x')
    await sim.until(() => heard.length === 1, 'a command')
    const url = String(heard[0]?.payload.response_url)
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) {
      statuses.push((await fetch(url, { method: 'POST', body: JSON.stringify({ text: `r${n}` }) })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 404])
    expect(sim.seen(chat)).toHaveLength(5)
    expect(sim.seen(chat)[0]).toMatchObject({ onlyFor: ann.id })
  })

  it('with nobody there, a press is lost: the person sees that nothing answers', async () => {
    sim.cut('close')
    await sim.until(() => sim.connections === 0, 'gone')
    sim.slack.slash(chat, ann, '/golem')
    expect([sim.pending, sim.lost.length]).toEqual([0, 1])
  })

  it('an answer that comes with the acknowledgement is shown', async () => {
    sim.cut('close')
    await closing.socket(sim, () => ({ text: 'at once' }))
    sim.slack.slash(chat, ann, '/golem')
    await sim.until(() => sim.seen(chat).length === 1, 'shown')
    expect(sim.seen(chat)[0]).toMatchObject({ text: 'at once', onlyFor: ann.id })
  })
})

describe('the control API', () => {
  it('does by HTTP what people do', async () => {
    const post = async (path: string, body: object) =>
      (await (
        await fetch(`${sim.url}/_sim/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json()) as { id: string }
    const bob = await post('people', { name: 'Bob' })
    const { id } = await post('channel', { name: 'New Room' })
    await post(`chats/${id}/messages`, { person: bob.id, text: 'hello', mention: true })
    expect(sim.seen(id)).toMatchObject([
      { text: '@Golem hello', pings: [sim.bot.id], author: { name: 'Bob' } },
    ])
    await post('kick', { chat: id, person: 'Bob' })
    const room = sim.chats().find((one) => one.id === id)
    expect(room?.members.map(({ name }) => name)).not.toContain('Bob')
  })

  it('what no member here makes can be injected', async () => {
    const id = sim.inject({ type: 'message', subtype: 'huddle_thread', channel: chat, ts: '1.000100' })
    expect(await told()).toEqual(['message/huddle_thread'])
    expect(sim.acknowledged).toEqual([id])
  })
})
