import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GATES } from './decision.js'
import { explain } from './explain.js'
import { OUTCOMES, type ReceiptView, receiptSchema } from './views.js'

const lines = readFileSync(new URL('./explain.fixtures.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const kinds = new Map(
  lines.map((line) => {
    const { name, receipt } = z.object({ name: z.string(), receipt: receiptSchema }).parse(JSON.parse(line))
    return [name, receipt]
  }),
)
function kind(name: string): ReceiptView {
  const receipt = kinds.get(name)
  if (receipt === undefined) throw new Error(`no receipt called ${name}`)
  return receipt
}

describe('in English', () => {
  it('an answered message: who and by which gates', () => {
    expect(explain(kind('answered'))).toMatchInlineSnapshot(`
      "Answered by Golem.
      ✓ author: A person spoke.
      ✓ access: Nobody is shut out of this connection.
      ✓ addressed: It names @Golem.
      ✓ policy: The room answers when it is addressed.
      ✓ who answers: Golem was named.
      ✓ turns of bots: A person has just spoken.
      ✓ queue: There is room in the queue.
      ✓ Golem: done
      Receipt 7: golem why 7"
    `)
  })
  it('a message that was kept: the gate that stopped it', () => {
    expect(explain(kind('kept'))).toMatchInlineSnapshot(`
      "Not answered: kept as context for later.
      ✓ author: A person spoke.
      ✓ access: Nobody is shut out of this connection.
      · addressed: It names nobody; "@Golem2" is close to Golem.
      ✗ policy: The room answers only when it is addressed.
      Receipt 8: golem why 8"
    `)
  })
  it('a message that was refused', () => {
    expect(explain(kind('refused'))).toMatchInlineSnapshot(`
      "Not taken.
      ✓ author: A person spoke.
      ✓ access: Nobody is shut out of this connection.
      ✓ addressed: It names @Golem.
      ✓ policy: The room answers when it is addressed.
      ✓ who answers: Golem was named.
      ✓ turns of bots: A person has just spoken.
      ✗ queue: 20 messages of this person wait already.
      Receipt 9: golem why 9"
    `)
  })
  it('a post that could not be delivered', () => {
    expect(explain(kind('failed')).split('\n').slice(-3)).toMatchInlineSnapshot(`
      [
        "✗ Reviewer: failed",
        "✗ the post could not be delivered (3 attempts)",
        "Receipt 12: golem why 12",
      ]
    `)
  })
})

describe('a post', () => {
  const [base] = kind('failed').turns.flatMap(({ operations }) => operations)
  /** The line about the one operation of a receipt. */
  const line = (change: object, language: 'en' | 'zh' = 'en'): string | undefined => {
    if (base === undefined) throw new Error('the fixture has no operation')
    const receipt = kind('answered')
    const operations = [{ ...base, attempts: 1, ...change }]
    return explain({ ...receipt, turns: [], operations }, language)
      .split('\n')
      .at(-2)
  }

  it.each([
    [{ state: 'pending', failure: 'busy' }, '· the post waits: the platform allows only so many in a while'],
    [
      { state: 'pending', failure: 'rate-limited' },
      '· the post waits: the platform allows only so many in a while',
    ],
    [{ state: 'failed', failure: 'forbidden' }, '✗ the bot may not post in this chat'],
    [{ state: 'sent', kind: 'note may-not-post' }, '✓ whoever asked was told in a direct message'],
    [{ state: 'failed', failure: 'ambiguous' }, '✗ sent, but the platform never said whether it arrived'],
    [{ state: 'failed', failure: 'invalid' }, '✗ the post could not be delivered'],
  ])('%o', (change, said) => {
    expect(line(change)).toBe(said)
    expect(line(change, 'zh')).toMatch(/\p{Script=Han}/u)
  })
})

describe('in Chinese', () => {
  it('an answered message', () => {
    expect(explain(kind('chinese'), 'zh')).toMatchInlineSnapshot(`
      "小助手已回答。
      ✓ 发言者
      ✓ 访问权限
      ✓ 是否点名
      ✓ 群策略
      ✓ 由谁回答
      ✓ 连续发言
      ✓ 队列
      ✓ 小助手：已完成
      这条消息之后被编辑过。
      回执 16：golem why 16"
    `)
  })
  it('a message that was kept, with the near miss', () => {
    expect(explain(kind('kept'), 'zh')).toMatchInlineSnapshot(`
      "未回答：仅作为上下文保留。
      ✓ 发言者
      ✓ 访问权限
      · 是否点名
      ✗ 群策略：没有被点名，按本群策略只作为上下文保留。
      接近但不是点名：@Golem2。
      回执 8：golem why 8"
    `)
  })
  it('has a word for everything: no English sentence is left', () => {
    for (const receipt of kinds.values())
      for (const outcome of OUTCOMES) {
        const gates = GATES.map((gate) => ({
          gate,
          verdict: 'stop' as const,
          saw: {},
          why: 'An English sentence.',
        }))
        const decision = receipt.decision && { ...receipt.decision, gates }
        expect(explain({ ...receipt, outcome, decision }, 'zh')).not.toMatch(/undefined|English/)
      }
  })
})

it('never tells in a chat what an agent or a platform said when it failed, nor what anybody wrote', () => {
  for (const receipt of kinds.values()) {
    const told = explain(receipt) + explain(receipt, 'zh')
    for (const turn of receipt.turns) {
      if (turn.reason !== null) expect(told).not.toContain(turn.reason)
      for (const { failure, text } of turn.operations)
        for (const inner of [failure, text]) if (inner !== null) expect(told).not.toContain(inner)
    }
    if (receipt.message.text !== null) expect(told).not.toContain(receipt.message.text)
  }
})
