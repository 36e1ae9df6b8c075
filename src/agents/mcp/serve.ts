/** One MCP request. Loads the SDK, so it is imported by the first request. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import type { Logger } from '../../messaging/ambient.js'
import { ToolError, type ToolSpec } from '../../messaging/engine.js'
import { loggable } from '../loggable.js'
import { writes } from '../tools/registry.js'
import type { TurnTools } from './turn-tools.js'

/** How often a call that takes its time says so, in milliseconds: clients give up on silence after a minute. */
const PROGRESS_EVERY = 10_000

/**
 * Answers by a stream of events, so that a call may take as long as a person does.
 *
 * @param ends gets what breaks the answer off, for as long as it is under way
 */
export async function serveMcp(
  request: Request,
  tools: TurnTools,
  ends: Set<() => void>,
  log: Logger,
): Promise<Response> {
  const server = new Server({ name: 'golem', title: 'Golem', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.specs().map(described) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const token = params._meta?.progressToken
    let told = 0
    const tell = (): void => {
      if (token === undefined) return
      told += 1
      extra
        .sendNotification({
          method: 'notifications/progress',
          params: { progressToken: token, progress: told },
        })
        // The client has gone; the call is carried out all the same.
        .catch(() => {})
    }
    const timer = setInterval(tell, PROGRESS_EVERY)
    timer.unref()
    try {
      return given(await tools.call(params.name, params.arguments ?? {}))
    } catch (error) {
      if (error instanceof ToolError) return failed(error.message)
      log.error({ ...loggable(error), tool: params.name.slice(0, 60) }, 'a tool failed')
      return failed('The tool failed inside Golem; go on without it.')
    } finally {
      clearInterval(timer)
    }
  })
  const transport = new WebStandardStreamableHTTPServerTransport()
  await server.connect(transport)
  const end = (): void => {
    if (ends.delete(end)) void server.close().catch(() => {})
  }
  ends.add(end)
  const response = await transport.handleRequest(request)
  if (response.body === null) {
    end()
    return response
  }
  return new Response(untilRead(response.body, end), response)
}

/** The stream, and `end` called once it has been read or nobody reads it any more. */
function untilRead(body: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        end()
        controller.close()
      } catch (error) {
        end()
        controller.error(error)
      }
    },
    async cancel(reason) {
      await reader.cancel(reason)
      end()
    },
  })
}

function described({ name, description, parameters }: ToolSpec): Tool {
  return {
    name,
    description,
    inputSchema: { ...parameters, type: 'object' },
    annotations: { readOnlyHint: !writes(name), openWorldHint: false },
  }
}

function given(result: unknown): CallToolResult {
  const plain: unknown = result === undefined ? null : result
  const structured =
    typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? plain : { result: plain }
  return {
    content: [{ type: 'text', text: JSON.stringify(plain) }],
    structuredContent: structured as Record<string, unknown>,
  }
}

function failed(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}
