import { expect, test } from 'vitest'
import { Channel } from './channel.js'

async function all<T>(channel: Channel<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of channel) items.push(item)
  return items
}

test('what was pushed before the end is delivered, before and while somebody reads', async () => {
  const channel = new Channel<number>()
  channel.push(1)
  const reading = all(channel)
  channel.push(2)
  await Promise.resolve()
  channel.push(3)
  channel.close()
  channel.push(4)
  expect(await reading).toEqual([1, 2, 3])
})

test('an error comes after what was pushed before it, and the first end counts', async () => {
  const channel = new Channel<number>()
  channel.push(1)
  channel.fail(new Error('broken'))
  channel.close()
  const seen: number[] = []
  await expect(
    (async () => {
      for await (const item of channel) seen.push(item)
    })(),
  ).rejects.toThrow('broken')
  expect(seen).toEqual([1])
})

test('neighbours that nobody has read yet may become one', async () => {
  const channel = new Channel<string>((last, next) => (next === '!' ? null : last + next))
  for (const item of ['a', 'b', '!', 'c']) channel.push(item)
  channel.close()
  expect(await all(channel)).toEqual(['ab', '!c'])
})
