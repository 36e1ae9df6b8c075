/** Golem's own server of a turn's tools, on a port of this machine. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { McpHub } from '../../src/agents/mcp/host.js'
import type { Logger } from '../../src/messaging/ambient.js'
import type { Engine } from '../../src/messaging/engine.js'

export interface ToolsServer {
  /** As a turn does it: its tools are lent out while it runs. */
  lend(engine: Engine): Engine
  close(): Promise<void>
}

export async function serveTools(log: Logger): Promise<ToolsServer> {
  const hub = new McpHub(log)
  const answer = getRequestListener((request) => hub.handle(request))
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  hub.listen(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  return {
    lend: (engine) => ({
      id: engine.id,
      effects: engine.effects,
      close: () => engine.close(),
      async *run(run) {
        const seat = hub.open({ specs: () => run.input.tools, call: run.call })
        try {
          yield* engine.run({ ...run, input: { ...run.input, mcp: seat } })
        } finally {
          seat?.close()
        }
      },
    }),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
