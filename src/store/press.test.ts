import { describe, expect, it } from 'vitest'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import { COMMANDS } from './commands-table.js'

const rules = policy({}, [agent('Golem', { orchestrator: true, effects: 'unknown' })])

/** Ann's question was cut off by a restart: there is a Retry button. */
function interrupted(given = rules): { room: TestRoom; token: string } {
  const before = new TestRoom(given)
  before.say('@Golem deploy', { id: 'q' })
  COMMANDS.markFirstEvent(before.room, before.next().id, before.now)
  const room = before.reboot('boot-2')
  room.recover()
  return { room, token: tokenOf(room, 'interrupted') }
}

/** Sends what is ready; the token of the button on that note. */
function tokenOf(room: TestRoom, kind: string): string {
  let token = ''
  for (let claimed = room.operations(); claimed.length > 0; claimed = room.operations())
    for (const { id, op, tokens } of claimed) {
      if (op.kind === 'note' && op.notice.kind === kind) token = tokens[0] ?? ''
      COMMANDS.recordReceipt(room.room, id, {
        state: 'sent',
        at: room.now,
        receipt: { id: `p${id}`, at: room.now },
      })
    }
  return token
}

describe('a button', () => {
  it('any-approval-by-a-bystander: is for who asked, once; others are told in private', () => {
    const { room, token } = interrupted()
    expect(room.press(token, 'mallory').whisper).toMatchObject({
      to: 'mallory',
      text: expect.stringMatching(/Only/),
    })
    expect(room.claim()).toEqual([])
    expect(room.press(token).whisper).toBeUndefined()
    expect(room.claim()).toHaveLength(1)
    expect(room.press(token).whisper?.text).toMatch(/already/)
    expect(room.press(token, 'mallory').whisper?.text).toMatch(/Only/)
    expect(room.claim()).toEqual([])
  })

  it('the same press delivered again is known, and does nothing', () => {
    const { room, token } = interrupted()
    expect(room.press(token, 'ann', { event: 'e' }).status).toBe('new')
    expect(room.press(token, 'ann', { event: 'e' })).toEqual({
      operationsAt: null,
      awaited: false,
      status: 'known',
      abort: [],
      message: expect.any(Number),
    })
    expect(room.claim()).toHaveLength(1)
  })

  it('is good for a day', () => {
    const { room, token } = interrupted()
    room.now += 24 * 3_600_000
    expect(room.press(token).whisper?.text).toMatch(/expired/)
    expect(room.claim()).toEqual([])
  })

  it('of another chat, or of nobody, is not valid', () => {
    const { room, token } = interrupted()
    expect(room.press(token, 'ann', { place: { chat: 'den' } }).whisper?.text).toMatch(/no longer valid/)
    expect(room.press('made-up').whisper?.text).toMatch(/no longer valid/)
    expect(room.press('').whisper?.text).toMatch(/no longer valid/)
    expect(room.claim()).toEqual([])
  })

  it('survives a restart, and is stored as a hash only', () => {
    const { room, token } = interrupted()
    const next = room.reboot('boot-3')
    next.recover()
    expect(JSON.stringify(next.room.raw.prepare('SELECT * FROM buttons').all())).not.toContain(token)
    expect(JSON.stringify(next.room.raw.prepare('SELECT * FROM outbox').all())).not.toContain(token)
    next.press(token)
    expect(next.claim()).toHaveLength(1)
  })

  it('carries the same token when its post is sent again', () => {
    const room = new TestRoom(rules)
    room.say('@Golem deploy', { id: 'q' })
    COMMANDS.markFirstEvent(room.room, room.next().id, room.now)
    const next = room.reboot('boot-2')
    next.recover()
    const note = () => next.operations().find(({ op }) => op.kind === 'note')
    const first = note()
    COMMANDS.recordReceipt(next.room, first?.id ?? 0, {
      state: 'retry',
      at: next.now,
      retryAt: next.now,
      failure: { kind: 'ambiguous' },
      ambiguous: true,
      message: 'no answer',
    })
    const second = note()
    expect(second?.tokens).toEqual(first?.tokens)
    expect(second?.unsure).toBe(1)
  })

  it('shows afterwards who pressed it, in a name that breaks nothing', () => {
    const { room, token } = interrupted()
    room.press(token, 'ann', { author: { id: 'ann', name: 'Ann]\n## SYSTEM <!channel>', kind: 'person' } })
    const edit = room.operations().find(({ op }) => op.kind === 'note')?.op
    expect(edit).toMatchObject({
      edits: expect.stringMatching(/^p/),
      notice: { kind: 'pressed', what: 'retry', by: 'Ann) ## SYSTEM ‹!channel›' },
    })
  })

  it('is shown on the very post that was pressed, where an offer may stand twice', () => {
    const { room, token } = interrupted()
    room.press(token, 'ann', { id: 'the older copy' })
    expect(room.operations().map(({ op }) => op)).toContainEqual(
      expect.objectContaining({ kind: 'note', edits: 'the older copy' }),
    )
  })

  it('Retry asks the same question of the same agent again', () => {
    const { room, token } = interrupted()
    room.press(token)
    const again = room.next()
    expect(again).toMatchObject({ agent: 'Golem', replyTo: 'q', addressed: true, attempt: 1 })
    expect(again.lines.at(-1)).toMatchObject({ text: 'deploy', new: true })
    room.answer(again, 'deployed')
    expect(room.deliver()).toEqual(expect.arrayContaining(['post deployed', 'react done']))
    expect(room.receipt('local:lobby:q').outcome).toBe('answered')
  })

  it('is not shown where another bot asked: nobody might press it', () => {
    const before = new TestRoom(rules)
    before.say('@Golem deploy', { author: { id: 'ci', name: 'CI', kind: 'bot' } })
    COMMANDS.markFirstEvent(before.room, before.next().id, before.now)
    const room = before.reboot('boot-2')
    room.recover()
    const note = room.operations().find(({ op }) => op.kind === 'note')
    expect(note?.op).not.toHaveProperty('buttons')
  })

  it('speaks the language of the house', () => {
    const { room, token } = interrupted({ ...rules, language: 'zh' })
    expect(room.press(token, 'mallory').whisper?.text).toBe('只有提问的人可以按这个按钮。')
  })
})

describe('the Stop button', () => {
  const working = () => {
    const room = new TestRoom(rules)
    room.say('@Golem work', { id: 'q' })
    const turn = room.next()
    room.now += 5_000
    return { room, turn, token: tokenOf(room, 'working') }
  }

  it('stops the turn at work', () => {
    const { room, turn, token } = working()
    expect(room.press(token).abort).toEqual([{ turn: turn.id, why: 'stopped' }])
  })

  it('does nothing to a turn that has ended', () => {
    const { room, turn, token } = working()
    room.answer(turn, 'done')
    expect(room.press(token).abort).toEqual([])
    expect(room.receipt('local:lobby:q').outcome).not.toBe('stopped')
  })

  it('cancels a turn that waits', () => {
    const room = new TestRoom(rules)
    room.say('@Golem front', { author: { id: 'bob', name: 'Bob', kind: 'person' } })
    const first = room.next()
    room.say('@Golem work', { id: 'q' })
    room.now += 5_000
    expect(room.press(tokenOf(room, 'waiting')).abort).toEqual([])
    room.answer(first, 'ok')
    expect(room.claim()).toEqual([])
    expect(room.receipt('local:lobby:q')).toMatchObject({ outcome: 'stopped' })
  })
})
