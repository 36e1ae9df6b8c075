import { expect, it } from 'vitest'
import { flood, startTelegram } from './index.js'

it('gives out 1,000 messages a second without losing one', async () => {
  const telegram = await startTelegram({ limits: 'off' })
  telegram.stopRecording()
  const { botToken } = telegram.settings('socket')
  const got: number[] = []
  let isOn = true
  const poll = async () => {
    let offset = 0
    while (isOn) {
      const response = await fetch(
        `${telegram.url}/bot${String(botToken)}/getUpdates?timeout=1&offset=${offset}`,
      )
      const { result } = (await response.json()) as { result: { update_id: number }[] }
      for (const { update_id } of result) {
        got.push(update_id)
        offset = update_id + 1
      }
    }
  }
  const polling = poll()
  const people = [telegram.person('Ann'), telegram.person('Bob')]
  const chat = ['one', 'two', 'three'].map((title) => telegram.group(title, people))
  expect(await flood(telegram, { chat, people, perSecond: 1000, seconds: 2 })).toHaveLength(2000)
  await telegram.until(() => telegram.pending === 0, 'all confirmed')
  isOn = false
  telegram.clock.advance(1000)
  await polling
  expect(new Set(got).size).toBe(2000)
  expect(got).toEqual([...got].sort((a, b) => a - b))
  await telegram.close()
})
