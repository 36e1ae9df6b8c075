/** The HTTP API of the local rooms. Loaded with the first request. */
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { ENDPOINTS, type Endpoint, type EndpointName } from './endpoints.js'
import { serveFile, uploadFile } from './file-routes.js'
import { check, errorResponse, HttpError, jsonBody, jsonResponse } from './http.js'
import { type MessageView, PLATFORM_ID } from './protocol.js'
import type { RawPerson } from './raw.js'
import { type bodies, idempotencyKey, params, type queries } from './schemas.js'
import { type ChatServer, removeFiles, tell, write } from './server.js'

interface Call {
  server: ChatServer
  request: Request
  params: Readonly<Record<string, string>>
  query: unknown
  body: unknown
}
type Handler = (call: Call) => Promise<Response>
type Body<Name extends keyof typeof bodies> = z.output<(typeof bodies)[Name]>
type Query<Name extends keyof typeof queries> = z.output<(typeof queries)[Name]>

/** Answers a request to `path` below the mount point. Never rejects. */
export async function serve(server: ChatServer, request: Request, path: string): Promise<Response> {
  try {
    const { name, endpoint, values } = route(request.method, path)
    const call: Call = {
      server,
      request,
      params: values,
      query: check(endpoint.query, Object.fromEntries(new URL(request.url).searchParams), 'the query'),
      body: endpoint.body && (await jsonBody(request, endpoint.body, endpoint.bodyOptional === true)),
    }
    return await HANDLERS[name](call)
  } catch (error) {
    const response = errorResponse(error)
    if (response !== null) return response
    const reason = error instanceof Error ? error.message : String(error)
    server.log.error({ reason, method: request.method }, 'a request to the local rooms failed')
    const message = 'the request failed by a defect of Golem: the log of the daemon says more'
    return jsonResponse(500, { error: { code: 'internal', message } })
  }
}

const ROUTES = (Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]).map(([name, endpoint]) => ({
  name,
  endpoint,
  segments: endpoint.path.split('/'),
}))

