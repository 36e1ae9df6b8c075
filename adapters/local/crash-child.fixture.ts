/** A life that ends by SIGKILL: says things in two rooms as fast as it can, and prints each id once it is answered. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectLocal } from './connection.js'
import { TestHost } from './harness.fixture.js'
import { localSettings } from './settings.js'

const [dir = '', life = ''] = process.argv.slice(2)
const host = new TestHost(dir)
const accept = host.accept.bind(host)
host.accept = async (event) => {
  // What the core has is on the disk before it says so.
  appendFileSync(join(dir, 'accepted.log'), `${event.event}\n`)
  return accept(event)
}
const connection = await connectLocal(localSettings.parse({}), host)

async function talk(room: string): Promise<never> {
  for (let i = 0; ; i++) {
    const body = JSON.stringify({ author: 'Alice', text: `life ${life}, ${i}` })
    const headers = { 'content-type': 'application/json' }
    const request = new Request(`http://127.0.0.1/api/local/rooms/${room}/messages`, {
      method: 'POST',
      body,
      headers,
    })
    const response = await connection.serve?.(request, `rooms/${room}/messages`)
    if (response?.status !== 201) throw new Error(`answered ${response?.status}`)
    const { id } = (await response.json()) as { id: string }
    process.stdout.write(`${id}\n`)
  }
}
await Promise.all([talk('one'), talk('one'), talk('two')])
