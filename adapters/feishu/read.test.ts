import { describe, expect, it } from 'vitest'
import { mentionsOf, sourceText } from '../../src/messaging/contract.js'
import { fileId, resourceOf } from './file-id.js'
import { read } from './read.js'
import { messageOf } from './samples.fixture.js'

const BOT = { id: 'ou_bot_0001', name: '小助手' }

interface Entry {
  key: string
  id: { open_id: string; union_id?: string; user_id?: string }
  name: string
}

const body = (type: string, content: unknown, mentions: readonly Entry[] = [], more: object = {}) => ({
  schema: '2.0',
  header: {
    event_id: 'ev-0001',
    event_type: 'im.message.receive_v1',
    app_id: 'cli_test_01',
    token: 'vt-test',
  },
  event: {
    sender: { sender_id: { open_id: 'ou_user_ann' }, sender_type: 'user' },
    message: {
      message_id: 'om_0001',
      create_time: '1700000000000',
      chat_id: 'oc_group_01',
      chat_type: 'group',
      message_type: type,
      content: typeof content === 'string' ? content : JSON.stringify(content),
      mentions,
      ...more,
    },
  },
})
const heard = (...given: Parameters<typeof body>) => messageOf(read({ body: body(...given) }, BOT))
const text = (said: string, mentions: readonly Entry[] = []) => heard('text', { text: said }, mentions)
const entry = (key: string, id: string, name: string): Entry => ({
  key,
  id: { open_id: id, union_id: '', user_id: '' },
  name,
})
const ME = entry('@_user_1', 'ou_bot_0001', '小助手')

/** Whether the bot itself is named, by the law of the core: its id, and nothing else. */
const isNamed = (message: ReturnType<typeof text>): boolean =>
  mentionsOf(message.doc).some(({ target, id }) => target === 'user' && id === BOT.id)
/** What an agent is shown: the bot's own mention gone, others by name. */
const turnText = (message: ReturnType<typeof text>): string =>
  sourceText(message.doc, ({ id, name }) => (id === BOT.id ? null : `@${name}`))

describe('named cases', () => {
  it('fs-external-user-is-not-the-bot: guests and other bots are named by their own ids', () => {
    expect(isNamed(text('@_user_1 请看一下', [entry('@_user_1', 'ou_guest_77', '外部访客')]))).toBe(false)
    expect(isNamed(text('@_user_1 请看一下', [entry('@_user_1', 'ou_bot_0002', '另一个机器人')]))).toBe(false)
    // Even one that is called the same.
    expect(isNamed(text('@_user_1 请看一下', [entry('@_user_1', 'ou_bot_0002', '小助手')]))).toBe(false)
    expect(isNamed(text('@_user_1 请看一下', [ME]))).toBe(true)
  })

  it('fs-at-all-is-not-a-mention: of nobody in particular, in each of its forms', () => {
    const all = { key: '@_all', id: { open_id: '', union_id: '', user_id: '' }, name: '所有人' }
    const found = [
      text('@_all 今晚八点停机', [all]),
      text('@_all 今晚八点停机', []),
      text('<at user_id="all">所有人</at> 今晚八点停机'),
      heard('post', { content: [[{ tag: 'at', user_id: '@_all', user_name: '所有人' }]] }),
      heard('post', { zh_cn: { content: [[{ tag: 'at', user_id: 'all' }]] } }),
    ]
    for (const message of found) {
      expect(isNamed(message)).toBe(false)
      expect(mentionsOf(message.doc)).toMatchObject([{ target: 'everyone' }])
    }
    expect(isNamed(text('@_all @_user_1 请确认', [ME]))).toBe(true)
  })

  it('fs-placeholder-1-inside-10: each placeholder is its own person', () => {
    const message = text('@_user_1 请通知 @_user_10 和 @_user_2', [
      ME,
      entry('@_user_2', 'ou_user_02', '李二'),
      entry('@_user_10', 'ou_user_10', '王十'),
    ])
    expect(turnText(message)).toBe('请通知 @王十 和 @李二')
    expect(turnText(text('@_user_100@_user_1你好', [ME]))).toBe('@_user_100 你好')
  })

  it('fs-command-behind-mention: what is left begins with the command', () => {
    expect(turnText(text('@_user_1 /new', [ME]))).toBe('/new')
    expect(turnText(text('@_user_1/stop now', [ME]))).toBe('/stop now')
    const post = heard(
      'post',
      {
        content: [
          [
            { tag: 'at', user_id: '@_user_1' },
            { tag: 'text', text: ' /new' },
          ],
        ],
      },
      [ME],
    )
    expect(turnText(post)).toBe('/new')
  })

  it('fs-rich-post-keeps-everything: links, pictures, code, and tags nobody knows', () => {
    const rows = [
      [
        { tag: 'at', user_id: '@_user_1', user_name: '小助手' },
        { tag: 'text', text: ' 看看 ' },
        { tag: 'a', text: '链接', href: 'https://doc.example/x' },
      ],
      [{ tag: 'img', image_key: 'img_01' }],
      [{ tag: 'code_block', language: 'JS', text: 'a < b' }],
      [{ tag: 'new_tag_2030', text: '未知' }],
    ]
    for (const content of [
      { title: '周报', content: rows },
      { zh_cn: { title: '周报', content: rows } },
      { fr_fr: { title: '周报', content: rows } },
      { post: { zh_cn: { title: '周报', content: rows } } },
    ]) {
      const message = heard('post', content, [ME])
      const shown = turnText(message)
      expect(isNamed(message)).toBe(true)
      let from = 0
      for (const part of ['周报', '看看', '链接', 'https://doc.example/x', 'a < b', '未知']) {
        expect(shown.indexOf(part, from), part).toBeGreaterThanOrEqual(from)
        from = shown.indexOf(part, from)
      }
      expect(shown).not.toContain('@_user_1')
      expect(shown).not.toContain('"tag"')
      expect(message.files?.map(({ id }) => resourceOf(id))).toEqual([
        { message: 'om_0001', type: 'image', key: 'img_01' },
      ])
    }
  })

  it('fs-redelivery-hours-later: one message is one event, whatever delivered it', () => {
    const again = body('text', { text: 'x' })
    again.header.event_id = 'ev-0002'
    const keys = [read({ body: body('text', { text: 'x' }) }, BOT), read({ body: again }, BOT)].map(
      (event) => 'event' in event && event.event,
    )
    expect(new Set(keys).size).toBe(1)
  })

  it('fs-card-click-answer-within-3s: a press twice is two presses, delivered twice it is one', () => {
    const press = (id: string) =>
      read(
        {
          body: {
            schema: '2.0',
            header: { event_id: id, event_type: 'card.action.trigger', create_time: '1700000000000' },
            event: {
              operator: { open_id: 'ou_user_ann' },
              action: { value: { approval: 'ap-1', decision: 'approve' }, tag: 'button' },
              context: { open_message_id: 'om_1', open_chat_id: 'oc_1' },
            },
          },
        },
        BOT,
      )
    expect(press('a')).toEqual(press('a'))
    expect(press('a')).toMatchObject({ kind: 'press', value: '{"approval":"ap-1","decision":"approve"}' })
    expect('event' in press('b') && press('b')).not.toMatchObject({
      event: (press('a') as { event: string }).event,
    })
  })
})

