/** The HTTP application: gates in front, the table of routes, the platforms' own paths, the console behind. */
import type { ServerResponse } from 'node:http'
import { Hono } from 'hono'
import type { Logger } from '../messaging/ambient.js'
import type { ConnectionId } from '../messaging/contract.js'
import type { Redactor } from '../messaging/redact.js'
import type { Doorkeeper } from './auth.js'
import { BODY_BYTES, checkType, isUpload, limitBody, WEBHOOK_BYTES } from './body.js'
import { errorResponse, HttpError, INTERNAL } from './error.js'
import { checkOrigin } from './guard.js'
import { isData, securityHeaders } from './headers.js'
import { answerMcp, MCP_PATH, type Mcp } from './mcp.js'
import type { OpenApiPart } from './openapi.js'
import type { Ask, Route } from './routes.js'
import type { OpenStreams } from './streams.js'

/** Hands a request to a connection. `path` is what follows the mount point, undecoded, beginning with `/`. */
export type Serve = (connection: ConnectionId, request: Request, path: string) => Promise<Response | null>

/** What comes along with a request. */
export interface Env {
  outgoing: ServerResponse
}

export interface AppParts {
  table: readonly Route[]
  doorkeeper: Doorkeeper
  serve: Serve
  mcp?: Mcp | undefined
  streams: OpenStreams
  webRoot: string
  version: string
  uploadBytes: number
  openApiParts(): readonly OpenApiPart[] | Promise<readonly OpenApiPart[]>
  redactor: Redactor
  log: Logger
}

/** The platform whose connections have their paths under `/api/<connection>/`. */
const LOCAL = 'local'
/** Query names under which people have been seen to pass credentials. */
const TOKENS_IN_URLS = ['token', 'access_token', 'auth', 'api_key']

/** `/api/rooms/{key}/messages` -> `/api/rooms/:key/messages`. */
const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

/** What follows the first `segments` segments of the path, as it stood in the request. */
function rest(url: string, segments: number): string {
  const path = new URL(url).pathname.split('/')
  return `/${path.slice(segments + 1).join('/')}`
}

async function readJson(request: Request): Promise<unknown> {
  const limited = limitBody(request, BODY_BYTES)
  const text = await limited.request.text().finally(limited.check)
  try {
    return JSON.parse(text)
  } catch {
    throw new HttpError(400, 'bad-json', 'The body is not JSON.')
  }
}

const notFound = (): HttpError => new HttpError(404, 'not-found', 'There is nothing at this address.')

export function createApp(parts: AppParts): Hono<{ Bindings: Env }> {
  const { doorkeeper, log, redactor, table } = parts
  const app = new Hono<{ Bindings: Env }>()
  const openPaths = new Set(table.filter(({ open }) => open).map(({ path }) => path))

  app.use(async (c, next) => {
    await next()
    for (const [name, value] of securityHeaders(c.req.path)) c.header(name, value)
    if (isData(c.req.path) && !c.res.headers.has('cache-control')) c.header('cache-control', 'no-store')
  })

  app.use(async (c, next) => {
    const { path } = c.req
    checkOrigin(c.req.raw.headers, path)
    const query = new URL(c.req.url).searchParams
    if (!path.startsWith('/webhooks/') && TOKENS_IN_URLS.some((name) => query.has(name)))
      throw new HttpError(
        400,
        'token-in-url',
        'A token in an address ends up in logs and histories; send it as a header.',
      )
    if ((path === '/api' || path.startsWith('/api/')) && !openPaths.has(path))
      doorkeeper.admit(c.req.raw.headers)
    await next()
  })

  for (const route of table) {
    app.on(route.method.toUpperCase(), honoPath(route.path), async (c) => {
      if (route.method !== 'get') checkType(c.req.method, c.req.raw.headers)
      const ask: Ask = {
        params: c.req.param(),
        query: new URL(c.req.url).searchParams,
        headers: c.req.raw.headers,
        json: () => readJson(c.req.raw),
        address: c.env.outgoing.socket?.remoteAddress ?? '',
      }
      const { status = 200, body, headers } = await route.handle(ask)
      return Response.json(body, { status, ...(headers === undefined ? {} : { headers }) })
    })
  }

  let description: Promise<object> | null = null
  app.get('/api/openapi.json', async () => {
    description ??= Promise.all([import('./openapi.js'), parts.openApiParts()]).then(([{ openApi }, extra]) =>
      openApi(table, extra, { version: parts.version, token: doorkeeper.required }),
    )
    return Response.json(await description)
  })

  const paths = new Map<string, string[]>([['/api/openapi.json', ['GET', 'HEAD']]])
  for (const { path, method } of table)
    paths.set(path, [
      ...(paths.get(path) ?? []),
      ...(method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]),
    ])
  for (const [path, methods] of paths)
    app.all(honoPath(path), () => {
      throw new HttpError(405, 'method-not-allowed', `This address takes ${methods.join(', ')} only.`, {
        allow: methods.join(', '),
      })
    })

  app.all(`/api/:connection{${LOCAL}(?:\\.[a-z0-9]+)*}/*`, async (c) => {
    const { method, path } = c.req
    const upload = isUpload(method, path)
    if (!upload) checkType(method, c.req.raw.headers)
    const max = upload ? parts.uploadBytes : BODY_BYTES
    return handOver(c.req.param('connection'), c.req.raw, rest(c.req.url, 2), max)
  })

  app.all('/webhooks/:connection/*', async (c) => {
    const connection = c.req.param('connection')
    // The local rooms trust whoever passed the door; this way in has no door.
    if (connection.split('.')[0] === LOCAL) throw notFound()
    return handOver(connection, c.req.raw, rest(c.req.url, 2), WEBHOOK_BYTES)
  })

  app.all(MCP_PATH, async (c) => {
    if (parts.mcp === undefined) throw notFound()
    const peer = c.env.outgoing.socket?.remoteAddress ?? ''
    return parts.streams.track(await answerMcp(parts.mcp, c.req.raw, peer))
  })

  async function handOver(
    connection: ConnectionId,
    incoming: Request,
    path: string,
    max: number,
  ): Promise<Response> {
    const { request, check } = limitBody(incoming, max)
    let response: Response | null
    try {
      response = await parts.serve(connection, request, path)
    } finally {
      check()
    }
    if (response === null) throw notFound()
    return parts.streams.track(response)
  }

  app.on(['GET', 'HEAD'], '*', async (c) => {
    if (isData(`${c.req.path}/`)) throw notFound()
    const { serveConsole } = await import('./console.js')
    const response = await serveConsole(parts.webRoot, c.req.path, c.req.raw.headers)
    if (response === null) throw notFound()
    return response
  })

  app.notFound((c) => {
    const page = !isData(`${c.req.path}/`)
    return errorResponse(
      page
        ? new HttpError(405, 'method-not-allowed', 'This address takes GET, HEAD only.', {
            allow: 'GET, HEAD',
          })
        : notFound(),
    )
  })

  app.onError((error, c) => {
    if (error instanceof HttpError) return errorResponse(error)
    const { method, path } = c.req
    log.error({ method, path, error: redactor.value(error) }, 'a request failed')
    return errorResponse(INTERNAL)
  })

  return app
}
