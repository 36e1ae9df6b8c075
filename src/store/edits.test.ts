import { describe, expect, it } from 'vitest'
import { agent, policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { Effects } from '../messaging/roster.js'
import { COMMANDS } from './commands-table.js'

const BOB = { id: 'bob', name: 'Bob', kind: 'person' } as const
const withEffects = (effects: Effects) =>
  new TestRoom(policy({}, [agent('Golem', { orchestrator: true, effects }), agent('Librarian', { effects })]))
const tokensOf = (room: TestRoom, kind: string): string[] => {
  const tokens: string[] = []
  for (const { id, op, tokens: own } of room.operations()) {
    if (op.kind === 'note' && op.notice.kind === kind) tokens.push(...own)
    COMMANDS.recordReceipt(room.room, id, {
      state: 'sent',
      at: room.now,
      receipt: { id: `p${id}`, at: room.now },
    })
  }
  return tokens
}
const all = (room: TestRoom, kind: string): string[] => {
  const tokens: string[] = []
  for (let found = tokensOf(room, kind), rounds = 0; rounds < 20; found = tokensOf(room, kind), rounds++)
    tokens.push(...found)
  return tokens
}

describe('an edit', () => {
  it('before the turn starts changes its words', () => {
    const room = new TestRoom()
    room.say('@Golem front', { author: BOB })
    const first = room.next()
    room.say('@Golem two plus two', { id: 'q' })
    expect(room.edit('q', '@Golem three plus three').abort).toEqual([])
    room.answer(first, 'ok')
    expect(room.next().lines.at(-1)?.text).toBe('three plus three')
    expect(room.receipt('local:lobby:q').message.editedAt).toBe(room.now)
  })

  it('while an engine without effects works has it start again', () => {
    const room = withEffects('none')
    room.say('@Golem two plus two', { id: 'q' })
    const turn = room.next()
    expect(room.edit('q', '@Golem three plus three').abort).toEqual([{ turn: turn.id, why: 'edited' }])
    room.settle(turn.id, { state: 'queued', reason: 'edited' })
    expect(room.next()).toMatchObject({ id: turn.id, attempt: 2 })
    expect(all(room, 'edited')).toEqual([])
  })

  it('that crosses the answer is not lost: the answer may be asked for again', () => {
    const room = withEffects('none')
    room.say('@Golem two plus two', { id: 'q' })
    const turn = room.next()
    room.edit('q', '@Golem three plus three')
    room.answer(turn, '4')
    const [token] = all(room, 'edited')
    room.press(token ?? '')
    expect(room.next().lines.at(-1)?.text).toBe('three plus three')
  })

  it('while an engine of unknown effects works is offered afterwards, never run by itself', () => {
    const room = withEffects('unknown')
    room.say('@Golem two plus two', { id: 'q' })
    const turn = room.next()
    expect(room.edit('q', '@Golem three plus three').abort).toEqual([])
    expect(all(room, 'edited')).toEqual([])
    room.answer(turn, '4')
    expect(room.claim()).toEqual([])
    expect(all(room, 'edited')).toHaveLength(1)
  })

  it('after the answer offers another one, once', () => {
    const room = new TestRoom()
    room.say('@Golem two plus two', { id: 'q' })
    room.answer(room.next(), '4')
    room.edit('q', '@Golem three plus three')
    room.edit('q', '@Golem four plus four')
    const [token, second] = all(room, 'edited')
    expect(second).toBeUndefined()
    room.edit('q', '@Golem five plus five')
    expect(all(room, 'edited')).toEqual([])
    expect(room.claim()).toEqual([])
    room.press(token ?? '')
    expect(room.press(token ?? '').whisper?.text).toMatch(/already/)
    const again = room.next()
    expect(again).toMatchObject({ replyTo: 'q', addressed: true })
    expect(again.lines.at(-1)?.text).toBe('five plus five')
    room.answer(again, '10')
    expect(room.claim()).toEqual([])
    // What was answered again may change again.
    room.edit('q', '@Golem six plus six')
    expect(all(room, 'edited')).toHaveLength(1)
  })

  it('of what several agents answered offers it once, and asks all of them again, as often as wanted', () => {
    const room = new TestRoom()
    room.say('@Golem @Librarian hi', { id: 'q' })
    room.answer(room.next(), 'one')
    room.edit('q', '@Golem @Librarian hello')
    room.answer(room.next(), 'two')
    for (const word of ['good morning', 'good night']) {
      room.edit('q', `@Golem @Librarian ${word}`)
      const tokens = all(room, 'edited')
      expect(tokens).toHaveLength(1)
      room.press(tokens[0] ?? '')
      const names: string[] = []
      for (let turn = room.claim()[0]; turn; turn = room.claim()[0]) {
        names.push(turn.agent)
        room.answer(turn, 'again')
      }
      expect(names).toEqual(['Golem', 'Librarian'])
    }
  })

  it('of an earlier line of a merged request counts as well', () => {
    const room = new TestRoom()
    room.say('@Golem front', { author: BOB })
    const first = room.next()
    room.say('@Golem one', { id: 'a' })
    room.say('@Golem two', { id: 'b' })
    room.answer(first, 'ok')
    room.answer(room.next(), 'one and two')
    room.edit('a', '@Golem three')
    expect(all(room, 'edited')).toHaveLength(1)
  })

  it('after a failure offers another try', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: 'q' })
    room.settle(room.next().id, { state: 'failed', code: 'exit', message: 'x' })
    room.edit('q', '@Golem hello')
    expect(all(room, 'edited')).toHaveLength(1)
  })

  it.each(['@Golem two plus two', '@Golem   two plus two ', 'two plus two'])(
    'that means the same (%s) changes nothing',
    (text) => {
      const room = withEffects('none')
      room.say('@Golem two plus two', { id: 'q' })
      const turn = room.next()
      expect(room.edit('q', text).abort).toEqual([])
      room.answer(turn, '4')
      expect(all(room, 'edited')).toEqual([])
    },
  )

  it('by somebody else than its author starts nothing', () => {
    const room = withEffects('none')
    room.say('@Golem two plus two', { id: 'q' })
    const turn = room.next()
    expect(room.edit('q', '@Golem delete it all', { author: BOB }).abort).toEqual([])
    room.answer(turn, '4')
    room.edit('q', '@Golem really', { author: BOB })
    expect(all(room, 'edited')).toEqual([])
    expect(room.claim()).toEqual([])
  })

  it('tg-edit-does-not-rerun-command: a command runs once', () => {
    const room = new TestRoom()
    room.say('/help', { id: 'c', command: { name: 'help' } })
    room.edit('c', '/help')
    room.edit('c', '/stop')
    expect(room.deliver()).toEqual(['note command'])
    room.say('hello', { id: 'd' })
    room.edit('d', '/help')
    expect(room.deliver()).toEqual([])
  })

  it('of nobody’s message, or of one that is gone, is nothing', () => {
    const room = new TestRoom()
    expect(room.edit('nowhere', 'x').status).toBe('new')
    room.say('hi', { id: 'd' })
    room.remove('d')
    room.edit('d', 'back again')
    expect(room.receipt('local:lobby:d').message.text).toBeNull()
  })

  it('has the last word in the search index', () => {
    const room = new TestRoom()
    room.say('the walrus sings', { id: 'w' })
    expect(COMMANDS.searchTranscript(room.room, 'local:lobby', 'walrus', 5)).toHaveLength(1)
    room.edit('w', 'the otter sings')
    expect(COMMANDS.searchTranscript(room.room, 'local:lobby', 'walrus', 5)).toEqual([])
    expect(COMMANDS.searchTranscript(room.room, 'local:lobby', 'otter', 5)).toHaveLength(1)
  })
})

