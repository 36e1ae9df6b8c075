import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAcp } from '../../src/agents/engines/acp/acp.js'
import { acpSettings } from '../../src/agents/engines/acp/settings.js'
import { alive, MemoryLog, program, realClock } from '../fixtures/agents/kit.js'
import { conformance } from './kit.js'
import { serveTools } from './tools-server.js'

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
      engine: tools.lend(engine),
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
