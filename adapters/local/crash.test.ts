import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { Rooms } from './harness.fixture.js'

/** Runs one life and kills it when it has said so many things. Resolves with the ids that were answered. */
function live(dir: string, name: string, until: number): Promise<string[]> {
  const file = fileURLToPath(new URL('./crash-child.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', file, dir, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const answered: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    answered.push(line)
    if (answered.length === until) child.kill('SIGKILL')
  })
  return new Promise((resolve) => child.on('close', () => resolve(answered)))
}

it('kill -9, again and again: what was answered is there, and all that is there reaches the core in order', async () => {
  const rooms = await Rooms.open()
  await rooms.connection.close(0)
  const answered: string[] = []
  for (const [life, until] of [1, 40, 171].entries()) {
    answered.push(...(await live(rooms.dir, String(life), until)))
  }
  const host = await rooms.connect()
  await rooms.say('at last', {}, 'one')
  await rooms.say('at last', {}, 'two')

  const stored: string[] = []
  const byRoom: Set<string>[] = []
  for (const room of ['one', 'two']) {
    let before = ''
    const inRoom = new Set<string>()
    byRoom.push(inRoom)
    for (;;) {
      const { body } = await rooms.call('GET', `rooms/${room}/messages?limit=200${before}`)
      const ids: string[] = body.messages.map(({ id }: { id: string }) => id)
      stored.push(...ids)
      for (const id of ids) inRoom.add(id)
      before = `&before=${ids[0]}`
      if (!body.more) break
    }
  }
  expect(new Set(stored)).toEqual(new Set([...stored, ...answered]))
  expect(answered.length).toBeGreaterThanOrEqual(1 + 40 + 171)

  const earlier = readFileSync(join(rooms.dir, 'accepted.log'), 'utf8').trim().split('\n')
  const heard = [...earlier, ...host.accepted.map(({ event }) => event ?? '')]
  const ids = [...new Set(heard)].map((event) => event.split(':').at(-1) ?? '')
  expect([...ids].sort()).toEqual([...stored].sort())
  for (const room of byRoom) {
    const order = ids.filter((id) => room.has(id)).map(Number)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  }
  await rooms.dispose()
}, 60_000)
