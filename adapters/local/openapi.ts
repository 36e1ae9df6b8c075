/** The HTTP API of the local rooms as a piece of an OpenAPI 3.1 document, made from the table the routes follow. */
import { z } from 'zod'
import { ENDPOINTS, type Endpoint } from './endpoints.js'
import { localSchemas, params } from './schemas.js'

type Json = Record<string, unknown>

/** Paths and component schemas, to be merged into the daemon's document. `mount` is where the API stands. */
export function localOpenApi(mount = '/api/local'): {
  paths: Record<string, Json>
  components: { schemas: Json }
} {
  const paths: Record<string, Json> = {}
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [string, Endpoint][]) {
    const path = `${mount}/${endpoint.path.replace(/:([a-z]+)/g, '{$1}')}`
    const item = paths[path] ?? {}
    item[endpoint.method.toLowerCase()] = operation(name, endpoint)
    paths[path] = item
  }
  const schemas: Json = {}
  for (const [name, schema] of Object.entries(localSchemas)) schemas[name] = plain(schema, 'output')
  return { paths, components: { schemas } }
}

function operation(name: string, endpoint: Endpoint): Json {
  const inPath = [...endpoint.path.matchAll(/:([a-z]+)/g)].map(([, param = '']) => ({
    name: param,
    in: 'path',
    required: true,
    schema: plain(params[param as keyof typeof params], 'input'),
  }))
  const query = plain(endpoint.query, 'input')
  const inQuery = Object.entries((query.properties ?? {}) as Record<string, Json>).map(([key, schema]) => ({
    name: key,
    in: 'query',
    required: false,
    schema,
  }))
  return {
    operationId: `local${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    tags: ['local rooms'],
    summary: endpoint.summary,
    parameters: [...inPath, ...inQuery],
    ...requestBody(endpoint),
    responses: {
      [endpoint.status]: { description: endpoint.summary, content: answer(endpoint) },
      default: { description: 'Refused, or failed', content: json(reference('LocalError')) },
    },
  }
}

function requestBody(endpoint: Endpoint): Json {
  if (endpoint.rawBody === true) {
    const bytes = { schema: { type: 'string', format: 'binary' } }
    const form = {
      type: 'object',
      properties: { file: { type: 'string', format: 'binary' } },
      required: ['file'],
    }
    return {
      requestBody: { required: true, content: { '*/*': bytes, 'multipart/form-data': { schema: form } } },
    }
  }
  if (endpoint.body === undefined) return {}
  return {
    requestBody: { required: endpoint.bodyOptional !== true, content: json(plain(endpoint.body, 'input')) },
  }
}

function answer(endpoint: Endpoint): Json {
  if (endpoint.answer === 'events') return { 'text/event-stream': { schema: { type: 'string' } } }
  if (endpoint.answer === 'bytes') return { '*/*': { schema: { type: 'string', format: 'binary' } } }
  return json(reference(endpoint.answer))
}

function json(schema: Json): Json {
  return { 'application/json': { schema } }
}
function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

function plain(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  })
  return rest
}
