import { describe, expect, it } from 'vitest'
import type { ShownFact } from '../messaging/facts.js'
import { memoryErrand } from './errand.js'
import type { Memory } from './group.js'

const FACT: ShownFact = {
  audience: 'chat',
  text: 'The demo is\n# on Friday',
  by: 'Ann',
  at: Date.UTC(2026, 2, 1),
}

function fake(text: string, forgotten: { removed?: string[]; candidates?: string[] } = {}) {
  return {
    read: async () => ({ text }) as Memory,
    forget: async () => ({ removed: [], candidates: [], path: '', ...forgotten }),
  }
}
const show = (text: string, facts: ShownFact[] = [], language: 'en' | 'zh' = 'en') =>
  memoryErrand(fake(text), { chatKey: 'local:lobby', kind: 'show', words: '', facts }, language)
const forget = (given: { removed?: string[]; candidates?: string[] }) =>
  memoryErrand(fake('', given), { chatKey: 'x:y', kind: 'forget', words: 'w', facts: [] }, 'en')

describe('/memory', () => {
  it('shows facts and the lines of the file, without what is for its writers', async () => {
    const text =
      '# Group: local-lobby\n\n## Members\n- Ann\n\n## Project context\n\n<!-- ours\n- hidden -->\n## Decisions\n- [2026-03-01] tea\n  - green\n'
    expect(await show(text, [FACT])).toBe(
      '**Facts**\n- The demo is # on Friday (Ann, 2026-03-01)\n\n**Members**\n- Ann\n\n**Decisions**\n- [2026-03-01] tea\n  - green'.replace(
        '[2026-03-01]',
        '(2026-03-01)',
      ),
    )
  })

  it('says whose a fact is where it is not the chat’s', async () => {
    expect(await show('', [{ ...FACT, text: 'tea', audience: 'person' }])).toContain(
      'tea (only for you; Ann,',
    )
    expect(await show('', [{ ...FACT, text: 'tea', audience: 'connection' }], 'zh')).toContain('整个组织')
  })

  it('says that there is nothing, and how to begin', async () => {
    expect(await show('# Group: x\n\n## Members\n\n## Decisions\n')).toContain('/memory add')
  })

  it('ends a long one with how much more there is', async () => {
    const answer = await show(Array.from({ length: 300 }, (_, n) => `- line ${n} of many`).join('\n'))
    expect(answer.length).toBeLessThan(3_200)
    const shown = answer.match(/line \d+ of/gu)?.length ?? 0
    expect(answer).toContain(`and ${300 - shown} more lines`)
  })

  it('tells what was removed, what could be meant, and what is not there', async () => {
    expect(await forget({ removed: ['tea at four'] })).toBe('Removed from the memory file: tea at four')
    expect(await forget({ candidates: ['a tea', 'b tea'] })).toContain('- a tea\n- b tea')
    expect(await forget({})).toContain('No fact and no line')
  })
})
