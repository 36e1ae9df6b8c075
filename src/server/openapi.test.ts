import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Harness, receipts, start, TOKEN } from './harness.fixture.js'

type Json = Record<string, unknown>
const operationSchema = z.looseObject({
  operationId: z.string(),
  summary: z.string().min(5),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.enum(['path', 'query']),
        required: z.boolean(),
        schema: z.looseObject({ type: z.string() }),
      }),
    )
    .optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.looseObject({
      description: z.string().min(1),
      content: z.record(z.string(), z.looseObject({ schema: z.record(z.string(), z.unknown()) })).optional(),
    }),
  ),
})
const documentSchema = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  servers: z.array(z.object({ url: z.string() })),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  paths: z.record(
    z.string().startsWith('/'),
    z.record(z.enum(['get', 'post', 'delete', 'put', 'patch']).or(z.string()), operationSchema),
  ),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^[A-Za-z0-9._-]+$/), z.record(z.string(), z.unknown())),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.string() })),
  }),
})

const LOCAL = {
  paths: {
    '/api/local/rooms/{id}/messages': {
      post: {
        operationId: 'localSay',
        summary: 'Says something.',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          201: {
            description: 'Said.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/LocalSaid' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: { LocalSaid: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
  },
}

let golem: Harness
let document: z.infer<typeof documentSchema>
beforeAll(async () => {
  golem = await start({ token: TOKEN, openapi: () => [LOCAL] })
  document = documentSchema.parse(await answer('/api/openapi.json'))
})
afterAll(() => golem.close())

async function answer(path: string, init: RequestInit = {}): Promise<unknown> {
  const response = await golem.get(path, {
    ...init,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
  })
  return await response.json()
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  )
}

/** The advertised schema with every reference it needs, as a validator. */
function advertised(path: string, method: string, status: string): z.ZodType {
  const schema = document.paths[path]?.[method]?.responses[status]?.content?.['application/json']?.schema
  if (schema === undefined) throw new Error(`${method} ${path} advertises no JSON for ${status}`)
  const local = JSON.parse(
    JSON.stringify({ ...schema, $defs: document.components.schemas }).replaceAll(
      '#/components/schemas/',
      '#/$defs/',
    ),
  ) as Json
  return z.fromJSONSchema(local)
}

describe('the description', () => {
  it('is a valid document whose references all lead somewhere', () => {
    const known = new Set(
      Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`),
    )
    const used = references(document)
    expect(used.length).toBeGreaterThan(20)
    expect(used.filter((one) => !known.has(one))).toEqual([])
  })

  it('names every operation once and declares every path parameter', () => {
    const ids: string[] = []
    for (const [path, item] of Object.entries(document.paths))
      for (const one of Object.values(item)) {
        ids.push(one.operationId)
        const declared = (one.parameters ?? []).filter(({ in: where }) => where === 'path')
        expect(declared.every(({ required }) => required)).toBe(true)
        expect(declared.map(({ name }) => name)).toEqual(
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        )
      }
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has the paths of platforms in it', () => {
    expect(document.paths['/api/local/rooms/{id}/messages']?.post?.operationId).toBe('localSay')
    expect(document.components.schemas.LocalSaid).toBeDefined()
  })

  it('says which paths need the token', () => {
    expect(document.security).toEqual([{ token: [] }, { session: [] }])
    expect(document.paths['/health']?.get?.security).toEqual([])
    expect(document.paths['/api/rooms']?.get?.security).toBeUndefined()
  })

  it('holds every status of every error in the one shape', () => {
    for (const item of Object.values(document.paths))
      for (const one of Object.values(item))
        for (const [status, { content }] of Object.entries(one.responses))
          if (status >= '400' && status !== '503')
            expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' })
  })
})

describe('every answer is what the description says', () => {
  it.each([
    ['/health', '/health', 'get', '200'],
    ['/api/session', '/api/session', 'get', '200'],
    ['/api/rooms', '/api/rooms', 'get', '200'],
    ['/api/rooms/local:lobby/messages', '/api/rooms/{key}/messages', 'get', '200'],
    ['/api/rooms/local:lobby/messages?limit=0', '/api/rooms/{key}/messages', 'get', '400'],
    ['/api/rooms/none/messages', '/api/rooms/{key}/messages', 'get', '404'],
    ['/api/messages/none/receipt', '/api/messages/{id}/receipt', 'get', '404'],
    ['/api/queue', '/api/queue', 'get', '200'],
    ['/api/approvals', '/api/approvals', 'get', '200'],
    ['/api/status', '/api/status', 'get', '200'],
    ['/api/session', '/api/session', 'delete', '200'],
  ])('%s', async (url, path, method, status) => {
    const body = await answer(url, { method })
    expect(advertised(path, method, status).safeParse(body)).toMatchObject({ success: true })
  })

  it('for each kind of receipt', async () => {
    const schema = advertised('/api/messages/{id}/receipt', 'get', '200')
    const kinds = Object.values(await receipts())
    expect(kinds.length).toBeGreaterThan(10)
    for (const { message } of kinds) {
      const body = await answer(`/api/messages/${message.id}/receipt`)
      expect(schema.safeParse(body)).toMatchObject({ success: true })
    }
  })

  it('for a log-in, right and wrong', async () => {
    const right = await answer('/api/session', { method: 'POST', body: JSON.stringify({ token: TOKEN }) })
    const wrong = await answer('/api/session', { method: 'POST', body: JSON.stringify({ token: 'no' }) })
    expect(advertised('/api/session', 'post', '200').safeParse(right)).toMatchObject({ success: true })
    expect(advertised('/api/session', 'post', '401').safeParse(wrong)).toMatchObject({ success: true })
  })

  it('and the check would notice a field that is not described', async () => {
    const body = { ...((await answer('/api/status')) as Json), extra: 1 }
    expect(advertised('/api/status', 'get', '200').safeParse(body)).toMatchObject({ success: false })
  })
})
