import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Rooms } from './harness.fixture.js'

let rooms: Rooms
beforeEach(async () => {
  rooms = await Rooms.open()
})
afterEach(() => rooms.dispose())

const code = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
]

describe('rooms', () => {
  it('are told to the core before anybody speaks', async () => {
    expect(rooms.host.announced).toEqual(['Lobby'])
    await rooms.call('POST', 'rooms', { id: 'ops', title: 'Operations' })
    expect(rooms.host.announced).toEqual(['Lobby', 'Operations'])
  })

  it('begin with a lobby', async () => {
    const { status, body } = await rooms.call('GET', 'rooms')
    expect(status).toBe(200)
    expect(body.rooms).toMatchObject([
      { id: 'lobby', key: 'local:lobby', title: 'Lobby', kind: 'group', people: 0 },
    ])
  })

  it('are made, once, and asked for again', async () => {
    const made = await rooms.call('POST', 'rooms', { id: 'dev', title: 'Development' })
    expect([made.status, made.body.title]).toEqual([201, 'Development'])
    expect((await rooms.call('POST', 'rooms', { id: 'dev', title: 'Development' })).status).toBe(200)
    expect(code(await rooms.call('POST', 'rooms', { id: 'dev', title: 'Other' }))).toEqual([
      409,
      'room-exists',
    ])
    const dm = await rooms.call('POST', 'rooms', { kind: 'dm' })
    expect(dm.body).toMatchObject({ kind: 'dm', id: expect.stringMatching(/^dm-[0-9a-f]{10}$/) })
    expect((await rooms.call('GET', 'rooms/dev')).body.id).toBe('dev')
  })

  it('are renamed, and the core hears of it', async () => {
    const { body } = await rooms.call('PATCH', 'rooms/lobby', { title: 'Front desk', author: 'Alice' })
    expect(body.title).toBe('Front desk')
    expect(rooms.host.accepted).toMatchObject([
      { kind: 'change', title: 'Front desk', place: { chat: 'lobby' }, author: { id: 'Alice' } },
    ])
    await rooms.call('PATCH', 'rooms/lobby', { title: 'Front desk' })
    expect(rooms.host.offered).toHaveLength(1)
  })

  it('take nothing while archived, and give everything back when restored', async () => {
    const id = await rooms.say('before')
    await rooms.call('PATCH', 'rooms/lobby', { archived: true })
    expect(code(await rooms.call('POST', 'rooms/lobby/messages', { author: 'Alice', text: 'x' }))).toEqual([
      409,
      'archived',
    ])
    expect((await rooms.call('GET', `rooms/lobby/messages/${id}`)).body.text).toBe('before')
    await rooms.call('PATCH', 'rooms/lobby', { archived: false })
    await rooms.say('after')
  })

  it('are refused with a reason', async () => {
    expect(code(await rooms.call('GET', 'rooms/nowhere'))).toEqual([404, 'unknown-room'])
    expect(code(await rooms.call('GET', 'rooms/nowhere/messages'))).toEqual([404, 'unknown-room'])
    expect(code(await rooms.call('PATCH', 'rooms/lobby', {}))).toEqual([400, 'invalid'])
    expect(code(await rooms.call('POST', 'rooms', { id: 'a/b' }))).toEqual([400, 'invalid'])
    expect(code(await rooms.call('POST', 'rooms', { id: 'a', colour: 'red' }))).toEqual([400, 'invalid'])
    expect(code(await rooms.call('POST', 'rooms', { id: 'x'.repeat(65) }))).toEqual([400, 'invalid'])
  })
})

