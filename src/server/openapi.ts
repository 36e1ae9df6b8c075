/** `/api/openapi.json`: OpenAPI 3.1 from the route table and the schemas that make the answers. */
import { z } from 'zod'
import {
  approvalSchema,
  gateSchema,
  operationViewSchema,
  questionViewSchema,
  queueSchema,
  receiptSchema,
  roomMessageSchema,
  roomSchema,
  statusSchema,
  turnViewSchema,
} from '../messaging/views.js'
import { healthSchema } from './health.js'
import { memorySchema, newMemorySchema } from './memory-routes.js'
import {
  approvalsSchema,
  errorSchema,
  loginSchema,
  type Route,
  roomMessagesSchema,
  roomsSchema,
  sessionSchema,
} from './routes.js'

type Json = Record<string, unknown>

/** What a platform that serves HTTP under `/api/<connection>/` adds to the description. */
export interface OpenApiPart {
  /** Path in OpenAPI's form -> path item. */
  paths: Readonly<Record<string, Json>>
  /** `schemas`: name -> JSON Schema; referred to as `#/components/schemas/<name>`. */
  components?: { schemas: Json }
}

const NAMES: readonly (readonly [string, z.ZodType])[] = [
  ['Approval', approvalSchema],
  ['Approvals', approvalsSchema],
  ['Error', errorSchema],
  ['Gate', gateSchema],
  ['Health', healthSchema],
  ['Login', loginSchema],
  ['Memory', memorySchema],
  ['NewMemory', newMemorySchema],
  ['Operation', operationViewSchema],
  ['Question', questionViewSchema],
  ['Queue', queueSchema],
  ['Receipt', receiptSchema],
  ['Room', roomSchema],
  ['RoomMessage', roomMessageSchema],
  ['RoomMessages', roomMessagesSchema],
  ['Rooms', roomsSchema],
  ['Session', sessionSchema],
  ['Status', statusSchema],
  ['Turn', turnViewSchema],
]

const reference = (name: string): string => `#/components/schemas/${name}`

function componentSchemas(): Json {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of NAMES) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { target: 'draft-2020-12', uri: reference })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _own, ...schema }]) => [name, schema]),
  )
}

function content(schema: z.ZodType): Json {
  const name = NAMES.find(([, known]) => known === schema)?.[0]
  if (name === undefined) throw new Error('a route answers with a schema that openapi.ts does not name')
  return { 'application/json': { schema: { $ref: reference(name) } } }
}

function operation(route: Route): Json {
  const refusals: [string, string][] = [
    ['400', 'The request is malformed.'],
    ...(route.open && !route.takes
      ? []
      : ([['401', 'The token is missing or wrong.']] as [string, string][])),
    ['403', 'Sent for another host, or by a page of another site.'],
    ...(route.parameters ? ([['404', 'There is no such thing.']] as [string, string][]) : []),
    ...(route.takes
      ? ([
          ['413', 'The body is too large.'],
          ['415', 'The body is not JSON.'],
        ] as [string, string][])
      : []),
    ['500', 'Golem itself failed; its log says why.'],
  ]
  const responses: Json = { 200: { description: route.summary, content: content(route.gives) } }
  for (const [status, description] of refusals)
    responses[status] = { description, content: content(errorSchema) }
  for (const [status, { description, gives }] of Object.entries(route.also ?? {}))
    responses[status] = { description, content: content(gives ?? errorSchema) }
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.open ? { security: [] } : {}),
    ...(route.parameters
      ? { parameters: route.parameters.map((one) => ({ ...one, required: one.in === 'path' })) }
      : {}),
    ...(route.takes ? { requestBody: { required: true, content: content(route.takes) } } : {}),
    responses,
  }
}

/** @param token whether this server asks for one */
export function openApi(
  table: readonly Route[],
  parts: readonly OpenApiPart[],
  about: { version: string; token: boolean },
): Json {
  const paths: Record<string, Json> = {}
  for (const route of table) paths[route.path] = { ...paths[route.path], [route.method]: operation(route) }
  paths['/api/openapi.json'] = {
    get: {
      operationId: 'openapi',
      summary: 'This description.',
      responses: {
        200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
  }
  const schemas: Json = componentSchemas()
  for (const part of parts) {
    for (const [path, item] of Object.entries(part.paths)) paths[path] = { ...paths[path], ...item }
    Object.assign(schemas, part.components?.schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Golem',
      version: about.version,
      summary: 'Rooms, messages and receipts of a Golem daemon.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    ...(about.token ? { security: [{ token: [] }, { session: [] }] } : {}),
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'gateway.token of golem.yaml' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'golem-session',
          description: 'set by POST /api/session',
        },
      },
    },
  }
}
