import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ENDPOINTS, type Endpoint } from './endpoints.js'
import { Rooms } from './harness.fixture.js'
import { localOpenApi } from './openapi.js'
import { localSchemas } from './schemas.js'

let rooms: Rooms
beforeAll(async () => {
  rooms = await Rooms.open()
})
afterAll(() => rooms.dispose())

const { paths, components } = localOpenApi()

describe('the description', () => {
  it('has every route, with what it takes and gives', () => {
    const count = Object.values(paths).reduce((sum, item) => sum + Object.keys(item).length, 0)
    expect(count).toBe(Object.keys(ENDPOINTS).length)
    expect(paths['/api/local/rooms/{room}/messages']?.post).toMatchObject({
      operationId: 'localSay',
      parameters: [
        { name: 'room', in: 'path', required: true, schema: { pattern: '^[A-Za-z0-9_-]{1,64}$' } },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { required: ['author'], additionalProperties: false } } },
      },
      responses: {
        201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/LocalPosted' } } } },
      },
    })
  })

  it('is plain JSON whose references all lead somewhere', () => {
    const text = JSON.stringify({ paths, components })
    const names = [...text.matchAll(/"#\/components\/schemas\/([A-Za-z]+)"/g)].map(([, name]) => name)
    expect(new Set(names)).toEqual(
      new Set(names.filter((name) => name !== undefined && name in components.schemas)),
    )
    expect(text).not.toContain('$schema')
  })

  it('describes what is answered', async () => {
    const strict = (name: keyof typeof localSchemas, value: unknown) => {
      const schema = z.fromJSONSchema(components.schemas[name] as Parameters<typeof z.fromJSONSchema>[0])
      expect(schema.parse(value)).toEqual(value)
      expect(localSchemas[name].parse(value)).toEqual(value)
    }
    const id = await rooms.say('hi')
    const signal = new AbortController().signal
    const part = {
      text: 'x',
      body: { text: '*x*', mentions: [{ id: 'Alice', name: 'Alice' }] },
      mentions: ['Alice'],
    }
    const buttons = [{ label: 'Yes', value: 'y', style: 'danger' as const }]
    const place = { chat: 'lobby', thread: id }
    await rooms.connection.perform(
      { kind: 'post', place, part, replyTo: id, agent: 'A', buttons },
      'k',
      signal,
    )
    await rooms.call('PUT', `rooms/lobby/messages/${id}/reactions/x`, { author: 'Bob' })
    await rooms.call('PATCH', `rooms/lobby/messages/${id}`, { author: 'Alice', text: 'ho' })
    const file = await (await rooms.raw('POST', 'rooms/lobby/files?name=a.txt', { body: 'x' })).json()
    strict('LocalFile', file)
    const posted = await rooms.call('POST', 'rooms/lobby/messages', {
      author: 'Bob',
      files: [(file as { id: string }).id],
    })
    strict('LocalPosted', posted.body)
    strict('LocalRooms', (await rooms.call('GET', 'rooms')).body)
    strict('LocalRoom', (await rooms.call('GET', 'rooms/lobby')).body)
    strict('LocalMessages', (await rooms.call('GET', 'rooms/lobby/messages')).body)
    strict('LocalMessage', (await rooms.call('GET', `rooms/lobby/messages/${id}`)).body)
    strict('LocalPeople', (await rooms.call('GET', 'people')).body)
    strict('LocalError', (await rooms.call('GET', 'rooms/none')).body)
    rooms.host.refuse = 'no'
    strict(
      'LocalError',
      (await rooms.call('POST', 'rooms/lobby/messages', { author: 'Bob', text: 'x' })).body,
    )
  })

  it('names each answer that exists', () => {
    for (const { answer } of Object.values<Endpoint>(ENDPOINTS)) {
      if (answer !== 'events' && answer !== 'bytes') expect(localSchemas).toHaveProperty(answer)
    }
  })
})
