/** `npm run bench`: prints one JSON object. It compares in one run and asserts nothing. Needs a built tree. */
import { cpus, totalmem } from 'node:os'
import { cancel } from './cancel.js'
import { codecs } from './codec.js'
import { startUp, syncsPerMessage } from './daemon.js'
import { fsyncTime } from './disk.js'
import { ingest } from './ingest.js'
import { latency } from './latency.js'
import { floods, idle } from './platforms.js'
import { rooms } from './rooms.js'
import { smartGates } from './smart-gate.js'
import { round } from './support.js'

const only = process.argv.slice(2)
const wanted = (name: string): boolean => only.length === 0 || only.includes(name)

const result: Record<string, unknown> = {
  machine: { cores: cpus().length, memoryGb: round(totalmem() / 2 ** 30, 0), node: process.version },
  fsyncMs: await fsyncTime(),
}
if (wanted('start')) result.start = await startUp()
if (wanted('syncs')) result.syncsPerMessage = await syncsPerMessage()
if (wanted('ingest')) result.ingest = await ingest()
if (wanted('latency')) result.latency = await latency()
if (wanted('codec')) result.codec = await codecs()
if (wanted('rooms')) result.rooms = await rooms()
if (wanted('cancel')) result.cancel = await cancel()
if (wanted('smart-gate')) result.smartGate = smartGates()
if (wanted('idle')) result.idle = await idle()
if (wanted('flood')) result.flood = await floods()
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
