import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCommand } from '../../src/agents/engines/command.js'
import { alive, realClock } from '../fixtures/agents/kit.js'
import { conformance } from './kit.js'

const ACTOR = fileURLToPath(new URL('actor.mjs', import.meta.url))

conformance({
  name: 'command',
  effects: 'unknown',
  can: { acts: true, streams: true, tools: true, asks: false, usage: true },
  async open(acts, environment) {
    const folder = await mkdtemp(join(tmpdir(), 'golem-actor-'))
    const notes = join(folder, 'heard')
    const heard = (): Promise<string> => readFile(notes, 'utf8').catch(() => '')
    const processes = async (): Promise<number[]> =>
      [...(await heard()).matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid))
    const engine = createCommand(
      { command: [process.execPath, ACTOR, JSON.stringify(acts), notes] },
      { clock: realClock, mark: 'conformance:', environment },
    )
    return {
      engine,
      heard,
      processes,
      busy: async () => {
        const states = await Promise.all((await processes()).map(alive))
        return states.filter(Boolean).length
      },
      close: () => rm(folder, { recursive: true, force: true }),
    }
  },
})
