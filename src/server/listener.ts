/** What answers requests: the application, and the bridge from Node's requests to web-standard ones. */
import type { RequestListener, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Logger } from '../messaging/ambient.js'
import type { Redactor } from '../messaging/redact.js'
import { createApp } from './app.js'
import type { Doorkeeper } from './auth.js'
import { errorResponse, INTERNAL } from './error.js'
import { securityHeaders } from './headers.js'
import { healthOf, type StoreHealth } from './health.js'
import { memoryRoutes } from './memory-routes.js'
import type { ServerOptions } from './options.js'
import { routes } from './routes.js'
import { send } from './send.js'
import type { OpenStreams } from './streams.js'

const UPLOAD_BYTES = 25 * 1024 * 1024

export function createListener(
  options: ServerOptions,
  { doorkeeper, streams, redactor }: { doorkeeper: Doorkeeper; streams: OpenStreams; redactor: Redactor },
): RequestListener {
  const { log } = options
  const health = async () =>
    healthOf(options.version, options.connections(), await storeHealth(options, log, redactor), redactor.text)
  const app = createApp({
    table: [...routes({ store: options.store, doorkeeper, health }), ...memoryRoutes(options)],
    doorkeeper,
    serve: options.serve,
    mcp: options.mcp,
    streams,
    webRoot: options.webRoot,
    version: options.version,
    uploadBytes: options.uploadBytes ?? UPLOAD_BYTES,
    openApiParts: () => options.openapi?.() ?? [],
    redactor,
    log,
  })
  const failed = (error: unknown): Response => {
    log.error({ error: redactor.value(error) }, 'an answer broke off')
    return sealed(errorResponse(INTERNAL))
  }
  const route = getRequestListener(
    async (request, { outgoing }) => {
      const answer = outgoing as ServerResponse // the server speaks HTTP/1 only
      await send(await app.fetch(request, { outgoing: answer }), answer, failed)
      return RESPONSE_ALREADY_SENT
    },
    { overrideGlobalObjects: false, errorHandler: failed },
  )
  return (incoming, outgoing) => void route(incoming, outgoing)
}

function sealed(response: Response): Response {
  for (const [name, value] of securityHeaders('/api/')) response.headers.set(name, value)
  return response
}

async function storeHealth(options: ServerOptions, log: Logger, redactor: Redactor): Promise<StoreHealth> {
  try {
    return await options.storeHealth()
  } catch (error) {
    log.error({ error: redactor.value(error) }, 'the store could not be asked for its health')
    return {
      ok: false,
      reason: 'The store does not answer.',
      cure: "Look at the daemon's log, then restart it.",
    }
  }
}
