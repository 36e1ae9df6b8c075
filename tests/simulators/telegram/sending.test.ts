import { describe, expect, it } from 'vitest'
import { box } from './harness.fixture.js'

describe('sendMessage', () => {
  it.each([
    [{ text: '' }, 'Bad Request: message text is empty'],
    [{ text: ' \n ' }, 'Bad Request: message text is empty'],
    [{ text: 'a'.repeat(4097) }, 'Bad Request: message is too long'],
    [
      { text: '<b>a', parse_mode: 'HTML' },
      'Bad Request: can\'t parse entities: Can\'t find end tag corresponding to start tag "b"',
    ],
    [
      { text: 'a.', parse_mode: 'MarkdownV2' },
      "Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
    ],
    [
      { text: 'a_b', parse_mode: 'Markdown' },
      "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 1",
    ],
    [{ text: 'a', parse_mode: 'Textile' }, 'Bad Request: unsupported parse_mode'],
    [{ text: 'a', reply_parameters: { message_id: 9 } }, 'Bad Request: message to be replied not found'],
    [{ text: 'a', reply_to_message_id: 9 }, 'Bad Request: message to be replied not found'],
    [{ text: 'a', message_thread_id: 9 }, 'Bad Request: message thread not found'],
    [
      { text: 'a', reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: 'é'.repeat(33) }]] } },
      'Bad Request: BUTTON_DATA_INVALID',
    ],
    [{ text: 'a', reply_markup: '{' }, "Bad Request: can't parse reply markup JSON object"],
    [
      { text: '😀', entities: [{ type: 'bold', offset: 1, length: 1 }] },
      'Bad Request: entity beginning at UTF-16 offset 1 begins in a middle of a UTF-16 symbol',
    ],
  ])('refuses %j', async (params, description) => {
    const { telegram, ask } = await box()
    const chat = telegram.group('Team', [telegram.person('Ann')])
    expect(await ask('sendMessage', { chat_id: chat, ...params })).toMatchObject({
      status: 400,
      ok: false,
      error_code: 400,
      description,
    })
    expect(telegram.calls).toMatchObject([{ method: 'sendMessage', chat, status: 400, effect: false }])
    expect(telegram.seen(chat)).toEqual([])
  })

  it('counts 4096 UTF-16 units after parsing', async () => {
    const { telegram, ask } = await box()
    const chat = telegram.group('Team', [telegram.person('Ann')])
    const fits = { chat_id: chat, text: `<b>${'😀'.repeat(2048)}</b>`, parse_mode: 'HTML' }
    expect((await ask('sendMessage', fits)).ok).toBe(true)
    expect((await ask('sendMessage', { ...fits, text: `<b>${'😀'.repeat(2048)}</b>!` })).ok).toBe(false)
    // Much markup is refused by its raw size, however short the text.
    const raw = '<b>a</b><i>a</i>'.repeat(2100)
    expect(await ask('sendMessage', { ...fits, text: raw })).toMatchObject({
      description: 'Bad Request: message is too long',
    })
  })

  it('answers without the quoted message where that is allowed', async () => {
    const { telegram, ask } = await box()
    const chat = telegram.group('Team', [telegram.person('Ann')])
    const sent = await ask('sendMessage', {
      chat_id: chat,
      text: 'a',
      reply_parameters: { message_id: 9, allow_sending_without_reply: true },
    })
    expect(sent.ok).toBe(true)
    expect(telegram.seen(chat)[0]?.replyTo).toBeUndefined()
  })

  it('quotes a part, word for word', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    const id = Number(telegram.say(chat, ann, 'one two three'))
    const quoted = (quote: string) =>
      ask('sendMessage', { chat_id: chat, text: 'x', reply_parameters: { message_id: id, quote } })
    expect((await quoted('two')).result).toMatchObject({
      quote: { text: 'two', position: 4, is_manual: true },
      reply_to_message: { message_id: id },
    })
    expect((await quoted('four')).description).toBe('Bad Request: QUOTE_TEXT_INVALID')
  })

  it('finds mentions and addresses by itself, and pings members only', async () => {
    const { telegram, ask } = await box()
    const [ann, bob, eve] = [
      telegram.person('Ann'),
      telegram.person('Bob', { username: null }),
      telegram.person('Eve'),
    ]
    const chat = telegram.group('Team', [ann, bob])
    await ask('sendMessage', {
      chat_id: chat,
      text: `@ann_example <a href="tg://user?id=${bob.id}">Bob</a> @${eve.username} <code>@ann_example</code> see x.com/a_b_c, /help`,
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    })
    const [seen] = telegram.seen(chat)
    expect(seen).toMatchObject({
      text: '@ann_example Bob @eve_example @ann_example see x.com/a_b_c, /help',
      pings: [ann.id, bob.id],
      links: [{ text: 'x.com/a_b_c', url: 'http://x.com/a_b_c' }],
      raw: { preview: false },
    })
    const raw = seen?.raw as { entities: { type: string }[] } | undefined
    expect(raw?.entities.map(({ type }) => type)).toEqual([
      'mention',
      'text_mention',
      'mention',
      'code',
      'url',
      'bot_command',
    ])
  })

  it('makes plain text of a mention by an id that nobody has', async () => {
    const { telegram, ask } = await box()
    const chat = telegram.group('Team', [telegram.person('Ann')])
    const sent = await ask('sendMessage', {
      chat_id: chat,
      text: '<a href="tg://user?id=77">Who</a>',
      parse_mode: 'HTML',
    })
    expect(sent.result).toMatchObject({ text: 'Who' })
    expect(sent.result.entities).toBeUndefined()
  })

  it('keeps the first 100 entities', async () => {
    const { telegram, ask } = await box()
    const chat = telegram.group('Team', [telegram.person('Ann')])
    const sent = await ask('sendMessage', {
      chat_id: chat,
      text: '<b>a</b> '.repeat(120),
      parse_mode: 'HTML',
    })
    expect((sent.result.entities as unknown[]).length).toBe(100)
  })

  it('takes forms and multipart too', async () => {
    const { telegram } = await box()
    const chat = telegram.group('Team', [telegram.person('Ann')])
    const { botToken } = telegram.settings('socket')
    const url = `${telegram.url}/bot${String(botToken)}/sendmessage`
    const form = new FormData()
    for (const [name, value] of [
      ['chat_id', chat],
      ['text', '{"a": 1}'],
      ['disable_notification', 'true'],
    ] as const)
      form.set(name, value)
    await fetch(url, { method: 'POST', body: form })
    await fetch(url, { method: 'POST', body: new URLSearchParams({ chat_id: chat, text: 'two words' }) })
    await fetch(`${url}?chat_id=${chat}&text=three`)
    expect(telegram.seen(chat).map(({ text, silent }) => [text, silent])).toEqual([
      ['{"a": 1}', true],
      ['two words', false],
      ['three', false],
    ])
  })
})

