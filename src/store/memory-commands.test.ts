import { describe, expect, it } from 'vitest'
import { policy } from '../../tests/support/policy.js'
import { TestRoom } from '../../tests/support/room.js'
import type { InboundMessage } from '../messaging/contract.js'
import { COMMANDS } from './commands-table.js'

const DM: Partial<InboundMessage> = { place: { chat: 'd-ann' }, chat: { kind: 'dm' } }
const bob = { id: 'bob', name: 'Bob', kind: 'person' } as const

/** What Golem answers to a command, at once. */
function answer(room: TestRoom, text: string, change: Partial<InboundMessage> = {}): string[] {
  room.say(text, change)
  const said: string[] = []
  for (;;) {
    const claimed = room.operations()
    if (claimed.length === 0) return said
    for (const { id, op } of claimed) {
      if (op.kind === 'note' && op.notice.kind === 'command') said.push(op.notice.text)
      COMMANDS.recordReceipt(room.room, id, {
        state: 'sent',
        at: room.now,
        receipt: { at: room.now, id: `p${id}` },
      })
    }
  }
}
const errands = (room: TestRoom) => COMMANDS.errands(room.room, room.now, 10)

describe('/memory', () => {
  it('is answered with the file, which the store does not have: a row until it is', () => {
    const room = new TestRoom()
    answer(room, '!memory add the demo is on Friday')
    expect(answer(room, '!memory', { id: 'q', place: { chat: 'lobby', thread: 't' } })).toEqual([])
    const again = room.reboot('boot-2')
    const [errand, second] = errands(again)
    expect(second).toBeUndefined()
    expect(errand).toMatchObject({
      chatKey: 'local:lobby',
      kind: 'show',
      facts: [{ text: 'the demo is on Friday', by: 'Ann' }],
    })
    COMMANDS.settleErrand(again.room, errand?.id ?? 0, 'All of it.', again.now)
    COMMANDS.settleErrand(again.room, errand?.id ?? 0, 'All of it.', again.now)
    expect(errands(again)).toEqual([])
    const ops = again.operations()
    expect(ops.map(({ op }) => op)).toMatchObject([
      { kind: 'note', place: { chat: 'lobby', thread: 't' }, replyTo: 'q', notice: { text: 'All of it.' } },
    ])
    expect(again.receipt('local:lobby:q').operations).toHaveLength(1)
  })

  it('the store says that there is one', () => {
    const room = new TestRoom()
    expect(room.say('!memory')).toMatchObject({ errand: true })
    expect(room.say('!why').errand).toBeUndefined()
  })

  it('a command that was deleted is not answered any more', () => {
    const room = new TestRoom()
    room.say('!memory', { id: 'q' })
    room.remove('q')
    for (const { id } of errands(room)) COMMANDS.settleErrand(room.room, id, 'x', room.now)
    expect(room.deliver()).toEqual([])
    expect(errands(room)).toEqual([])
  })
})

describe('/memory add and forget', () => {
  it('keeps for the chat, or in a direct message for the person', () => {
    const room = new TestRoom()
    expect(answer(room, '!memory add tea at four')).toEqual(['Kept for this chat: tea at four'])
    expect(answer(room, '!memory add Tea at four.')).toEqual(['That is known already: tea at four'])
    expect(answer(room, '/memory add I am tired', DM)).toEqual(['Kept for you: I am tired'])
  })

  it('removes by who had it kept or an owner, and says to others what would have to be done', () => {
    const room = new TestRoom(policy({ owners: ['carol'] }))
    answer(room, '!memory add tea at four')
    answer(room, '!memory add coffee at five')
    expect(answer(room, '!memory forget tea', { author: bob })[0]).toContain('golem.yaml')
    expect(answer(room, '!memory forget at')[0]).toMatch(/No fact here says that/)
    expect(answer(room, '!memory forget at f')[0]).toContain('- tea at four\n- coffee at five')
    expect(answer(room, '!memory forget tea')).toEqual(['Forgotten: tea at four'])
    expect(answer(room, '!memory forget coffee', { author: { ...bob, id: 'carol' } })).toEqual([
      'Forgotten: coffee at five',
    ])
  })

  it('lines of the file are an owner’s to remove', () => {
    const room = new TestRoom(policy({ owners: ['ann'] }))
    expect(answer(room, '!memory forget the walrus')).toEqual([])
    expect(errands(room)).toMatchObject([{ kind: 'forget', words: 'the walrus' }])
    expect(answer(room, '!memory forget the walrus', { author: bob })[0]).toContain('golem.yaml')
    expect(errands(room)).toHaveLength(1)
  })

  it('nobody from outside changes anything, and nobody but an owner tells the organisation', () => {
    const room = new TestRoom(policy({ owners: ['ann', 'eve'] }))
    const eve = { id: 'eve', name: 'Eve', kind: 'person', outside: true } as const
    expect(answer(room, '!memory workspace payroll is on the 25th', { author: bob })[0]).toContain('owners')
    expect(answer(room, '!memory workspace payroll is on the 25th')).toEqual([
      'Kept for the whole organisation: payroll is on the 25th',
    ])
    for (const what of ['add x', 'workspace x', 'forget x'])
      expect(answer(room, `!memory ${what}`, { author: eve })[0]).toContain('another organisation')
    expect(answer(room, '!memory workspace more')[0]).toContain('another chat')
  })

  it.each(['add', 'forget', 'dance', 'add  '])('says how it is used: %j', (what) => {
    expect(answer(new TestRoom(), `!memory ${what}`)[0]).toContain('`/memory add <sentence>`')
  })

  it('in Chinese as well', () => {
    const room = new TestRoom(policy({}, undefined, { language: 'zh' }))
    expect(answer(room, '!memory 记住 周五演示')).toEqual(['已为本聊天记住：周五演示'])
    expect(answer(room, '!memory forget 演示')).toEqual(['已忘记：周五演示'])
    expect(answer(room, `!memory add ${'长'.repeat(600)}`)[0]).toMatch(/最多 500/)
  })
})
