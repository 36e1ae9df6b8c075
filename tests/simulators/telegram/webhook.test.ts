import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { VirtualClock } from '../kit/clock.js'
import { startTelegram, type TelegramSimulator } from './index.js'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A bot that answers each update as it is told to. */
async function receiver(
  answer: (update: { text: string }, response: ServerResponse) => void,
): Promise<string> {
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const update = JSON.parse(Buffer.concat(chunks).toString()) as { message: { text: string } }
    answer({ text: update.message.text }, response)
  }
  const server = createServer((request, response) => void take(request, response))
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

const call = async (telegram: TelegramSimulator, method: string, params: object) => {
  const { botToken } = telegram.settings('socket')
  const response = await fetch(`${telegram.url}/bot${String(botToken)}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  })
  return (await response.json()) as { result: Record<string, unknown> }
}

it('tries an update again with growing waits, and holds all the others up meanwhile', async () => {
  const clock = new VirtualClock({ manual: true })
  const telegram = await startTelegram({ clock })
  ends.push(() => telegram.close())
  const tries: string[] = []
  let isBroken = true
  const url = await receiver(({ text }, response) => {
    tries.push(text)
    response.writeHead(isBroken ? 500 : 200).end()
  })
  await call(telegram, 'setWebhook', { url })
  const [ann, bob] = [telegram.person('Ann'), telegram.person('Bob')]
  telegram.say(telegram.dm(ann), ann, 'one')
  const failed = async () => (await call(telegram, 'getWebhookInfo', {})).result.last_error_message
  await expect.poll(failed).toBe('Wrong response from the webhook: 500 Internal Server Error')
  telegram.say(telegram.dm(bob), bob, 'two')
  clock.advance(999)
  expect(tries).toEqual(['one'])
  clock.advance(1)
  await expect.poll(() => tries.length).toBe(2)
  await expect.poll(() => telegram.pending).toBe(2)
  isBroken = false
  // The second wait is twice as long.
  await expect
    .poll(() => {
      clock.advance(500)
      return telegram.pending
    })
    .toBe(0)
  expect(tries).toEqual(['one', 'one', 'one', 'two'])
  expect(telegram.acknowledged).toEqual(['100000001', '100000002'])
})

it('keeps one chat in order and sends several chats at once', async () => {
  const telegram = await startTelegram()
  ends.push(() => telegram.close())
  const open: ServerResponse[] = []
  const got: string[] = []
  const url = await receiver(({ text }, response) => {
    got.push(text)
    open.push(response)
  })
  await call(telegram, 'setWebhook', { url })
  const [ann, bob] = [telegram.person('Ann'), telegram.person('Bob')]
  telegram.say(telegram.dm(ann), ann, 'a1')
  telegram.say(telegram.dm(ann), ann, 'a2')
  telegram.say(telegram.dm(bob), bob, 'b1')
  await expect.poll(() => got.length).toBe(2)
  expect([...got].sort()).toEqual(['a1', 'b1'])
  for (const response of open.splice(0)) response.end()
  await expect.poll(() => got.length).toBe(3)
  expect(got[2]).toBe('a2')
})

it('runs the method that an answer asks for', async () => {
  const telegram = await startTelegram()
  ends.push(() => telegram.close())
  const ann = telegram.person('Ann')
  const chat = telegram.dm(ann)
  const url = await receiver((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ method: 'sendMessage', chat_id: chat, text: 'from the answer' }))
  })
  await call(telegram, 'setWebhook', { url })
  telegram.say(chat, ann, 'hi')
  await telegram.until(() => telegram.seen(chat).length === 2, 'the answer')
  expect(telegram.seen(chat)[1]).toMatchObject({ text: 'from the answer' })
})

it('says that nobody listens', async () => {
  const telegram = await startTelegram()
  ends.push(() => telegram.close())
  await call(telegram, 'setWebhook', { url: 'http://127.0.0.1:9/hook' })
  const ann = telegram.person('Ann')
  telegram.say(telegram.dm(ann), ann, 'hi')
  await expect
    .poll(async () => (await call(telegram, 'getWebhookInfo', {})).result.last_error_message)
    .toMatch(/refused|bad port/)
})