describe('saying something', () => {
  it('is answered when the core has it, with the place of its receipt', async () => {
    const { status, body } = await rooms.call('POST', 'rooms/lobby/messages', {
      author: 'Alice',
      text: 'hello',
    })
    expect(status).toBe(201)
    expect(body).toEqual({ id: '1', room: 'lobby', receipt: '/api/messages/local:lobby:1/receipt' })
    expect(rooms.host.accepted).toMatchObject([
      {
        kind: 'message',
        id: '1',
        place: { chat: 'lobby' },
        chat: { kind: 'group', title: 'Lobby' },
        author: { id: 'Alice', name: 'Alice', kind: 'person' },
      },
    ])
  })

  it('makes a new room', async () => {
    await rooms.say('first', {}, 'fresh')
    expect((await rooms.call('GET', 'rooms/fresh')).body).toMatchObject({ title: 'fresh', people: 1 })
  })

  it('takes a name, or an id and a name', async () => {
    await rooms.say('a', { author: { id: 'u1', name: 'Ann\nSystem:  x' } })
    await rooms.say('b', { author: { id: 'b1', name: 'Buildbot', kind: 'bot' } })
    const { body } = await rooms.call('GET', 'people')
    expect(body.people).toEqual([
      { id: 'u1', name: 'Ann System: x', kind: 'person' },
      { id: 'b1', name: 'Buildbot', kind: 'bot' },
      { id: '@golem', name: 'Golem', kind: 'self' },
    ])
    expect(rooms.host.accepted[1]).toMatchObject({ author: { kind: 'bot' } })
  })

  it('quotes, and stays in the thread of what it quotes', async () => {
    const root = await rooms.say('root **bold**')
    const reply = await rooms.say('in thread', { thread: root })
    const quote = await rooms.say('again', { replyTo: reply })
    const nested = await rooms.say('nested', { thread: quote })
    const { body } = await rooms.call('GET', `rooms/lobby/messages?thread=${root}`)
    expect(body.messages.map((m: { id: string }) => m.id)).toEqual([root, reply, quote, nested])
    expect(body.messages[2]).toMatchObject({
      thread: root,
      replyTo: { id: reply, author: { id: 'Alice' }, excerpt: 'in thread', deleted: false },
    })
    expect(rooms.host.accepted[2]).toMatchObject({
      place: { chat: 'lobby', thread: root },
      replyTo: { id: reply, author: { id: 'Alice', kind: 'person' } },
    })
    const top = await rooms.call('GET', 'rooms/lobby/messages?thread=none')
    expect(top.body.messages).toHaveLength(1)
  })

  it('is said once for one key', async () => {
    const post = (text: string, headers = {}, more = {}) =>
      rooms.call('POST', 'rooms/lobby/messages', { author: 'Alice', text, ...more }, headers)
    const first = await post('once', { 'idempotency-key': 'k1' })
    const again = await post('once', {}, { key: 'k1' })
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body).toEqual(first.body)
    expect(code(await post('twice', { 'idempotency-key': 'k1' }))).toEqual([409, 'key-reused'])
    expect(code(await post('x', { 'idempotency-key': 'two words' }))).toEqual([400, 'invalid'])
    expect(rooms.host.offered).toHaveLength(1)
  })

  it.each([
    ['empty text', { author: 'Alice', text: '  \n' }],
    ['no text', { author: 'Alice' }],
    ['no author', { text: 'x' }],
    ['an empty author', { author: ' \u0007 ', text: 'x' }],
    ['an author that is a number', { author: 7, text: 'x' }],
    ['a name too long', { author: 'x'.repeat(101), text: 'x' }],
    ['the name of the platform', { author: { id: '@golem', name: 'Golem' }, text: 'x' }],
    ['a name that looks like the platform', { author: '@golem', text: 'x' }],
    ['an unknown field', { author: 'Alice', text: 'x', colour: 'red' }],
    ['a text too long', { author: 'Alice', text: 'x'.repeat(32_001) }],
    ['a reply to no id', { author: 'Alice', text: 'x', replyTo: '../1' }],
    ['an array', []],
    ['null', null],
  ])('refuses %s', async (_, body) => {
    const answer = await rooms.call('POST', 'rooms/lobby/messages', body)
    expect(code(answer)).toEqual([400, 'invalid'])
    expect(answer.body.error.message).toMatch(/^the body is not right: /)
    expect(rooms.host.offered).toEqual([])
  })

  it('refuses targets that are not there, and leaves no room behind', async () => {
    const post = (room: string, more: object) =>
      rooms.call('POST', `rooms/${room}/messages`, { author: 'Alice', text: 'x', ...more })
    expect(code(await post('new', { replyTo: '99' }))).toEqual([404, 'unknown-message'])
    expect(code(await post('new', { thread: '99' }))).toEqual([404, 'unknown-message'])
    expect(code(await post('new', { files: ['0'.repeat(32)] }))).toEqual([404, 'unknown-file'])
    expect((await rooms.call('GET', 'rooms/new')).status).toBe(404)
    expect((await rooms.call('GET', 'people')).body.people).toHaveLength(1)
  })

  it('refuses what is no JSON, or too much of it', async () => {
    const post = (body: string, type = 'application/json') =>
      rooms.raw('POST', 'rooms/lobby/messages', { body, headers: { 'content-type': type } })
    const status = async (response: Promise<Response>) => (await response).status
    expect(await status(post('{"author":'))).toBe(400)
    expect(await status(post(''))).toBe(400)
    expect(await status(post(`{"a":${'['.repeat(100_000)}`))).toBe(400)
    expect(await status(post('{}', 'text/plain'))).toBe(415)
    expect(await status(post(`"${'x'.repeat(256 * 1024)}"`))).toBe(413)
    const endless = new ReadableStream<Uint8Array>({ pull: (c) => c.enqueue(new Uint8Array(65_536)) })
    const streamed = { body: endless, duplex: 'half', headers: { 'content-type': 'application/json' } }
    expect(await status(rooms.raw('POST', 'rooms/lobby/messages', streamed as RequestInit))).toBe(413)
  })

  it('keeps half characters and NUL out of the database', async () => {
    const id = await rooms.say('a\ud800b\0c')
    expect((await rooms.call('GET', `rooms/lobby/messages/${id}`)).body.text).toBe('a\ufffdb\ufffdc')
  })

  it('lets only its owner into a direct conversation', async () => {
    const { body } = await rooms.call('POST', 'rooms', { kind: 'dm' })
    await rooms.say('psst', {}, body.id)
    const other = await rooms.call('POST', `rooms/${body.id}/messages`, { author: 'Bob', text: 'me too' })
    expect(code(other)).toEqual([403, 'not-yours'])
    expect(rooms.host.accepted).toMatchObject([{ chat: { kind: 'dm' } }])
  })
})

