import { expect, test } from 'vitest'
import { Tail } from './tail.js'

test('keeps the end, in whole characters', () => {
  const tail = new Tail(10)
  tail.push(Buffer.from('x'.repeat(100_000)))
  tail.push(Buffer.from('你好世界'))
  expect(tail.text()).toBe('好世界')
  tail.push(Buffer.from('!'))
  expect(tail.text()).toBe('好世界!')
  tail.clear()
  expect(tail.text()).toBe('')
})
