import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mainLine, prepend, put, type RoomLog, take, threadLine, threads } from './log.js'
import { message } from './sample.js'

const log = (...ids: string[]): RoomLog => ({ messages: ids.map((id) => message({ id })), more: true })
const ids = (one: RoomLog) => one.messages.map((each) => each.id)

describe('a room log', () => {
  it('keeps messages in the order of their numbers, whatever the order of arrival', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(['1', '2', '9', '10', '11', '100'], { minLength: 1 }), (order) => {
        const result = order.reduce((one, id) => put(one, message({ id })), {
          messages: [],
          more: false,
        } as RoomLog)
        expect(ids(result)).toEqual([...order].sort((a, b) => Number(a) - Number(b)))
      }),
    )
  })

  it('is not changed by the same change twice', () => {
    const edited = message({ id: '2', text: 'new' })
    const once = take(log('1', '2', '3'), edited)
    expect(take(once, edited)).toEqual(once)
    expect(once.messages[1]?.text).toBe('new')
  })

  it('leaves changes of messages that it has not read yet', () => {
    expect(ids(take(log('5', '6'), message({ id: '3' })))).toEqual(['5', '6'])
  })

  it('takes an older page without repeating what it has', () => {
    const result = prepend(log('5', '6'), [message({ id: '3' }), message({ id: '5' })], false)
    expect(ids(result)).toEqual(['3', '5', '6'])
    expect(result.more).toBe(false)
  })

  it('keeps threads out of the main line, but not those whose root is unknown', () => {
    const one: RoomLog = {
      messages: [
        message({ id: '1' }),
        message({ id: '2', thread: '1' }),
        message({ id: '3', thread: '0' }),
        message({ id: '4', thread: '1', agent: 'Scout' }),
        message({ id: '5', thread: '1', deleted: true }),
      ],
      more: false,
    }
    expect(mainLine(one).map((each) => each.id)).toEqual(['1', '3'])
    expect(threads(one).get('1')).toMatchObject({ replies: 2, names: ['Alice', 'Scout'] })
  })

  it('forgets status posts that were taken away, but not what people took back', () => {
    const golem = { id: '@golem', name: 'Golem', kind: 'self' as const }
    const one: RoomLog = {
      messages: [
        message({ id: '1', deleted: true }),
        message({ id: '2', author: golem, silent: true, deleted: true }),
        message({ id: '3', author: golem, silent: true, thread: '1', deleted: true }),
        message({ id: '4', author: golem, thread: '1' }),
      ],
      more: false,
    }
    expect(mainLine(one).map((each) => each.id)).toEqual(['1'])
    expect(threadLine(one, '1').map((each) => each.id)).toEqual(['1', '4'])
  })
})
