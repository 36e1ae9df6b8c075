/** What people ask the offline agent to keep, and to tell of what was said. */
import { describe, expect, it } from 'vitest'
import { ToolError } from '../../../messaging/engine.js'
import { called, SOLO, said, turn } from './bench.fixture.js'

describe('keeps notes', () => {
  it.each([
    ['remember that the key is in the safe', 'context', 'the key is in the safe'],
    ['please remember: lunch is at noon', 'context', 'lunch is at noon'],
    ['Could you note down that we meet at 9!', 'context', 'we meet at 9'],
    ['we decided to use Postgres', 'decisions', 'Use Postgres'],
    ['We have agreed on weekly releases.', 'decisions', 'Weekly releases'],
    ['remember that we decided against Kafka', 'decisions', 'Against Kafka'],
    ['Decision: no deploys on Friday', 'decisions', 'No deploys on Friday'],
    ['remember that Ann is the front-end lead', 'members', 'Ann: front-end lead'],
    ['remember that Ann is out on Friday', 'context', 'Ann is out on Friday'],
    ['记住周五演示', 'context', '周五演示'],
    ['请帮我记一下：密码在保险箱', 'context', '密码在保险箱'],
    ['我们决定用 Go', 'decisions', '用 Go'],
    ['决定：周五不上线', 'decisions', '周五不上线'],
    ['记住 Bob 是后端', 'members', 'Bob：后端'],
    ['remember that @Bob owns billing', 'context', 'Bob owns billing'],
  ])('%s', async (text, section, line) => {
    expect(await called(text, 'memory_remember')).toEqual([{ section, line }])
  })

  it('says what it noted, what was there already, and what was refused', async () => {
    expect(await said('we decided to use Go')).toBe('Noted under Decisions: Use Go')
    expect(await said('记住周五演示')).toBe('已记入项目上下文：周五演示')
    const known = {
      memory_remember: () => ({ status: 'known already', section: 'decisions', line: '[2026-02-01] Use Go' }),
    }
    expect(await said('we decided to use Go', { tools: known })).toBe(
      'That is noted already: [2026-02-01] Use Go',
    )
    const full = {
      memory_remember: () => {
        throw new ToolError('The file is full.')
      },
    }
    expect(await said('we decided to use Go', { tools: full })).toBe(
      'That could not be done. The file is full.',
    )
    expect(await said('remember x y', { without: ['memory_remember'] })).toContain('no group memory')
  })

  it('takes the line before for "remember this"', async () => {
    expect(
      await called('remember this', 'memory_remember', { before: [['Ann', 'The vault code changed']] }),
    ).toEqual([{ section: 'context', line: 'The vault code changed (Ann)' }])
    expect(await said('remember this', { before: [] })).toContain('What shall I remember?')
  })

  it.each(['do you remember when we met?', 'did we decide to use Go?', 'forget it', '你记得吗？'])(
    'does not write for %s',
    async (text) => {
      expect(await called(text, 'memory_remember')).toEqual([])
      expect(await called(text, 'memory_forget')).toEqual([])
    },
  )

  it('forgets the one line that is meant', async () => {
    expect(await called('forget the demo', 'memory_forget')).toEqual([{ line: 'The demo is on Friday' }])
    expect(await called('please forget about Datadog', 'memory_forget')).toEqual([
      { line: '[2026-03-01] Prometheus rather than Datadog, for cost' },
    ])
    expect(await said('forget the demo')).toBe('Forgotten: The demo is on Friday')
    expect(await called('忘记服务器', 'memory_forget')).toEqual([{ line: '服务器在法兰克福' }])
    expect(await said('forget the unicorn')).toContain('Nothing about “the unicorn” is in')
    expect(await said('forget everything')).toContain('line by line')
    const two = { memory: '# Group: x\n\n## Decisions\n- coffee at ten\n- coffee machine is new\n' }
    expect(await called('forget coffee', 'memory_forget', two)).toEqual([])
    expect(await said('forget coffee', two)).toBe(
      'Several lines fit. Which one shall I forget?\n- coffee at ten\n- coffee machine is new',
    )
  })

  it('says what it remembers and what was decided', async () => {
    expect(await said('what do you remember?')).toContain(
      '**Members**\n- Ann: front-end lead\n- Bob\n\n**Project context**',
    )
    expect(await said('what do you remember about the demo?')).toBe(
      "This chat's memory:\n\n**Project context**\n- The demo is on Friday",
    )
    expect(await said('what did we decide?')).toBe(
      'Decisions of this chat:\n- [2026-02-01] Use Postgres\n- [2026-03-01] Prometheus rather than Datadog, for cost\n\n— group memory: Decisions',
    )
    expect(await said('what did we decide about Datadog?')).not.toContain('Use Postgres')
    expect(await said('what did we decide about lunch?')).toContain('No decision about “lunch”')
    expect(await said('我们决定了什么？')).toMatch(/^本群的决定：\n- \[2026-02-01\] Use Postgres/)
    expect(await said('你记得什么', { memory: '' })).toBe('群记忆还是空的。说“记住……”就可以开始。')
    expect(await said('what do you remember?', { memory: null, without: ['memory_read'] })).toContain(
      'no group memory',
    )
  })
})

