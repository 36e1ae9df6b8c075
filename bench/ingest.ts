/** How many inbound events become durable in a second through `host.accept`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Host, InboundMessage, Platform } from '../src/messaging/contract.js'
import { quiet, round, withFolder } from './support.js'

const EVENTS = 30_000
const ROOMS = 50
/** Events under way at the same time, as from a few busy connections. */
const PARALLEL = 256

const built = (path: string) => import(new URL(`../dist/${path}`, import.meta.url).href)

export function ingest(): Promise<{ events: number; perSecond: number }> {
  return withFolder(async (folder) => {
    const { startGateway } = (await built('src/gateway.js')) as typeof import('../src/gateway.js')
    const { parseDoc } = (await built(
      'src/messaging/contract.js',
    )) as typeof import('../src/messaging/contract.js')
    const local = ((await built('adapters/local/index.js')) as { default: Platform }).default
    let host: Host | null = null
    writeFileSync(join(folder, 'golem.yaml'), 'name: Golem\nagents: [{ name: Golem, engine: offline }]\n')
    const gateway = await startGateway({
      configFile: join(folder, 'golem.yaml'),
      port: 0,
      log: quiet,
      platforms: {
        local: {
          ...local,
          connect(settings, given) {
            host = given
            return local.connect(settings, given)
          },
        },
      },
    })
    const given = host as Host | null
    if (given === null) throw new Error('the local platform was not connected')
    const event = (index: number): InboundMessage => ({
      kind: 'message',
      event: `bench:${index}`,
      id: `b${index}`,
      at: Date.now(),
      place: { chat: `room-${index % ROOMS}` },
      author: { id: `p${index % 97}`, name: `Person ${index % 97}`, kind: 'person' },
      chat: { kind: 'group' },
      doc: parseDoc(`The build of branch ${index} is green again, nothing to do for anybody here.`),
    })
    let next = 0
    const worker = async (until: number): Promise<void> => {
      while (next < until) await given.accept(event(next++))
    }
    const run = async (count: number): Promise<number> => {
      const until = next + count
      const start = performance.now()
      await Promise.all(Array.from({ length: PARALLEL }, () => worker(until)))
      return (count / (performance.now() - start)) * 1_000
    }
    await run(3_000)
    const perSecond = await run(EVENTS)
    await gateway.close(Date.now() + 5_000)
    return { events: EVENTS, perSecond: round(perSecond, 0) }
  })
}
