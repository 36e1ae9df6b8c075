import { describe, expect, it } from 'vitest'
import {
  addressable,
  type Inbound,
  mentionsOf,
  type Skipped,
  sourceText,
} from '../../src/messaging/contract.js'
import { type Dict, eventsOf } from './raw.js'
import { read } from './read.js'
import { messageOf, readSample, SELF } from './samples.fixture.js'

const ANN = { id: 5000000011, is_bot: false, first_name: 'Ann', username: 'ann_example' }
const CHAT = { id: -1001000000001, type: 'supergroup', title: 'Test group' }

function updateOf(message: Dict, kind = 'message'): Dict {
  return { update_id: 1, [kind]: { message_id: 101, date: 1700000000, chat: CHAT, from: ANN, ...message } }
}
const readMessage = (message: Dict): Inbound | Skipped => read(updateOf(message), SELF)
/** The text as an agent is shown it. */
const told = (event: Inbound | Skipped): string =>
  sourceText(messageOf(event).doc, ({ id, name }) => (id === SELF.id ? null : `@${name}`))
const mentions = (event: Inbound | Skipped) => mentionsOf(messageOf(event).doc).map(({ id }) => id)

describe('mentions', () => {
  it('tg-mention-after-emoji-or-cjk: entities are counted in UTF-16 units, captions too', () => {
    const [after] = readSample('message-mention')
    const [caption] = readSample('message-photo-caption')
    for (const event of [after, caption]) expect(mentions(event as Inbound)).toEqual([SELF.id])
    expect(told(after as Inbound)).toBe('🚀🚀 status?')
    expect(told(caption as Inbound)).toBe('请看这张图 是什么')
    const family = readMessage({
      text: '👨‍👩‍👧‍👦𠮷 @relaybot',
      entities: [{ type: 'mention', offset: 14, length: 9 }],
    })
    expect(mentions(family)).toEqual([SELF.id])
  })

  it('tg-text-mention-display-name: a name without a handle is known by its id', () => {
    const [event] = readSample('message-text-mention')
    expect(mentions(event as Inbound)).toEqual([SELF.id])
    expect(told(event as Inbound)).toBe('please summarise')
    const other = readMessage({
      text: 'Bob should know',
      entities: [{ type: 'text_mention', offset: 0, length: 3, user: { id: 5000000012, first_name: 'Bob' } }],
    })
    expect(mentions(other)).toEqual(['5000000012'])
    expect(told(other)).toBe('@Bob should know')
  })

  it('of this bot in any case, and of no longer name', () => {
    const shout = readMessage({ text: '@RelayBot hi', entities: [{ type: 'mention', offset: 0, length: 9 }] })
    expect(mentions(shout)).toEqual([SELF.id])
    const longer = readMessage({
      text: '@relaybot2 hi',
      entities: [{ type: 'mention', offset: 0, length: 10 }],
    })
    expect(mentions(longer)).toEqual([])
  })

  it('leave a name that nobody is known by to the text rule, in one run of text', () => {
    const event = messageOf(
      readMessage({
        text: 'ask @Reviewer Two please',
        entities: [{ type: 'mention', offset: 4, length: 9 }],
      }),
    )
    expect(event.doc.children).toHaveLength(1)
    expect(addressable(event.doc).masked).toContain('@Reviewer Two')
  })

  it('know whoever was met, when the connection says so', () => {
    const update = updateOf({ text: '@bob_b hi', entities: [{ type: 'mention', offset: 0, length: 6 }] })
    const event = read({ ...update, golem: { people: { bob_b: { id: '7', name: 'Bob' } } } }, SELF)
    expect(mentions(event)).toEqual(['7'])
    expect(told(event)).toBe('@bob_b hi')
  })

  it('address nobody inside code, quotes and what was forwarded', () => {
    const text = '`@Otto` said\n@Otto'
    const event = messageOf(
      readMessage({
        text,
        entities: [
          { type: 'code', offset: 0, length: 7 },
          { type: 'blockquote', offset: 13, length: 5 },
        ],
      }),
    )
    expect(addressable(event.doc).masked).not.toContain('@Otto')
    const [forwarded] = readSample('message-forward-user')
    expect(mentions(forwarded as Inbound)).toEqual([])
    const [linked] = readSample('message-linked-channel-post')
    expect(mentions(linked as Inbound)).toEqual([])
  })
})

describe('commands', () => {
  const command = (message: Dict) => messageOf(readMessage(message)).command
  const at = (length: number, offset = 0) => [{ type: 'bot_command', offset, length }]

  it('tg-command-at-suffix: the suffix names the bot that is meant', () => {
    expect(command({ text: '/help@RelayBot', entities: at(14) })).toEqual({
      name: 'help',
      target: 'RelayBot',
    })
    expect(command({ text: '/help@otherbot', entities: at(14) })).toEqual({
      name: 'help',
      target: 'otherbot',
    })
    expect(command({ text: '/Help', entities: at(5) })).toEqual({ name: 'help' })
    expect(command({ caption: '/help', caption_entities: at(5) })).toEqual({ name: 'help' })
  })

  it('stand at the front and are marked by Telegram', () => {
    expect(command({ text: 'see /help', entities: at(5, 4) })).toBeUndefined()
    expect(command({ text: '/etc/hosts' })).toBeUndefined()
    expect(messageOf(readSample('message-forward-user')[0]).command).toBeUndefined()
  })

  it('tg-edit-does-not-rerun-command: an edit is an edit, and carries none', () => {
    const message = { text: '/stop', entities: at(5) }
    expect(readMessage(message)).toMatchObject({ kind: 'message', command: { name: 'stop' } })
    const edit = read(updateOf({ ...message, edit_date: 1700000300 }, 'edited_message'), SELF)
    expect(edit).toMatchObject({ kind: 'edit', id: '101', at: 1700000300000 })
    expect(edit).not.toHaveProperty('command')
    expect(edit.event).not.toBe(readMessage(message).event)
  })
})