describe('changing what was said', () => {
  it('edits, and refuses an edit that changes nothing', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    const { result } = await ask('sendMessage', {
      chat_id: chat,
      text: 'a',
      reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: 'v' }]] },
    })
    const edit = (params: object) =>
      ask('editMessageText', { chat_id: chat, message_id: result.message_id, ...params })
    const keyboard = { inline_keyboard: [[{ text: 'x', callback_data: 'v' }]] }
    expect((await edit({ text: ' a ', reply_markup: keyboard })).description).toMatch(
      /^Bad Request: message is not modified: specified new message content/,
    )
    // An @ that an edit adds notifies nobody. Buttons that are not given again go.
    expect((await edit({ text: 'b @ann_example' })).result.edit_date).toBe(1_790_000_000)
    expect(telegram.seen(chat)).toMatchObject([
      { text: 'b @ann_example', edited: true, buttons: [], pings: [] },
    ])
    expect((await ask('editMessageText', { chat_id: chat, message_id: 9, text: 'x' })).description).toBe(
      'Bad Request: message to edit not found',
    )
    const theirs = telegram.say(chat, ann, 'mine')
    expect((await ask('editMessageText', { chat_id: chat, message_id: theirs, text: 'x' })).description).toBe(
      "Bad Request: message can't be edited",
    )
  })

  it('deletes its own for 48 hours, others’ as an administrator only', async () => {
    const { telegram, clock, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    const theirs = telegram.say(chat, ann, 'a')
    const own = (await ask('sendMessage', { chat_id: chat, text: 'b' })).result.message_id
    const old = (await ask('sendMessage', { chat_id: chat, text: 'c' })).result.message_id
    const remove = async (id: unknown) =>
      (await ask('deleteMessage', { chat_id: chat, message_id: id })).description ?? 'done'
    expect(await remove(own)).toBe('done')
    expect(await remove(own)).toBe('Bad Request: message to delete not found')
    expect(await remove(theirs)).toBe("Bad Request: message can't be deleted")
    telegram.promoteBot(chat, ann)
    expect(await remove(theirs)).toBe('done')
    clock.advance(48 * 3600_000 + 1000)
    expect(await remove(old)).toBe("Bad Request: message can't be deleted for everyone")
    expect(telegram.seen(chat)).toHaveLength(1)
  })

  it('takes one reaction of the fixed set', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    const id = telegram.say(chat, ann, 'a')
    const react = async (...emoji: string[]) =>
      (
        await ask('setMessageReaction', {
          chat_id: chat,
          message_id: id,
          reaction: emoji.map((one) => ({ type: 'emoji', emoji: one })),
        })
      ).description ?? 'done'
    expect(await react('👀')).toBe('done')
    expect(await react('👍')).toBe('done')
    expect(telegram.seen(chat)[0]?.reactions).toEqual([{ emoji: '👍', by: telegram.bot.id }])
    for (const emoji of ['✅', '❌', '⏹']) expect(await react(emoji)).toBe('Bad Request: REACTION_INVALID')
    expect(await react('👍', '👀')).toBe('Bad Request: REACTIONS_TOO_MANY')
    expect(await react()).toBe('done')
    expect(telegram.seen(chat)[0]?.reactions).toEqual([])
  })

  it('shows what a press is answered with, once', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const chat = telegram.dm(ann)
    const { result } = await ask('sendMessage', {
      chat_id: chat,
      text: 'a',
      reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: 'v' }]] },
    })
    telegram.press(chat, String(result.message_id), ann, 'v')
    const [update] = (await ask('getUpdates')).result as unknown as { callback_query: { id: string } }[]
    expect(update).toMatchObject({
      callback_query: { data: 'v', from: { id: Number(ann.id) }, message: { message_id: result.message_id } },
    })
    const answer = { callback_query_id: update?.callback_query.id, text: 'ok', show_alert: true }
    expect((await ask('answerCallbackQuery', answer)).ok).toBe(true)
    expect((await ask('answerCallbackQuery', answer)).description).toMatch(/query is too old/)
    expect(telegram.answers).toMatchObject([{ to: ann.id, text: 'ok', alert: true }])
  })
})

