/** What takes its time, side by side in one daemon: status posts, programs that hang, clients that never finish. */
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, it } from 'vitest'
import { Daemon, type Message, programAgent, QUICK, until } from './daemon.js'
import { AT_WORK } from './program.js'

let daemon: Daemon
beforeAll(async () => {
  daemon = await Daemon.start(`name: Golem
${QUICK}agents:
${programAgent('Golem', 'obeys', 'role: orchestrator')}`)
})

async function running(id: string, room: string): Promise<void> {
  await until(async () => (await daemon.receipt(id, room)).outcome === 'running', 'the turn did not start')
}

describe.concurrent('side by side', () => {
  it('a status post appears after five seconds; its Stop button is for the asker alone; then it goes away', async ({
    expect,
  }) => {
    const room = 'status'
    const id = await daemon.say('@Golem do hang', { room })
    let status: Message | undefined
    await until(async () => {
      status = (await daemon.answers(id, room)).at(-1)
      return status !== undefined
    }, 'no status post appeared')
    if (status === undefined) throw new Error('no status post')
    expect(status).toMatchObject({
      text: expect.stringMatching(AT_WORK),
      silent: true,
      buttons: [{ label: 'Stop' }],
    })
    await daemon.press(status, 'Stop', 'Mallory')
    expect(await daemon.receipt(id, room)).toMatchObject({ outcome: 'running' })
    await daemon.press(status, 'Stop', 'Ann')
    await daemon.quiet(room)
    expect(await daemon.talk(room)).toEqual([
      'Ann: @Golem do hang',
      'Golem: Well',
      'Golem: Golem was stopped.',
    ])
  })

  it('a program that hangs without a word is stopped by /stop at once', async ({ expect }) => {
    const room = 'silent'
    const id = await daemon.say('@Golem do hang quietly', { room })
    await running(id, room)
    const since = Date.now()
    await daemon.say('/stop', { room })
    await daemon.quiet(room)
    expect(Date.now() - since).toBeLessThan(3_000)
    expect((await daemon.answers(id, room)).map(({ text }) => text)).toEqual(['Golem was stopped.'])
  })

  it('one that is deaf to SIGTERM is ended after six seconds', async ({ expect }) => {
    const room = 'deaf'
    const id = await daemon.say('@Golem do hang deaf', { room })
    await until(
      async () => (await daemon.receipt(id, room)).turns[0]?.firstEventAt != null,
      'it did not begin',
    )
    await daemon.say('/stop', { room })
    await daemon.quiet(room)
    expect((await daemon.answers(id, room)).map(({ text }) => text)).toEqual(['Well', 'Golem was stopped.'])
    expect(await daemon.receipt(id, room)).toMatchObject({ outcome: 'stopped' })
  })

  it('clients who never finish a request are cut off with 408, and everybody else is answered', async ({
    expect,
  }) => {
    const slow = Array.from({ length: 50 }, () => new Slow(Number(new URL(daemon.url).port)))
    for (let i = 0; i < 3; i++)
      expect(await daemon.ask('@Golem do say hello', { room: 'meanwhile' })).toHaveLength(1)
    for (const answer of await Promise.all(slow.map(({ closed }) => closed)))
      expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*The request took too long to arrive\./)
    expect(await daemon.ask('@Golem do say again', { room: 'meanwhile' })).toHaveLength(1)
  })
})

/** Sends a byte of a header now and then, without an end. */
class Slow {
  readonly closed: Promise<string>
  readonly #socket: Socket

  constructor(port: number) {
    let text = ''
    this.#socket = connect(port, '127.0.0.1', () => {
      this.#socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-')
      void this.#drip()
    })
    this.#socket.on('data', (chunk) => {
      text += chunk.toString()
    })
    this.#socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => this.#socket.on('close', () => resolve(text)))
  }

  async #drip(): Promise<void> {
    while (!this.#socket.destroyed) {
      this.#socket.write('a')
      await delay(500, undefined, { ref: false })
    }
  }
}