describe('a deletion', () => {
  it('cancels what has not started, with its marks and posts', () => {
    const room = new TestRoom()
    room.say('@Golem front', { author: BOB, id: 'f' })
    const first = room.next()
    room.say('@Golem hi', { id: 'q' })
    room.now += 6_000
    expect(room.deliver()).toContain('note waiting')
    room.remove('q')
    expect(room.deliver()).toContain('delete')
    room.answer(first, 'ok')
    expect(room.claim()).toEqual([])
    expect(room.receipt('local:lobby:q')).toMatchObject({ outcome: 'stopped' })
  })

  it('aborts what runs, and its partial words are not posted', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: 'q' })
    const turn = room.next()
    expect(room.remove('q').abort).toEqual([{ turn: turn.id, why: 'deleted' }])
    room.settle(turn.id, { state: 'cancelled', reason: 'the message was deleted' })
    expect(room.deliver().filter((line) => line.startsWith('post') || line.startsWith('note'))).toEqual([])
  })

  it('of one line of several leaves the others', () => {
    const room = new TestRoom()
    room.say('@Golem front', { author: BOB })
    const first = room.next()
    room.say('@Golem one', { id: 'a' })
    room.say('@Golem two', { id: 'b' })
    room.remove('b')
    room.answer(first, 'ok')
    expect(
      room
        .next()
        .lines.filter(({ new: fresh }) => fresh)
        .map(({ text }) => text),
    ).toEqual(['one'])
  })

  it('leaves nothing of the words, wherever they were', () => {
    const room = new TestRoom()
    room.say('@Golem the xyzzy is plugh', { id: 'q', files: [{ id: 'f', name: 'xyzzy.png' }] })
    COMMANDS.searchTranscript(room.room, 'local:lobby', 'xyzzy', 5)
    room.answer(room.next(), 'noted')
    room.say('/why xyzzy', { id: 'c', command: { name: 'why' } })
    room.remove('q')
    room.remove('c')
    expect(COMMANDS.searchTranscript(room.room, 'local:lobby', 'xyzzy', 5)).toEqual([])
    for (const { name } of room.room.raw
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%_fts_%'")
      .all() as { name: string }[])
      expect(JSON.stringify(room.room.raw.prepare(`SELECT * FROM ${name}`).all()), name).not.toContain(
        'xyzzy',
      )
  })

  it('of an answer takes it out of the context and the receipt', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: 'q' })
    room.answer(room.next(), 'the secret is plugh')
    room.deliver()
    const answer = room.receipt('local:lobby:q').turns[0]?.operations.find(({ kind }) => kind === 'post')
    expect(answer?.text).toMatch(/plugh/)
    room.remove(answer?.native ?? '', 'moderator')
    expect(JSON.stringify(room.receipt('local:lobby:q'))).not.toContain('plugh')
    room.say('@Golem again')
    expect(JSON.stringify(room.next().lines)).not.toContain('plugh')
  })

  it('after which a button for it does nothing, and says so', () => {
    const room = new TestRoom()
    room.say('@Golem hi', { id: 'q' })
    room.answer(room.next(), 'hello')
    room.edit('q', '@Golem hello')
    const [token] = all(room, 'edited')
    room.remove('q')
    expect(room.press(token ?? '').whisper?.text).toMatch(/deleted/)
    expect(room.claim()).toEqual([])
  })
})