describe('the conversation', () => {
  it('finds who said something, without pinging anybody', async () => {
    expect(await said('who said something about the disk?')).toBe(
      'Found in this conversation:\n- Ann, 2026-03-01 10:03 UTC: “The staging server is broken again, Bob: disk full.”',
    )
    expect(await said('when did we talk about the launch?')).toContain('Ann, 2026-03-01 10:00 UTC')
    expect(await said('what did Bob say?')).toContain('migration script')
    expect(await said('what did Ann say about the launch?')).not.toContain('migration')
    expect(await said('谁提到过磁盘？')).toBe(
      '在本会话中找到：\n- Cid, 2026-03-01 10:04 UTC: “磁盘已经满了，明天扩容。”',
    )
    expect(await said('who said something about unicorns?')).toContain(
      'Nobody said anything about “unicorns”',
    )
  })

  it('picks key lines with their speakers and says that it does', async () => {
    const answer = await said('summarise the conversation', SOLO)
    expect(answer).toMatch(
      /^Key lines of the last 5 messages by Ann, Bob, Cid \(\d picked, in their own words; I am no language model/,
    )
    expect(answer).toContain('- Ann: The launch moved to June 12 because the vendor is late.')
    expect(answer).not.toContain('- Bob: ok')
    expect(answer).not.toContain('@')
    expect(await said('总结一下最近2条消息', SOLO)).toMatch(/^最近 2 条消息的关键句（Ann、Cid）/)
    expect(await said('summarise the server discussion', SOLO)).toContain('staging server')
    expect(await said('tl;dr', { ...SOLO, before: [] })).toBe(
      'There is nothing here yet that could be summarised.',
    )
  })

  it('answers a bare mention from what was asked before it', async () => {
    expect(await said('', { before: [['Ann', 'What is a receipt?']] })).toContain(
      '— skill golem-faq: What is a receipt?',
    )
    expect(await said('@Golem', { before: [['Ann', 'What is a receipt?']] })).toContain('What is a receipt?')
    expect(await said('', { before: [] })).toContain('I am Golem')
    expect(await said('', { before: [], language: 'zh' })).toContain('我是 Golem')
  })

  it('answers each line of a merged turn once', async () => {
    const line = (id: string, text: string) => ({
      id,
      author: { id: 'a', name: 'Ann' },
      kind: 'person' as const,
      text,
      at: '2026-03-01T10:00:00Z',
      new: true,
    })
    const { answer, calls } = await turn('', {
      fresh: [
        line('1', '@Golem'),
        line('2', 'remember that tea is at four'),
        line('3', 'what is a receipt?'),
        line('4', 'xyzzy?'),
      ],
    })
    expect(calls.filter((call) => call.tool === 'memory_remember')).toHaveLength(1)
    expect(answer).toMatch(/^Noted under Project context: tea is at four\n\nWhat can be proved/)
    expect(answer).not.toContain('I found nothing')
  })
})