describe('where it may write', () => {
  it('says why it may not', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const send = async (chat: string) =>
      (await ask('sendMessage', { chat_id: chat, text: 'a' })).description ?? 'sent'
    expect(await send('-5')).toBe('Bad Request: chat not found')
    expect((await ask('sendMessage', { text: 'a' })).description).toBe('Bad Request: chat_id is empty')
    const supergroup = telegram.supergroup('S', [ann])
    telegram.removeBot(supergroup, ann)
    expect(await send(supergroup)).toBe('Forbidden: bot was kicked from the supergroup chat')
    telegram.addBot(supergroup, ann)
    expect(await send(supergroup)).toBe('sent')
    await ask('leaveChat', { chat_id: supergroup })
    expect(await send(supergroup)).toBe('Forbidden: bot is not a member of the supergroup chat')
    const group = telegram.basicGroup('G', [ann])
    telegram.removeBot(group, ann)
    expect(await send(group)).toBe('Forbidden: bot was kicked from the group chat')
    const quiet = telegram.group('Q', [ann])
    telegram.restrictBot(quiet, ann)
    expect(await send(quiet)).toBe('Bad Request: not enough rights to send text messages to the chat')
    const bob = telegram.person('Bob')
    const stranger = telegram.strangerDm(bob)
    expect(await send(stranger)).toBe("Forbidden: bot can't initiate conversation with a user")
    telegram.say(stranger, bob, '/start')
    expect(await send(stranger)).toBe('sent')
    telegram.block(bob)
    expect(await send(stranger)).toBe('Forbidden: bot was blocked by the user')
  })

  it('moves a group to a supergroup', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const group = telegram.basicGroup('G', [ann])
    const moved = telegram.migrate(group, ann)
    expect(await ask('sendMessage', { chat_id: group, text: 'a' })).toMatchObject({
      status: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: Number(moved) },
    })
    expect((await ask('sendMessage', { chat_id: moved, text: 'a' })).ok).toBe(true)
    expect((await ask('getUpdates')).result).toMatchObject([
      { message: { chat: { id: Number(group), type: 'group' }, migrate_to_chat_id: Number(moved) } },
      { message: { chat: { id: Number(moved), type: 'supergroup' }, migrate_from_chat_id: Number(group) } },
    ])
  })
})

