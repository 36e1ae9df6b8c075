import { expect, test } from 'vitest'
import type { EngineEvent } from '../../../messaging/engine.js'
import { Answer } from './answer.js'
import { readUpdate } from './wire.js'

function play(...updates: object[]): { events: EngineEvent[]; answer: Answer } {
  const events: EngineEvent[] = []
  const answer = new Answer((event) => events.push(event))
  for (const update of updates) {
    const read = readUpdate({ sessionId: 's', update })
    if (read !== null) answer.take(read.update)
  }
  answer.finish()
  return { events, answer }
}
const say = (text: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId === undefined ? {} : { messageId }),
})
const tool = (toolCallId: string, title: string) => ({ sessionUpdate: 'tool_call', toolCallId, title })

test('what is said after the last tool call is the answer', () => {
  const { events } = play(say('I '), say('look.'), tool('1', 'read `a`'), say('It is '), say('7.'))
  expect(events).toEqual([
    { type: 'text', text: 'I ' },
    { type: 'text', text: 'look.' },
    { type: 'progress', note: "read 'a'" },
    { type: 'text', text: '\n\nIt is ' },
    { type: 'text', text: '7.' },
    { type: 'final', text: 'It is 7.' },
  ])
})

test('a tool call at the end, or at the start, takes nothing away', () => {
  expect(play(say('All of it.'), tool('1', 'note')).events.at(-1)).toEqual({ type: 'progress', note: 'note' })
  expect(play(tool('1', 'note'), say('All of it.')).events.at(-1)).toEqual({
    type: 'text',
    text: 'All of it.',
  })
})

test('messages with names of their own are paragraphs of their own', () => {
  const { events } = play(say('one', 'a'), say(' more', 'a'), say('two', 'b'))
  expect(events.map((event) => (event.type === 'text' ? event.text : '')).join('')).toBe('one more\n\ntwo')
})

test('thoughts, plans and what nobody knows are signs of life', () => {
  const { events } = play(
    { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } },
    {
      sessionUpdate: 'plan',
      entries: [{ content: 'first', status: 'completed' }, { content: 'then', status: 'in_progress' }, 7],
    },
    { sessionUpdate: 'of_tomorrow', any: 'thing' },
    { sessionUpdate: 'agent_message_chunk' },
  )
  expect(events).toEqual([
    { type: 'progress' },
    { type: 'progress', note: '2/2: then' },
    { type: 'progress' },
    { type: 'progress' },
  ])
})

test('a linked file goes out by its path; any other link does not', () => {
  const link = (uri: string) => ({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'resource_link', uri, name: 'a.txt' },
  })
  expect(play(link('file:///w/a.txt'), link('https://example.com/a')).events).toEqual([
    { type: 'file', path: '/w/a.txt', name: 'a.txt' },
    { type: 'progress' },
  ])
})

test('later words on a tool call add to what is known of it', () => {
  const { answer } = play(
    tool('1', 'Terminal'),
    { sessionUpdate: 'tool_call_update', toolCallId: '1', title: 'ls', kind: 'execute' },
    { sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'completed' },
  )
  expect(answer.call('1')).toMatchObject({ title: 'ls', kind: 'execute', status: 'completed' })
})
