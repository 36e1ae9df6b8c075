/** Work that is given to a teammate, done by it, and reported. */
import { describe, expect, it } from 'vitest'
import { ToolError } from '../../../messaging/engine.js'
import { called, DEMO_TEAM, MEMORY, ROOM, type Setting, said, turn } from './bench.fixture.js'

describe('the team', () => {
  it('gives work to the teammate whose role fits, and ends without text', async () => {
    const { answer, calls } = await turn('summarise the conversation', ROOM)
    expect(answer).toBeNull()
    const [ask] = calls.filter((call) => call.tool === 'ask_teammate')
    expect(ask?.args).toMatchObject({ name: 'Scribe' })
    expect(String(Reflect.get(Object(ask?.args), 'task'))).toContain(
      '\n\nConversation:\n- Ann: The launch moved',
    )
    expect(await called('find documents about payroll', 'ask_teammate')).toEqual([
      { name: 'Librarian', task: 'find documents about payroll' },
    ])
    const review = [...DEMO_TEAM, { name: 'Rev', role: 'code reviewer', orchestrator: false }]
    expect(await called('please review this code', 'ask_teammate', { ...ROOM, roster: review })).toEqual([
      { name: 'Rev', task: 'please review this code' },
    ])
    expect(
      await called('前端页面坏了，谁来看看', 'ask_teammate', {
        roster: [...DEMO_TEAM, { name: '小李', role: '前端工程师', orchestrator: false }],
      }),
    ).toEqual([{ name: '小李', task: '前端页面坏了，谁来看看' }])
    expect(
      await called('the invoice is wrong', 'ask_teammate', {
        ...ROOM,
        options: { fields: { Librarian: ['invoices and billing'] } },
      }),
    ).toEqual([{ name: 'Librarian', task: 'the invoice is wrong' }])
  })

  it.each([
    ['ask Scribe to note that we ship Friday', 'Scribe', 'note that we ship Friday'],
    ['Librarian, how are messages kept?', 'Librarian', 'how are messages kept?'],
    ['请 Librarian 查一下发票', 'Librarian', '查一下发票'],
    ['让Scribe记住周五上线', 'Scribe', '记住周五上线'],
  ])('asks by name: %s', async (text, name, task) => {
    expect(await called(text, 'ask_teammate')).toEqual([{ name, task }])
  })

  it('does the teammate own its work: it answers itself and asks nobody', async () => {
    const first = await turn('summarise the conversation', ROOM)
    const task = String(Reflect.get(Object(first.calls.at(-1)?.args), 'task'))
    const second = await turn(task, { agent: 'Scribe', kind: 'ask', memory: MEMORY })
    expect(second.calls.some((call) => call.tool === 'ask_teammate')).toBe(false)
    expect(second.answer).toMatch(/^Key lines of the last 5 messages by Ann, Bob, Cid/)
    expect(await called('find documents about payroll', 'ask_teammate', { agent: 'Librarian' })).toEqual([])
    expect(await said('find documents about payroll', { agent: 'Librarian', kind: 'ask' })).toBe(
      "I found nothing about that in the skills, in this chat's memory or in what was said here.",
    )
    expect(
      await called('note that we ship Friday', 'memory_remember', { agent: 'Scribe', kind: 'ask' }),
    ).toEqual([{ section: 'context', line: 'we ship Friday' }])
  })

  it('posts what a teammate reports in its name, and asks nobody again', async () => {
    const result = (name: string, text: string) => ({
      id: name,
      author: { id: name, name },
      kind: 'result' as const,
      text,
      at: '2026-03-01T10:00:00Z',
      new: true,
    })
    const setting: Setting = {
      kind: 'follow-up',
      before: [['Ann', 'what is a receipt?']],
      fresh: [
        result('Librarian', 'It is a proof.\n\n— skill golem-faq: What is a receipt?'),
        result('Scribe', '[Scribe gave no result: timed-out]'),
      ],
    }
    const { answer, calls } = await turn('', setting)
    expect(answer).toBe(
      'From Librarian:\n\nIt is a proof.\n\n— skill golem-faq: What is a receipt?\n\nScribe gave no result.',
    )
    expect(calls).toEqual([])
    const alone = await turn('', { ...setting, fresh: [result('Scribe', '[PASS]')] })
    expect(alone.answer).toMatch(/^Scribe gave no result\.\n\nWhat can be proved/)
    const chinese = await turn('', {
      ...setting,
      before: [['Ann', '总结一下']],
      fresh: [result('Scribe', '关键句')],
    })
    expect(chinese.answer).toBe('来自 Scribe：\n\n关键句')
  })

  it('does the work itself when asking is refused', async () => {
    const refused = { ask_teammate: () => ({ status: 'refused', why: 'circle' }) }
    expect(await said('summarise the conversation', { ...ROOM, tools: refused })).toMatch(/^Key lines/)
    const thrown = {
      ask_teammate: () => {
        throw new ToolError('too many')
      },
    }
    expect(await said('ask Librarian how messages are kept', { ...ROOM, tools: thrown })).toContain('outbox')
  })
})