describe('how much it may send', () => {
  const sendMany = async (
    ask: (method: string, params: object) => Promise<{ ok: boolean; parameters?: { retry_after?: number } }>,
    chat: string,
    count: number,
  ) => {
    const answers = []
    for (let index = 0; index < count; index++)
      answers.push(await ask('sendMessage', { chat_id: chat, text: `${index}` }))
    return answers
  }

  it('bursts in a chat, then one a second', async () => {
    const { telegram, clock, ask } = await box({ limits: 'enforced' })
    const chat = telegram.dm(telegram.person('Ann'))
    const answers = await sendMany(ask, chat, 6)
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false])
    expect(answers[5]).toMatchObject({
      error_code: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    })
    clock.advance(1000)
    expect((await sendMany(ask, chat, 2)).map(({ ok }) => ok)).toEqual([true, false])
  })

  it('20 a minute in a group; edits do not count there', async () => {
    const { telegram, clock, ask } = await box({ limits: 'enforced' })
    const chat = telegram.group('Team', [telegram.person('Ann')])
    for (let index = 0; index < 20; index++) {
      expect((await ask('sendMessage', { chat_id: chat, text: `${index}` })).ok).toBe(true)
      clock.advance(1000)
    }
    const refused = await ask('sendMessage', { chat_id: chat, text: 'one more' })
    expect(refused).toMatchObject({ status: 429, parameters: { retry_after: 40 } })
    const [first] = telegram.seen(chat)
    expect((await ask('editMessageText', { chat_id: chat, message_id: first?.id, text: 'edited' })).ok).toBe(
      true,
    )
    clock.advance(40_000)
    expect((await ask('sendMessage', { chat_id: chat, text: 'one more' })).ok).toBe(true)
  })

  it('30 a second over all chats', async () => {
    const { telegram, ask } = await box({ limits: 'enforced' })
    const oks = []
    for (let index = 0; index < 31; index++) {
      const chat = telegram.dm(telegram.person(`P${index}`))
      oks.push((await ask('sendMessage', { chat_id: chat, text: 'a' })).ok)
    }
    expect(oks.filter((ok) => !ok)).toHaveLength(1)
  })
})

describe('sendMessageDraft', () => {
  it('shows an answer that is being written, for 30 s or until it is posted, and makes no message', async () => {
    const { telegram, clock, ask } = await box()
    const chat = telegram.dm(telegram.person('Ann'))
    const draft = (text: string) => ask('sendMessageDraft', { chat_id: chat, draft_id: 1, text })
    expect(await draft('Once')).toMatchObject({ ok: true, result: true })
    await draft('Once upon')
    expect([telegram.draft(chat), telegram.seen(chat)]).toEqual(['Once upon', []])
    clock.advance(30_000)
    expect(telegram.draft(chat)).toBeUndefined()
    await draft('Once upon a')
    await ask('sendMessage', { chat_id: chat, text: 'Once upon a time' })
    expect(telegram.draft(chat)).toBeUndefined()
    expect(telegram.seen(chat)).toHaveLength(1)
  })

  it('is for private chats, and has a number', async () => {
    const { telegram, ask } = await box()
    const ann = telegram.person('Ann')
    const group = await ask('sendMessageDraft', {
      chat_id: telegram.group('Team', [ann]),
      draft_id: 1,
      text: 'a',
    })
    expect(group.description).toBe('Bad Request: TEXTDRAFT_PEER_INVALID')
    expect((await ask('sendMessageDraft', { chat_id: telegram.dm(ann), draft_id: 0, text: 'a' })).ok).toBe(
      false,
    )
  })
})
