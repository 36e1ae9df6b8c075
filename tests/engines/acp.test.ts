import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { createAcp } from '../../src/agents/engines/acp/acp.js'
import { acpSettings } from '../../src/agents/engines/acp/settings.js'
import { McpHub } from '../../src/agents/mcp/host.js'
import type { Engine } from '../../src/messaging/engine.js'
import { alive, MemoryLog, program, realClock } from '../fixtures/agents/kit.js'
import { conformance } from './kit.js'

conformance({
  name: 'acp',
  effects: 'unknown',
  can: { acts: true, streams: true, tools: true, asks: true, usage: true },
  async open(acts, environment) {
    const folder = await mkdtemp(join(tmpdir(), 'golem-acp-'))
    const notes = join(folder, 'heard')
    const heard = (): Promise<string> => readFile(notes, 'utf8').catch(() => '')
    const processes = async (): Promise<number[]> =>
      [...(await heard()).matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid))
    const log = new MemoryLog()
    const agent = program('../../engines/acp-agent')
    const engine = createAcp(
      acpSettings({
        command: [process.execPath, agent, JSON.stringify(acts), notes, '{"mcp":true}'],
        // Nothing stays warm here: what a turn started ends with it.
        pool: { max: 0, idle: 60_000 },
      }),
      {
        agent: 'Golem',
        clock: realClock,
        log,
        mark: 'conformance:',
        environment,
        folder: join(folder, 'book'),
      },
    )
    const tools = await serveTools(log)
    return {
      engine: withTools(engine, tools.hub),
      heard,
      processes,
      busy: async () => {
        const states = await Promise.all((await processes()).map(alive))
        return states.filter(Boolean).length
      },
      close: async () => {
        await tools.close()
        await rm(folder, { recursive: true, force: true })
      },
    }
  },
})

/** Golem's own server of a turn's tools, on a port. */
async function serveTools(log: MemoryLog): Promise<{ hub: McpHub; close(): Promise<void> }> {
  const hub = new McpHub(log)
  const server = createServer(getRequestListener((request) => hub.handle(request)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  hub.listen(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  return {
    hub,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** As a turn does it: the tools are lent out while it runs. */
function withTools(engine: Engine, hub: McpHub): Engine {
  return {
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
  }
}
