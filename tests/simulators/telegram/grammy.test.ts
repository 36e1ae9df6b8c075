/** The unpatched grammY against the simulator: long polling and webhook. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Bot, GrammyError, InlineKeyboard, InputFile, webhookCallback } from 'grammy'
import { afterEach, describe, expect, it } from 'vitest'
import { startTelegram, type TelegramSimulator } from './index.js'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function start(options: Parameters<typeof startTelegram>[0] = {}): Promise<TelegramSimulator> {
  const telegram = await startTelegram(options)
  ends.push(() => telegram.close())
  return telegram
}

function botFor(telegram: TelegramSimulator): Bot {
  const { botToken, apiUrl } = telegram.settings('socket') as { botToken: string; apiUrl: string }
  return new Bot(botToken, { client: { apiRoot: apiUrl } })
}

async function polling(telegram: TelegramSimulator, setUp: (bot: Bot) => void): Promise<Bot> {
  const bot = botFor(telegram)
  setUp(bot)
  const started = new Promise<void>((resolve, reject) => {
    bot
      .start({
        onStart: () => resolve(),
        allowed_updates: [
          'message',
          'edited_message',
          'callback_query',
          'message_reaction',
          'my_chat_member',
        ],
      })
      .catch(reject)
  })
  ends.push(() => bot.stop())
  await started
  return bot
}

describe('long polling', () => {
  it('answers a mention by a quote', async () => {
    const telegram = await start()
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    await polling(telegram, (bot) =>
      bot.on('message:entities:mention', (context) =>
        context.reply(`<b>Hello</b> @${context.from.username}`, {
          parse_mode: 'HTML',
          reply_parameters: { message_id: context.msgId },
        }),
      ),
    )
    const question = telegram.say(chat, ann, 'are you there?', { mention: true })
    await telegram.until(() => telegram.seen(chat).length === 2, 'the answer')
    expect(telegram.seen(chat)[1]).toMatchObject({
      author: { name: 'Golem', bot: true },
      text: 'Hello @ann_example',
      replyTo: question,
      pings: [ann.id],
    })
  })

  it('gives every kind of update its shape', async () => {
    const telegram = await start({ botIsAdmin: true })
    const ann = telegram.person('Ann')
    const chat = telegram.group('Team', [ann])
    const got: string[] = []
    await polling(telegram, (bot) => {
      bot.on('message:text', (context) => {
        got.push(`message ${context.msg.text}`)
        return context.reply('pick', { reply_markup: new InlineKeyboard().text('Yes', 'y') })
      })
      bot.on('edited_message:text', (context) => void got.push(`edit ${context.msg.text}`))
      bot.on(
        'message_reaction',
        (context) => void got.push(`reaction ${context.reactions().emojiAdded.join()}`),
      )
      bot.on('callback_query:data', (context) => {
        got.push(`press ${context.callbackQuery.data}`)
        return context.answerCallbackQuery('thanks')
      })
      bot.on('message:photo', (context) => void got.push(`photo ${context.msg.caption}`))
      bot.on(
        'my_chat_member',
        (context) => void got.push(`me ${context.myChatMember.new_chat_member.status}`),
      )
    })
    const id = telegram.say(chat, ann, 'hi')
    await telegram.until(() => telegram.seen(chat).length === 2, 'the answer')
    telegram.edit(chat, id, 'hi!')
    telegram.react(chat, id, ann, '👍')
    telegram.press(chat, telegram.seen(chat)[1]?.id ?? '', ann, 'y')
    telegram.say(chat, ann, 'look', {
      files: [{ name: 'a.png', mime: 'image/png', bytes: new Uint8Array(9) }],
    })
    telegram.removeBot(chat, ann)
    await telegram.until(() => got.length === 6, 'all of them')
    expect(got).toEqual(['message hi', 'edit hi!', 'reaction 👍', 'press y', 'photo look', 'me kicked'])
    expect(telegram.answers).toMatchObject([{ to: ann.id, text: 'thanks', alert: false }])
  })

  it('uploads and downloads files', async () => {
    const telegram = await start()
    const ann = telegram.person('Ann')
    const chat = telegram.dm(ann)
    const bot = botFor(telegram)
    const bytes = Buffer.from('a\r\n--b\r\n\0ÿ', 'latin1')
    const sent = await bot.api.sendDocument(chat, new InputFile(bytes, 'ü "x".txt'), {
      caption: '*c*',
      parse_mode: 'MarkdownV2',
    })
    expect(sent.document.file_name).toBe('ü "x".txt')
    expect(telegram.seen(chat)).toMatchObject([
      { text: 'c', files: [{ name: 'ü "x".txt', bytes: bytes.length }] },
    ])
    const file = await bot.api.getFile(sent.document.file_id)
    const response = await fetch(`${telegram.url}/file/bot${bot.token}/${file.file_path}`)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
    await bot.api.sendMediaGroup(chat, [
      { type: 'photo', media: new InputFile(bytes, 'a.jpg'), caption: 'one' },
      { type: 'photo', media: new InputFile(bytes, 'b.jpg') },
    ])
    expect(telegram.seen(chat).map(({ files }) => files.length)).toEqual([1, 1, 1])
  })

  it('loses nothing over a dropped connection', async () => {
    const telegram = await start()
    const ann = telegram.person('Ann')
    const chat = telegram.dm(ann)
    const got: string[] = []
    // bot.start() tries again by itself after 3 s; the loop here does at once.
    const bot = botFor(telegram)
    let offset = 0
    let isOn = true
    const loop = (async () => {
      while (isOn) {
        try {
          for (const update of await bot.api.getUpdates({ offset, timeout: 30 })) {
            got.push(update.message?.text ?? '')
            offset = update.update_id + 1
          }
        } catch {
          // Cut: once more.
        }
      }
    })()
    telegram.say(chat, ann, 'one')
    await telegram.until(() => got.length === 1 && telegram.pending === 0, 'the first')
    telegram.cut('close')
    telegram.say(chat, ann, 'two')
    await telegram.until(() => got.length === 2, 'the second')
    expect(got).toEqual(['one', 'two'])
    isOn = false
    telegram.say(chat, ann, 'three')
    await loop
  })

  it('ends the older of two pollers', async () => {
    const telegram = await start()
    const first = botFor(telegram)
    const second = botFor(telegram)
    const older = first.api.getUpdates({ timeout: 30 })
    await telegram.until(() => telegram.calls.length === 0, 'nothing yet')
    await new Promise((resolve) => setImmediate(resolve))
    const refused = older.catch((error: unknown) => error)
    await first.api.getMe()
    const newer = second.api.getUpdates({ timeout: 1 })
    expect(await refused).toMatchObject({
      error_code: 409,
      description:
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    })
    expect(await refused).toBeInstanceOf(GrammyError)
    telegram.clock.advance(1000)
    expect(await newer).toEqual([])
  })
})

describe('webhook', () => {
  async function serve(bot: Bot, secretToken: string): Promise<string> {
    const take = webhookCallback(bot, 'http', { secretToken })
    const server: Server = createServer((request, response) => void take(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.push(
      () =>
        new Promise((resolve) => {
          server.closeAllConnections()
          server.close(resolve)
        }),
    )
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  }

  it('delivers, with the secret, and takes a 200 as acknowledgement', async () => {
    const telegram = await start()
    const ann = telegram.person('Ann')
    const chat = telegram.dm(ann)
    const bot = botFor(telegram)
    const got: string[] = []
    bot.on('message:text', (context) => {
      got.push(context.msg.text)
      return context.reply('ok')
    })
    await bot.init()
    await bot.api.setWebhook(await serve(bot, 's3'), { secret_token: 's3' })
    telegram.say(chat, ann, 'one')
    telegram.say(chat, ann, 'two')
    await telegram.until(() => telegram.pending === 0, 'both acknowledged')
    expect(got).toEqual(['one', 'two'])
    expect(telegram.acknowledged).toHaveLength(2)
    expect(telegram.seen(chat).filter(({ author }) => author.bot)).toHaveLength(2)
    expect(await bot.api.getUpdates().catch((error: GrammyError) => error.error_code)).toBe(409)
    telegram.redeliver()
    await telegram.until(() => got.length === 3, 'it came again')
    expect(got[2]).toBe('two')
  })

  it('refuses a wrong secret by 401, and says so', async () => {
    const telegram = await start()
    const ann = telegram.person('Ann')
    const bot = botFor(telegram)
    await bot.init()
    await bot.api.setWebhook(await serve(bot, 's3'), { secret_token: 'wrong' })
    telegram.say(telegram.dm(ann), ann, 'one')
    await expect
      .poll(async () => (await bot.api.getWebhookInfo()).last_error_message)
      .toBe('Wrong response from the webhook: 401 Unauthorized')
    expect(telegram.pending).toBe(1)
  })

  it('takes a tunnel for what it cannot reach, and wants https', async () => {
    const telegram = await start()
    const bot = botFor(telegram)
    await expect(bot.api.setWebhook('http://example.com/x')).rejects.toThrow(
      'An HTTPS URL must be provided for webhook',
    )
    await bot.init()
    const got: string[] = []
    bot.on('message:text', (context) => void got.push(context.msg.text))
    const { webhook } = telegram.settings('webhook') as { webhook: { url: string; secret: string } }
    telegram.webhook(await serve(bot, webhook.secret))
    await bot.api.setWebhook(webhook.url, { secret_token: webhook.secret })
    const ann = telegram.person('Ann')
    telegram.say(telegram.dm(ann), ann, 'hi')
    await telegram.until(() => telegram.pending === 0, 'taken')
    expect(got).toEqual(['hi'])
  })
})
