/** What reaches the core when people do something: what they did, once, and as the platform meant it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mentionsOf, plainText } from '../../src/messaging/contract.js'
import { Session } from './kit/session.js'
import { where } from './kit/where.js'
import { SUBJECTS } from './platforms/index.js'

const CASES = SUBJECTS.flatMap((subject) =>
  subject.ways.map((way) => ({ subject, way, id: subject.platform.id })),
)

describe.each(CASES)('from $id by $way', ({ subject, way }) => {
  const { can } = subject.platform
  let session: Session
  beforeAll(async () => {
    session = await Session.open(subject, way)
  })
  afterAll(() => session?.close())

  const message = (id: string, chat = session.chat) => {
    const found = session.host.find('message', id, chat)
    if (found === undefined) throw new Error(`message ${id} was not heard`)
    return found
  }

  it('the core learns who the bot is before anything else', () => {
    expect(session.host.identities[0]).toEqual(session.connection.self)
    expect(session.connection.self.id).toBe(session.scene.bot.id)
    expect(session.host.states.at(-1)).toMatchObject({ phase: 'ready' })
  })

  it('a message is heard as it was said, by whom and where', async () => {
    for (const text of [
      'hello',
      'two\nlines',
      '你好，世界 👩‍👩‍👧‍👦',
      'a < b && c > d',
      '1 * 2 * 3 _ x _',
      'שלום',
    ]) {
      const id = await session.say(text)
      const heard = message(id)
      expect(plainText(heard.doc)).toBe(text)
      expect(heard.place.chat).toBe(session.chat)
      expect(heard.chat.kind).toBe('group')
      expect(heard.author).toMatchObject({ id: session.person.id, name: session.person.name, kind: 'person' })
      expect(Math.abs(heard.at - session.clock.now())).toBeLessThan(60_000)
    }
  })

  it('a mention of the bot is one by identity', async () => {
    const id = await session.say('what about this?', session.person, { mention: true })
    expect(mentionsOf(message(id).doc).map(({ id }) => id)).toContain(session.connection.self.id)
    const bare = await session.say(`${session.scene.bot.name} is a nice name`)
    expect(mentionsOf(message(bare).doc)).toEqual([])
  })

  it('a direct message comes from a direct chat', async () => {
    const chat = await session.scene.dm(session.person)
    const id = await session.scene.say(chat, session.person, 'psst')
    await session.heard(id, 0, chat)
    expect(message(id, chat)).toMatchObject({ chat: { kind: 'dm' }, place: { chat } })
  })

  it('a reply says what it replies to', async () => {
    const first = await session.say('the question')
    const reply = await session.say('the reply', session.people[1], { replyTo: first })
    const own = await session.post('an answer')
    const toBot = await session.say('thanks', session.person, { replyTo: own })
    if (can.quoteOpensThread) {
      expect(message(reply).place.thread).toBe(first)
      expect(message(toBot).place.thread).toBe(own)
    } else {
      expect(message(reply).replyTo).toMatchObject({ id: first, author: { id: session.person.id } })
      expect(message(toBot).replyTo).toMatchObject({ id: own, author: { kind: 'self' } })
    }
  })

  it('messages of one chat come in their order, each once', async () => {
    const chat = await session.scene.group('Order', session.people)
    const ids: string[] = []
    for (let at = 0; at < 20; at++) ids.push(await session.scene.say(chat, session.person, `number ${at}`))
    await session.heard(ids.at(-1) ?? '', 0, chat)
    const heard = session.host
      .all('message')
      .filter(({ place, id }) => place.chat === chat && ids.includes(id))
    expect(heard.map(({ id }) => id)).toEqual(ids)
    expect(new Set(heard.map(({ event }) => event)).size).toBe(ids.length)
  })

  where(can.events.includes('edit'), 'an edit is one of its message, and not the message', async () => {
    const id = await session.say('before')
    for (const text of ['after', 'after all']) {
      await session.scene.edit(session.chat, id, text, session.person)
      const edits = () =>
        session.host.all('edit').filter((edit) => edit.id === id && edit.place.chat === session.chat)
      await session.until(() => edits().some(({ doc }) => plainText(doc) === text), 'the edit is heard')
    }
    const edits = session.host
      .all('edit')
      .filter((edit) => edit.id === id && edit.place.chat === session.chat)
    expect(new Set([message(id).event, ...edits.map(({ event }) => event)]).size).toBe(3)
    expect(edits[0]).toMatchObject({ place: { chat: session.chat }, author: { id: session.person.id } })
  })

  where(can.events.includes('delete'), 'a deletion is heard', async () => {
    const id = await session.say('a slip')
    await session.scene.delete(session.chat, id, session.person)
    await session.until(
      () => session.host.find('delete', id, session.chat) !== undefined,
      'the deletion is heard',
    )
    expect(session.host.find('delete', id, session.chat)).toMatchObject({ place: { chat: session.chat } })
    expect(session.host.find('delete', id, session.chat)?.event).not.toBe(message(id).event)
  })

  where(can.events.includes('reaction'), 'a reaction is heard', async () => {
    const id = await session.say('nice?')
    await session.scene.react(session.chat, id, session.person, '👍')
    await session.until(
      () => session.host.find('reaction', id, session.chat) !== undefined,
      'the reaction is heard',
    )
    expect(session.host.find('reaction', id, session.chat)).toMatchObject({
      author: { id: session.person.id },
      place: { chat: session.chat },
      added: true,
    })
  })

  where(
    can.buttons && can.events.includes('press'),
    'a press is heard with what the button carried',
    async () => {
      const value = 'a'.repeat(32)
      const id = await session.post('ready?', {
        buttons: [
          { label: 'Yes', value },
          { label: 'No', value: 'n' },
        ],
      })
      await session.scene.press(session.chat, id, session.person, value)
      await session.until(
        () => session.host.find('press', id, session.chat) !== undefined,
        'the press is heard',
      )
      expect(session.host.find('press', id, session.chat)).toMatchObject({
        value,
        author: { id: session.person.id },
        place: { chat: session.chat },
      })
      await session.scene.press(session.chat, id, session.person, value)
      await session.until(() => session.host.all('press').length === 2, 'a second press is another one')
    },
  )

  where(can.events.includes('change'), 'a change of the chat is heard', async () => {
    const before = session.host.all('change').length
    await session.world.change?.(session.chat, session.person)
    await session.until(() => session.host.all('change').length > before, 'the change is heard')
    expect(session.host.all('change').at(-1)?.place.chat).toBe(session.chat)
  })

  it('what is said in a thread is heard in it', async () => {
    const place = await session.world.thread?.(session.chat, session.people)
    expect(place !== undefined).toBe(can.threads)
    if (place === undefined) return
    const { chat, thread } = place
    const id = await session.scene.say(chat, session.person, 'in here', { thread })
    await session.heard(id, 0, chat)
    expect(message(id, chat).place).toEqual(place)
  })

  it('a file is heard of, and can be had for at most its size', async () => {
    const bytes = Uint8Array.from({ length: 3_000 }, (_, at) => at % 251)
    const files = [{ name: 'numbers.bin', mime: 'application/octet-stream', bytes }]
    await session.say('see here', session.person, { files })
    // Words and file may be one message, or two.
    const [file] = session.host.all('message').flatMap((heard) => heard.files ?? [])
    if (file === undefined) throw new Error('the file was not heard of')
    expect(file.name).toBe('numbers.bin')
    const stream = await session.connection.download(file, 3_000)
    expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(bytes)
    const tooLarge = async (size: number | undefined) => {
      const { bytes: _, ...rest } = file
      const given = size === undefined ? rest : { ...rest, bytes: size }
      return new Response(await session.connection.download(given, 2_999)).arrayBuffer()
    }
    // Whatever the event said of its size.
    for (const size of [3_000, 10, undefined]) {
      const { failure } = await session.failure(tooLarge(size))
      expect(failure).toEqual({ kind: 'invalid', field: 'file' })
    }
    const gone = await session.failure(session.connection.download({ ...file, id: 'nowhere' }, 3_000))
    expect(['gone', 'invalid', 'forbidden']).toContain(gone.failure.kind)
  })

  it('what the bot posts itself is never heard as said by somebody else', async () => {
    const id = await session.post('my own words')
    const marker = await session.say('after it')
    expect(message(marker)).toBeDefined()
    for (const event of session.host.offered) {
      if (event.kind === 'message' && event.place.chat === session.chat && event.id === id)
        expect(event.author.kind).toBe('self')
    }
  })

  where(
    subject.ways.every((one) => one !== 'inside'),
    'a redelivery is known for what it is',
    async () => {
      const ids = [await session.say('once'), await session.say('only')]
      // What was never acknowledged cannot come again.
      await session.until(() => (session.scene.network?.pending ?? 0) === 0, 'all is acknowledged')
      const before = session.host.offered.length
      session.scene.network?.redeliver(2)
      await session.until(() => session.host.offered.length >= before + 2, 'they are delivered again')
      const again = session.host.offered.slice(before)
      const known = session.host.accepted.map(({ event }) => event)
      for (const { event } of again) expect(known).toContain(event)
      for (const id of ids) {
        expect(
          session.host.all('message').filter((one) => one.id === id && one.place.chat === session.chat),
        ).toHaveLength(1)
      }
    },
  )
})