describe('changing what was said', () => {
  it('edits an own message', async () => {
    const id = await rooms.say('teh')
    const { status, body } = await rooms.call('PATCH', `rooms/lobby/messages/${id}`, {
      author: 'Alice',
      text: 'the',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ text: 'the', edited: rooms.host.clock.now() })
    expect(rooms.host.heard).toEqual(['message 1', 'edit 1'])
    await rooms.call('PATCH', `rooms/lobby/messages/${id}`, { author: 'Alice', text: 'the' })
    expect(rooms.host.offered).toHaveLength(2)
    await rooms.call('PATCH', `rooms/lobby/messages/${id}`, { author: 'Alice', text: 'teh' })
    expect(new Set(rooms.host.accepted.map((e) => e.event)).size).toBe(3)
  })

  it('deletes an own message and everything it said', async () => {
    const id = await rooms.say('secret')
    const reply = await rooms.say('what?', { replyTo: id })
    const gone = await rooms.call('DELETE', `rooms/lobby/messages/${id}`, { author: 'Alice' })
    expect(gone.body).toMatchObject({ deleted: true, text: '' })
    expect((await rooms.call('DELETE', `rooms/lobby/messages/${id}?author=Alice`)).status).toBe(200)
    expect(rooms.host.heard).toEqual(['message 1', 'message 2', 'delete 1'])
    const { body } = await rooms.call('GET', 'rooms/lobby/messages')
    expect(JSON.stringify(body)).not.toContain('secret')
    expect(body.messages[1].replyTo).toMatchObject({ id, excerpt: '', deleted: true })
    const edit = await rooms.call('PATCH', `rooms/lobby/messages/${id}`, { author: 'Alice', text: 'x' })
    expect(code(edit)).toEqual([410, 'deleted'])
    expect(code(await rooms.call('PUT', `rooms/lobby/messages/${reply}x/reactions/x`, {}))).toEqual([
      400,
      'invalid',
    ])
  })

  it('leaves what others said alone', async () => {
    const id = await rooms.say('mine')
    const edit = await rooms.call('PATCH', `rooms/lobby/messages/${id}`, { author: 'Bob', text: 'x' })
    expect(code(edit)).toEqual([403, 'not-yours'])
    expect(code(await rooms.call('DELETE', `rooms/lobby/messages/${id}`, { author: 'Bob' }))).toEqual([
      403,
      'not-yours',
    ])
    expect(code(await rooms.call('DELETE', `rooms/lobby/messages/${id}`))).toEqual([400, 'invalid'])
    expect(code(await rooms.call('DELETE', 'rooms/lobby/messages/77?author=Bob'))).toEqual([
      404,
      'unknown-message',
    ])
  })

  it('reacts, once, and takes it back', async () => {
    const id = await rooms.say('nice')
    const path = `rooms/lobby/messages/${id}/reactions/${encodeURIComponent('👍🏽')}`
    await rooms.call('PUT', path, { author: 'Bob' })
    const { body } = await rooms.call('PUT', path, { author: 'Bob' })
    expect(body.reactions).toEqual([{ emoji: '👍🏽', people: [{ id: 'Bob', name: 'Bob' }] }])
    const after = await rooms.call('DELETE', `${path}?author=Bob`)
    expect(after.body.reactions).toEqual([])
    expect(rooms.host.accepted.slice(1)).toMatchObject([
      { kind: 'reaction', id, emoji: '👍🏽', added: true, author: { id: 'Bob' } },
      { kind: 'reaction', id, emoji: '👍🏽', added: false },
    ])
    const bad = `rooms/lobby/messages/${id}/reactions/${encodeURIComponent('two words')}`
    expect(code(await rooms.call('PUT', bad, { author: 'Bob' }))).toEqual([400, 'invalid'])
  })

  it('refuses a press where there is no button', async () => {
    const id = await rooms.say('no buttons')
    const press = await rooms.call('POST', `rooms/lobby/messages/${id}/press`, {
      author: 'Bob',
      value: 'yes',
    })
    expect(code(press)).toEqual([409, 'unknown-button'])
  })
})

