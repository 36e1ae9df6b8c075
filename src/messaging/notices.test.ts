import { describe, expect, it } from 'vitest'
import type { Notice } from './decision.js'
import { wording } from './notices.js'

const NOTICES: { [Kind in Notice['kind']]: Extract<Notice, { kind: Kind }>[] } = {
  archived: [
    { kind: 'archived', agents: ['Ada'] },
    { kind: 'archived', agents: ['Ada', 'Ben', 'Cleo'] },
  ],
  'no-active-members': [{ kind: 'no-active-members' }],
  'mention-hint': [{ kind: 'mention-hint' }],
  quiet: [{ kind: 'quiet', maxTurns: 10 }],
  'not-taken': [
    { kind: 'not-taken', reason: 'sender-full' },
    { kind: 'not-taken', reason: 'room-full' },
  ],
  expired: [{ kind: 'expired' }],
  interrupted: [{ kind: 'interrupted', agent: 'Ada' }],
  failed: [{ kind: 'failed', agent: 'Ada', receipt: 'local:lobby:7' }],
  stopped: [{ kind: 'stopped', agent: 'Ada' }],
  fresh: [{ kind: 'fresh' }],
  command: [{ kind: 'command', text: 'as it is' }],
  edited: [{ kind: 'edited' }],
  'handed-off': [{ kind: 'handed-off', from: 'Ada', to: 'Ben' }],
  'room-changed': [
    { kind: 'room-changed', what: 'bulletin', by: 'Ann', reset: false },
    { kind: 'room-changed', what: 'description', by: 'Ann', reset: true },
  ],
  asked: [{ kind: 'asked', agents: ['Ada', 'Ben'] }],
  working: [
    { kind: 'working' },
    { kind: 'working', tool: 'history_search' },
    { kind: 'working', note: 'Reading a.ts' },
    { kind: 'working', asking: 'Ann' },
  ],
  waiting: [
    { kind: 'waiting', agent: 'Ada' },
    { kind: 'waiting', agent: 'Ada', elsewhere: true },
  ],
  pressed: [
    { kind: 'pressed', what: 'stop', by: 'Ann' },
    { kind: 'pressed', what: 'retry', by: 'Ann' },
  ],
  'file-lost': [{ kind: 'file-lost', name: 'a.txt', why: 'too large' }],
  'fell-back': [{ kind: 'fell-back', what: 'duplicate' }],
  'may-not-post': [{ kind: 'may-not-post', receipt: 'x:a:1' }],
  // Longer than a line: see question-words.test.ts.
  question: [],
  decided: [],
  undecided: [{ kind: 'undecided', agent: 'Ada' }],
}
const all = Object.values(NOTICES).flat()

describe.each(['en', 'zh'] as const)('what Golem says in %s', (language) => {
  it.each(all)('$kind is short, and names whom it is about', (notice) => {
    const text = wording(notice, language)
    expect(text.trim()).not.toBe('')
    expect(text).not.toContain('undefined')
    expect(text.length).toBeLessThan(200)
    for (const name of 'agents' in notice ? notice.agents : 'agent' in notice ? [notice.agent] : [])
      expect(text).toContain(name)
    if (notice.kind !== 'command' && language === 'zh') expect(text).toMatch(/\p{Script=Han}/u)
    if (language === 'en') expect(text).not.toMatch(/\p{Script=Han}/u)
  })
})

it('lists names as people do', () => {
  expect(wording({ kind: 'asked', agents: ['Ada', 'Ben', 'Cleo'] }, 'en')).toBe(
    'Asked Ada, Ben and Cleo, waiting.',
  )
  expect(wording({ kind: 'asked', agents: ['Ada', 'Ben', 'Cleo'] }, 'zh')).toBe(
    '已请 Ada、Ben、Cleo 处理，等待中。',
  )
})
