/** Nothing is acknowledged before it is on the disk: shown by what the operating system was asked to do, in which order. */
import { describe, expect, it } from 'vitest'
import { type PlatformName, run } from './matrix.js'
import { SCENARIOS } from './scenarios/index.js'
import {
  type Acknowledged,
  acknowledgements,
  LONG,
  noTracer,
  POLLING,
  readTrace,
  requests,
  SOCKET,
  tracer,
  type Wire,
} from './traced.js'

const BURST = 'a burst of one person'
const WEBHOOK = 'a plain mention, by webhook'

const CASES: readonly (readonly [PlatformName, string, Wire, number])[] = [
  ['telegram', BURST, POLLING, 3],
  ['telegram', WEBHOOK, requests('/webhooks/'), 1],
  ['slack', BURST, SOCKET, 3],
  ['slack', WEBHOOK, requests('/webhooks/'), 1],
  ['feishu', BURST, LONG, 3],
  ['feishu', WEBHOOK, requests('/webhooks/'), 1],
  ['local', BURST, requests('/api/local/rooms/lobby/messages'), 3],
]

const why = noTracer()
if (why !== null) console.log(`skipped: the traced runs, because ${why}`)

async function traced(
  platform: PlatformName,
  name: string,
  wire: Wire,
  mutation?: string,
): Promise<Acknowledged[]> {
  const scenario = SCENARIOS.find((one) => one.name === name)
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`)
  const options = {
    platform,
    scenario,
    point: null,
    under: tracer,
    ...(mutation === undefined ? {} : { mutation }),
  }
  const { problems, calls, mutated } = await run(options)
  expect(problems).toEqual([])
  expect(mutated).toBe(mutation === undefined ? 0 : 1)
  return acknowledgements(readTrace(calls), wire)
}

describe.skipIf(why !== null)('the database is synced between a delivery and its acknowledgement', () => {
  it.each(CASES)(
    '%s, %s',
    async (platform, name, wire, least) => {
      const acknowledged = await traced(platform, name, wire)
      expect(acknowledged.length).toBeGreaterThanOrEqual(least)
      expect(acknowledged.filter(({ synced }) => !synced)).toEqual([])
    },
    120_000,
  )

  it('and that would be seen: with synchronous=OFF it is not', async () => {
    const acknowledged = await traced('telegram', BURST, POLLING, 'synchronous=OFF')
    expect(acknowledged.length).toBeGreaterThanOrEqual(3)
    expect(acknowledged.filter(({ synced }) => synced)).toEqual([])
  }, 120_000)
})

it('reads a trace: what began, what ended, who was asked', () => {
  const hex = (text: string) =>
    [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  const events = readTrace(
    [
      `7 read(20<TCP:[127.0.0.1:1->127.0.0.1:2]>,  <unfinished ...>`,
      `8 fsync(9<${hex('/x/golem.db-wal')}> <unfinished ...>`,
      `7 <... read resumed>"${hex('{"update_id":5}')}", 65536) = 15`,
      '8 <... fsync resumed>)             = 0',
      `8 fsync(9<${hex('/x/golem.db-wal')}>) = 0`,
      `7 writev(20<TCP:[127.0.0.1:1->127.0.0.1:2]>, [{iov_base="${hex('{"off')}", iov_len=5}, {iov_base="${hex('set":6}')}", iov_len=7}], 2) = 12`,
      `7 write(21<pipe:[3]>, "${hex('no socket')}", 9) = 9`,
      `7 read(20<TCP:[127.0.0.1:1->127.0.0.1:2]>, "", 65536) = -1 EAGAIN (Resource temporarily unavailable)`,
    ].join('\n'),
  )
  expect(events.map((event) => ('bytes' in event ? event.bytes.toString() : event.since))).toEqual([
    '{"update_id":5}',
    0,
    2,
    '{"offset":6}',
  ])
  expect(acknowledgements(events, POLLING)).toEqual([{ id: '5', synced: true }])
  // The first sync alone had begun too early.
  expect(acknowledgements(events.toSpliced(2, 1), POLLING)).toEqual([{ id: '5', synced: false }])
})