describe('places', () => {
  it('tg-topic-root-is-not-a-reply: what made the topic is nothing anybody replied to', () => {
    const event = messageOf(readSample('message-topic-root')[0])
    expect(event.replyTo).toBeUndefined()
    expect(event.place).toEqual({ chat: '-1001000000002', thread: '163' })
    expect(messageOf(readSample('message-reply-in-topic')[0]).replyTo).toMatchObject({ id: '302' })
  })

  it('tg-general-topic-has-no-thread-id', () => {
    const hi = { text: 'hi', message_thread_id: 1 }
    expect(messageOf(readMessage(hi)).place).toEqual({ chat: '-1001000000001' })
    expect(messageOf(readMessage({ ...hi, is_topic_message: true })).place).toEqual({
      chat: '-1001000000001',
    })
  })

  it('tg-reply-chain-thread-id: a reply chain is no topic', () => {
    const event = messageOf(readSample('message-reply-chain')[0])
    expect(event.place).toEqual({ chat: '-1001000000001' })
    expect(event.replyTo).toMatchObject({ id: '4242', text: 'earlier' })
    expect(messageOf(readSample('message-in-topic')[0]).place.thread).toBe('163')
  })
})

describe('replies', () => {
  it('say whose message it was, and the part that was quoted', () => {
    expect(messageOf(readSample('message-reply-to-bot')[0]).replyTo).toMatchObject({
      id: '95',
      author: { kind: 'self' },
      text: 'I would use a queue.',
    })
    expect(messageOf(readSample('message-reply-with-quote')[0]).replyTo?.text).toBe('use a queue')
  })

  it('to a picture tell its name', () => {
    const photo = [{ file_id: 'x', width: 1, height: 1 }]
    const event = messageOf(
      readMessage({
        text: 'what is it?',
        reply_to_message: { message_id: 7, date: 1, chat: CHAT, from: ANN, photo },
      }),
    )
    expect(event.replyTo?.text).toBe('[photo-7.jpg]')
  })
})

describe('people', () => {
  it('who speak for a chat are that chat', () => {
    expect(messageOf(readSample('message-anonymous-admin')[0]).author).toEqual({
      id: '-1001000000001',
      name: 'Test group (owner)',
      kind: 'person',
    })
    expect(messageOf(readSample('message-as-channel')[0]).author).toMatchObject({
      name: 'News',
      kind: 'person',
    })
    expect(messageOf(readSample('channel-post')[0]).author).toMatchObject({
      name: 'News (Dora)',
      kind: 'person',
    })
  })

  it('are bots where they are', () => {
    expect(messageOf(readSample('message-of-a-bot')[0]).author.kind).toBe('bot')
    expect(messageOf(readSample('message-via-bot')[0]).author.kind).toBe('person')
  })

  it("the bot's own message is never input", () => {
    const own = { id: 7000000001, is_bot: true, first_name: 'Relay Helper' }
    expect(readMessage({ from: own, text: 'hi' })).toMatchObject({ kind: 'skipped', reason: 'own-message' })
  })
})

describe('long texts and albums', () => {
  it('near the limit may go on', () => {
    expect(readMessage({ text: 'a'.repeat(4_000) })).toMatchObject({ partial: true })
    expect(readMessage({ text: 'a'.repeat(3_999) })).not.toHaveProperty('partial')
  })

  it('of an album belong together', () => {
    expect(readSample('message-album-item')[0]).toMatchObject({ partial: true, album: '13580000000000001' })
  })
})

describe('changes', () => {
  it('a group that becomes a supergroup is told once, from either chat', () => {
    const [to] = readSample('service-moved-to')
    const [from] = readSample('service-moved-from')
    expect(to).toMatchObject({ kind: 'change', place: { chat: '-4000000001' }, movedTo: '-1001000000077' })
    expect(from).toMatchObject({
      place: { chat: '-4000000001' },
      movedTo: '-1001000000077',
      event: to?.event,
    })
  })

  it('the bot itself comes and goes', () => {
    expect(readSample('bot-added')[0]).toMatchObject({ joined: [{ id: SELF.id, kind: 'self' }] })
    expect(readSample('bot-removed')[0]).toMatchObject({ left: [{ id: SELF.id, kind: 'self' }] })
  })

  it('a reaction update tells what was taken back and what was set', () => {
    expect(readSample('reaction-changed')).toMatchObject([
      { kind: 'reaction', id: '95', emoji: '👍', added: false },
      { kind: 'reaction', id: '95', emoji: '🔥', added: true },
    ])
  })

  it('a press on an old message, of which Telegram kept the id only, has the time it came', () => {
    const [raw] = eventsOf({
      update_id: 1,
      callback_query: { id: 'q', from: ANN, data: 'x', message: { chat: CHAT, message_id: 12, date: 0 } },
    })
    expect(read({ ...raw, golem: { at: 1234 } }, SELF)).toMatchObject({
      kind: 'press',
      id: '12',
      value: 'x',
      at: 1234,
    })
  })

  it('two edits in one second are two', () => {
    const edit = (text: string) =>
      read(updateOf({ text, edit_date: 1700000300 }, 'edited_message'), SELF).event
    expect(edit('a')).not.toBe(edit('b'))
    expect(edit('a')).toBe(edit('a'))
  })
})