function route(method: string, path: string) {
  const segments = path.replace(/^\//, '').split('/')
  const fits = ROUTES.filter(
    (candidate) =>
      candidate.segments.length === segments.length &&
      candidate.segments.every((segment, i) => segment.startsWith(':') || segment === segments[i]),
  )
  const found = fits.find(({ endpoint }) => endpoint.method === method)
  if (found === undefined) {
    if (fits.length === 0) throw new HttpError(404, 'unknown-path', 'the local rooms have no such path')
    const allow = fits.map(({ endpoint }) => endpoint.method).join(', ')
    throw new HttpError(405, 'unknown-method', `this path takes ${allow}`, { allow })
  }
  const values: Record<string, string> = {}
  for (const [i, segment] of found.segments.entries()) {
    if (segment.startsWith(':')) values[segment.slice(1)] = parameter(segment.slice(1), segments[i] ?? '')
  }
  return { name: found.name, endpoint: found.endpoint, values }
}

function parameter(name: string, encoded: string): string {
  let value: string
  try {
    value = decodeURIComponent(encoded)
  } catch {
    throw new HttpError(400, 'invalid', 'the path holds a broken percent escape')
  }
  const schema = params[name as keyof typeof params]
  return check(schema, value, `the ${name} in the path`)
}

const HANDLERS: { [Name in EndpointName]: Handler } = {
  async rooms({ server }) {
    const rooms = await server.db.call('rooms', {})
    return jsonResponse(200, { rooms: rooms.map((room) => server.present.room(room)) })
  },

  async makeRoom({ server, body }) {
    const { id, title, kind } = body as Body<'makeRoom'>
    const { room, made } = await write(server, 'makeRoom', { id, title, kind, at: server.clock.now() })
    return jsonResponse(made ? 201 : 200, server.present.room(room))
  },

  async room({ server, params }) {
    return jsonResponse(200, server.present.room(await server.db.call('room', { id: params.room ?? '' })))
  },

  async changeRoom({ server, params, body }) {
    const { title, archived, author } = body as Body<'changeRoom'>
    const who: RawPerson = author ?? { id: PLATFORM_ID, name: 'Local', kind: 'bot' }
    const input = { id: params.room ?? '', title, archived, author: who, at: server.clock.now() }
    const { output, outcome } = await tell(server, 'changeRoom', input)
    if (outcome === 'later') throw later('the change of the room is stored')
    return jsonResponse(200, server.present.room(output.room))
  },

  async messages({ server, params, query }) {
    const page = query as Query<'messages'>
    const { messages, more } = await server.db.call('messages', { room: params.room ?? '', ...page })
    return jsonResponse(200, { messages: messages.map((view) => server.present.message(view)), more })
  },

  async message({ server, params }) {
    const view = await server.db.call('message', ids(params))
    return jsonResponse(200, server.present.message(view))
  },

  async say({ server, request, params, body }) {
    const { key: bodyKey, author, ...said } = body as Body<'say'>
    const room = params.room ?? ''
    const header = request.headers.get('idempotency-key')
    const key =
      bodyKey ?? (header === null ? undefined : check(idempotencyKey, header, 'the header Idempotency-Key'))
    const once = key === undefined ? undefined : { key, hash: hashOf([room, author.id, said]) }
    const { output, outcome } = await tell(server, 'say', {
      ...said,
      room,
      author,
      once,
      at: server.clock.now(),
    })
    const { id } = output.message
    const receipt = server.present.receipt(room, id)
    if (outcome === 'later') throw later(`the message is stored as ${id}`, { id, room, receipt })
    return jsonResponse(output.fresh ? 201 : 200, { id, room, receipt })
  },

  async amend({ server, params, body }) {
    const { author, text, mentions } = body as Body<'amend'>
    const input = { ...ids(params), author, text, mentions, at: server.clock.now() }
    return changed(server, await tell(server, 'amend', input), 'the edit is stored')
  },

  async retract(call) {
    const { server } = call
    const input = { ...ids(call.params), author: authorOf(call), at: server.clock.now() }
    const result = await tell(server, 'retract', input)
    await removeFiles(server, result.output.files)
    return changed(server, result, 'the message is deleted here')
  },

  react: (call) => mark(call, true),
  unreact: (call) => mark(call, false),

  async press({ server, params, body }) {
    const { author, value } = body as Body<'press'>
    const input = { ...ids(params), author, value, at: server.clock.now() }
    const { output, outcome } = await tell(server, 'press', input)
    if (outcome === 'later') throw later('the press is stored')
    return jsonResponse(200, { id: output.message.id, value })
  },

  upload: ({ server, request, params, query }) =>
    uploadFile(server, request, params.room ?? '', (query as Query<'upload'>).name),

  file: ({ server, params }) => serveFile(server, params.file ?? ''),

  async people({ server, query }) {
    const { room } = query as Query<'people'>
    return jsonResponse(200, { people: await server.db.call('people', room === undefined ? {} : { room }) })
  },

  async events({ server, request, query }) {
    const { rooms, as, lastEventId } = query as Query<'events'>
    const stream = server.hub.open({
      rooms: rooms && new Set(rooms),
      as,
      lastEventId: resumeFrom(request.headers.get('last-event-id')) ?? lastEventId,
      signal: request.signal,
    })
    if (stream === null) {
      throw new HttpError(503, 'too-many-streams', 'too many event streams are open: close some', {
        'retry-after': '5',
      })
    }
    return new Response(stream, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        // A buffering proxy would hold events back.
        'x-accel-buffering': 'no',
      },
    })
  },
}

async function mark(call: Call, added: boolean): Promise<Response> {
  const { server, params } = call
  const input = { ...ids(params), emoji: params.emoji ?? '', added, author: authorOf(call) }
  return changed(
    server,
    await tell(server, 'mark', { ...input, at: server.clock.now() }),
    'the reaction is stored',
  )
}

function changed(
  server: ChatServer,
  result: { output: { message: MessageView }; outcome: 'accepted' | 'later' },
  stored: string,
): Response {
  if (result.outcome === 'later') throw later(stored)
  return jsonResponse(200, server.present.message(result.output.message))
}

/** Stored here, not yet taken by the core. The caller has nothing to do, and must not say it again. */
function later(stored: string, more: Readonly<Record<string, unknown>> = {}): HttpError {
  const message = `${stored} and will be delivered as soon as Golem can take it (GET /health says what keeps it): do not send it again`
  return new HttpError(503, 'not-delivered', message, { 'retry-after': '5' }, more)
}

function ids(params: Readonly<Record<string, string>>): { room: string; message: string } {
  return { room: params.room ?? '', message: params.message ?? '' }
}

/** From the body, else from `?author=`. */
function authorOf({ body, query }: Call): RawPerson {
  const author = (body as Body<'author'> | undefined)?.author ?? (query as Query<'author'>).author
  if (author === undefined) throw new HttpError(400, 'invalid', 'say who does it: {"author": …} or ?author=')
  return author
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url')
}

/** What is no number of ours cannot be resumed from: the reader is told to load afresh. */
function resumeFrom(header: string | null): number | undefined {
  if (header === null || header === '') return undefined
  return /^[0-9]{1,15}$/.test(header) ? Number(header) : Number.MAX_SAFE_INTEGER
}