describe('text', () => {
  it('is what was typed: marks, blanks and lines', () => {
    expect(text('  *a* <b> &lt; 1. x\n\n- y\n').doc.source).toBe('  *a* <b> &lt; 1. x\n\n- y')
    expect(text('a_b_c 2*3*4').doc.children).toMatchObject([{ children: [{ type: 'text' }] }])
  })

  it('in code a placeholder is a name and means nobody', () => {
    const message = text('`@_user_1` and ```\n@_user_1\n```', [ME])
    expect(isNamed(message)).toBe(false)
  })

  it('a placeholder that nobody explains stays as it was typed', () => {
    expect(text('@_user_7 hi').doc.source).toBe('@_user_7 hi')
  })

  it('a name with line breaks is one line', () => {
    expect(text('@_user_1 hi', [entry('@_user_1', 'ou_x', 'a\n# b')]).doc.source).toBe('@a # b hi')
  })

  it('names that are words of JavaScript are names', () => {
    const message = messageOf(
      read({ body: body('text', { text: 'x' }), names: { people: {}, chats: {} } }, BOT),
    )
    expect(message.author.name).toBe('ou_user_ann')
    expect(text('@_user_1', [entry('@_user_1', 'constructor', '')]).doc.source).toBe('@constructor')
  })
})

describe('what is said of whom', () => {
  it('an app is a bot; this app is itself, by open_id in events and by app_id in history', () => {
    const from = (sender: object) => {
      const raw = body('text', { text: 'x' })
      raw.event.sender = sender as never
      return read({ body: raw, appId: 'cli_own' }, BOT)
    }
    expect(from({ sender_id: { open_id: 'ou_bot_0001' }, sender_type: 'app' })).toMatchObject({
      kind: 'skipped',
      reason: 'own-message',
    })
    expect(from({ sender_id: { app_id: 'cli_own' }, sender_type: 'app' })).toMatchObject({
      reason: 'own-message',
    })
    expect(from({ sender_id: { app_id: 'cli_other' }, sender_type: 'app' })).toMatchObject({
      author: { id: 'cli_other', kind: 'bot' },
    })
    expect(from({ sender_id: {}, sender_type: 'user' })).toMatchObject({ reason: 'malformed' })
  })

  it('a reaction flattened by the SDK names the app that reacted, which is not this one', () => {
    const flat = {
      schema: '2.0',
      event_type: 'im.message.reaction.created_v1',
      message_id: 'om_1',
      reaction_type: { emoji_type: 'OK' },
      operator_type: 'app',
      app_id: 'cli_other',
      action_time: '1700000000000',
    }
    expect(read({ body: flat, chat: 'oc_1', appId: 'cli_own' }, BOT)).toMatchObject({
      kind: 'reaction',
      author: { id: 'cli_other', kind: 'bot' },
    })
    expect(read({ body: flat, chat: 'oc_1' }, BOT)).toMatchObject({ kind: 'reaction' })
    expect(read({ body: flat, chat: 'oc_1', appId: 'cli_other' }, BOT)).toMatchObject({
      reason: 'own-message',
    })
  })
})

describe('ids of files', () => {
  it('come back as they went', () => {
    const resource = { message: 'om_1', type: 'image' as const, key: 'img_v3-2' }
    expect(resourceOf(fileId(resource))).toEqual(resource)
  })

  it.each(['', 'om_1', 'om_1/image', 'om_1/video/x', '../../x/image/y', 'om_1/file/..', 'om_1/file/a/b'])(
    '%j is none',
    (id) => {
      expect(resourceOf(id)).toBeUndefined()
    },
  )
})
