import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Intent, intentOf, isQuestion, unnamed } from './intent.js'

const intent = (text: string): Intent => intentOf(text, ['Golem'], ['Librarian', 'Scribe', '小李'])

describe('intentOf', () => {
  it.each<[string, Intent]>([
    ['@Golem hello there!', { kind: 'greet' }],
    ['Golem: thanks', { kind: 'thanks' }],
    ['so, what can you do?', { kind: 'introduce' }],
    ['On it. what can you do?', { kind: 'introduce' }],
    ['The build is red. Summarise please', { kind: 'summarise', topic: '', last: null }],
    ['你能做什么？', { kind: 'introduce' }],
    ['help', { kind: 'introduce' }],
    ['help me with the deployment', { kind: 'question', topic: 'help me with the deployment' }],
    ['which agents are there?', { kind: 'team' }],
    ['what does Scribe do?', { kind: 'agent', name: 'Scribe' }],
    ['小李负责什么？', { kind: 'agent', name: '小李' }],
    [
      'please remember that tea is at 4',
      { kind: 'remember', section: 'context', line: 'tea is at 4', asked: true },
    ],
    ['我们决定周五上线', { kind: 'remember', section: 'decisions', line: '周五上线', asked: false }],
    ["We've decided to ship.", { kind: 'remember', section: 'decisions', line: 'Ship', asked: false }],
    ['forget the line about tea', { kind: 'forget', topic: 'tea' }],
    ['remove tea from memory', { kind: 'forget', topic: 'tea' }],
    ['删除关于茶的那一行', { kind: 'forget', topic: '茶' }],
    ['忘记所有', { kind: 'forget', topic: '' }],
    ['what do you remember about tea?', { kind: 'recall', topic: 'tea' }],
    ['群记忆里有什么', { kind: 'recall', topic: '' }],
    ['what have we decided on lunch?', { kind: 'decisions', topic: 'lunch' }],
    ['关于数据库，我们决定了什么？', { kind: 'decisions', topic: '数据库' }],
    ['summarize the last 5 messages', { kind: 'summarise', topic: '', last: 5 }],
    [
      'can you give us a quick recap of the database discussion?',
      { kind: 'summarise', topic: 'database', last: null },
    ],
    ['总结最近10条消息', { kind: 'summarise', topic: '', last: 10 }],
    ['我错过了什么？', { kind: 'summarise', topic: '', last: null }],
    ['who said that the server is down?', { kind: 'search', topic: 'the server is down', by: '' }],
    ['what did Ann say about tea?', { kind: 'search', topic: 'tea', by: 'Ann' }],
    ['search the chat for invoice 7', { kind: 'search', topic: 'invoice 7', by: '' }],
    ['什么时候聊过预算？', { kind: 'search', topic: '预算', by: '' }],
    ['在聊天记录里查找发票', { kind: 'search', topic: '发票', by: '' }],
    ['@Scribe, note that we ship', { kind: 'ask', teammate: 'Scribe', task: 'note that we ship' }],
    ['could you ask Librarian about receipts', { kind: 'ask', teammate: 'Librarian', task: 'receipts' }],
    ['让小李看看首页', { kind: 'ask', teammate: '小李', task: '看看首页' }],
    ['ask Scribes for help', { kind: 'question', topic: 'ask Scribes for help' }],
    ['we decided what?', { kind: 'question', topic: 'we decided what?' }],
    [
      'what happens when the memory is full?',
      { kind: 'question', topic: 'what happens when the memory is full?' },
    ],
  ])('%s', (text, expected) => {
    expect(intent(text)).toEqual(expected)
  })

  it('names agents as data, whatever their names hold', () => {
    const odd = ['a.c', '(x', '[', 'C++', '$&']
    for (const name of odd) {
      expect(intentOf(`who is ${name}?`, [], odd)).toEqual({ kind: 'agent', name })
      expect(intentOf('who is abc?', [], ['a.c'])).toEqual({ kind: 'question', topic: 'who is abc?' })
    }
  })

  it('reads any text in a bounded time', () => {
    const hostile = [
      'please '.repeat(300),
      '请'.repeat(2_000),
      `what did ${'a '.repeat(900)}`,
      `关于${'了'.repeat(1_900)}`,
      `who said ${' ?'.repeat(900)}x`,
      `总结${'的'.repeat(2_000)}`,
      `${'a'.repeat(100_000)}?`,
    ]
    const start = process.cpuUsage().user
    for (const text of hostile) intent(text)
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(intent(text)).toEqual(intent(text))
      }),
    )
    expect((process.cpuUsage().user - start) / 1_000).toBeLessThan(5_000)
  })
})

it('takes the own name away only where it calls', () => {
  expect(unnamed('@Golem what now', ['Golem'])).toBe('what now')
  expect(unnamed('@golem你好', ['Golem'])).toBe('你好')
  expect(unnamed('Golem, what now', ['Golem'])).toBe('what now')
  expect(unnamed('Golem is odd', ['Golem'])).toBe('Golem is odd')
  expect(unnamed('@Golems are odd', ['Golem'])).toBe('Golems are odd')
  expect(unnamed('Hi @Golem, we decided to ship', ['Golem'])).toBe('we decided to ship')
  expect(unnamed('你好，@书记员：我们决定用 Go', ['书记员'])).toBe('我们决定用 Go')
  expect(unnamed('we decided to ship, @Golem!', ['Golem'])).toBe('we decided to ship!')
  expect(unnamed('记住：演示在星期五 @书记员', ['书记员'])).toBe('记住：演示在星期五')
  expect(unnamed('what does @Golem do?', ['Golem'])).toBe('what does Golem do?')
  expect(unnamed('hello @Golem', ['Golem'])).toBe('hello')
  expect(unnamed('write to me@Golem', ['Golem'])).toBe('write to me@Golem')
})

it.each([
  ['is it done', true],
  ['done?', true],
  ['什么时候', true],
  ['it is done', false],
  ['完成了', false],
])('%s is a question: %s', (text, expected) => {
  expect(isQuestion(text)).toBe(expected)
})