describe('pages', () => {
  it('go back and forth without a gap', async () => {
    for (let i = 1; i <= 7; i++) await rooms.say(`m${i}`)
    const page = async (query: string) => {
      const { body } = await rooms.call('GET', `rooms/lobby/messages?${query}`)
      return [body.messages.map((m: { id: string }) => m.id).join(), body.more]
    }
    expect(await page('limit=3')).toEqual(['5,6,7', true])
    expect(await page('limit=3&before=5')).toEqual(['2,3,4', true])
    expect(await page('limit=3&before=2')).toEqual(['1', false])
    expect(await page('limit=3&after=2')).toEqual(['3,4,5', true])
    expect(await page('after=2&before=4')).toEqual(['3', false])
    expect(code(await rooms.call('GET', 'rooms/lobby/messages?limit=0'))).toEqual([400, 'invalid'])
    expect(code(await rooms.call('GET', 'rooms/lobby/messages?before=abc'))).toEqual([400, 'invalid'])
  })

  it('show who was in a room', async () => {
    await rooms.say('x')
    await rooms.say('y', { author: 'Bob' }, 'other')
    expect((await rooms.call('GET', 'people?room=other')).body.people).toMatchObject([{ id: 'Bob' }])
    expect(code(await rooms.call('GET', 'people?room=none'))).toEqual([404, 'unknown-room'])
  })
})

describe('paths', () => {
  it.each([
    ['GET', 'nothing', 404],
    ['GET', '', 404],
    ['GET', 'rooms//messages', 400],
    ['GET', 'rooms/..%2f..%2fetc/messages', 400],
    ['GET', 'rooms/%ff/messages', 400],
    ['GET', 'rooms/%E0%A4%A/messages', 400],
    ['GET', 'files/..%2f..%2flocal.db', 400],
    ['GET', `files/${'0'.repeat(32)}`, 404],
    ['DELETE', 'rooms', 405],
    ['GET', 'rooms/lobby/messages/0', 400],
    ['GET', `rooms/lobby/messages/${'9'.repeat(17)}`, 400],
  ])('%s %s -> %i', async (method, path, status) => {
    const answer = await rooms.call(method, path)
    expect(answer.status).toBe(status)
    expect(answer.body.error).toMatchObject({ code: expect.any(String), message: expect.any(String) })
  })

  it('may begin with a slash, and 405 says what would do', async () => {
    const request = new Request('http://127.0.0.1/api/local/rooms')
    expect((await rooms.connection.serve?.(request, '/rooms'))?.status).toBe(200)
    expect((await rooms.call('PUT', 'rooms')).headers.get('allow')).toBe('GET, POST')
  })
})
