/** The local platform: its rooms live in the daemon, so people repeat under one key what it did not take. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Seen } from '../simulators/kit/stage.js'
import { type Daemon, PATIENCE } from './daemon.js'
import type { Scene, SceneOptions, Spoken, Who } from './scene.js'

interface LocalMessage {
  id: string
  author: { id: string; name: string; kind: string }
  text: string | null
  silent?: boolean
  deleted?: boolean
  editedAt?: number | null
  replyTo?: { id: string } | null
  buttons?: { label: string; value: string }[]
  reactions?: { emoji?: string }[]
  files?: { name: string; bytes?: number }[]
}

const MESSAGES = '/api/local/rooms/lobby/messages'

export class LocalScene implements Scene {
  readonly channels = { local: { rooms: [{ id: 'lobby' }] } }
  readonly firstEnv: Record<string, string>
  readonly #said: { key: string; body: Readonly<Record<string, unknown>> }[] = []
  #daemon: Daemon | null = null

  constructor({ lose }: SceneOptions) {
    this.firstEnv = lose === null ? {} : { GOLEM_CRASH_LOSE: 'post' }
  }

  get #house(): Daemon {
    if (this.#daemon === null) throw new Error('nobody is at home yet')
    return this.#daemon
  }

  begin(daemon: Daemon): void {
    this.#daemon = daemon
  }

  away(): void {}

  async say(who: Who, text: string, { aside = false, to }: Spoken = {}): Promise<string> {
    const said = {
      key: `said-${this.#said.length + 1}`,
      body: {
        author: who,
        text: aside ? text : spoken(text),
        ...(to === undefined ? {} : { replyTo: to }),
      },
    }
    this.#said.push(said)
    return await this.#post(said)
  }

  async #post({ key, body }: { key: string; body: Readonly<Record<string, unknown>> }): Promise<string> {
    const until = Date.now() + PATIENCE
    for (;;) {
      const response = await this.#send('POST', MESSAGES, body, { 'idempotency-key': key })
      const answer = (await response.json()) as { id?: string; error?: { message: string } }
      if (response.ok && answer.id !== undefined) return answer.id
      if (Date.now() > until) throw new Error(`not taken: ${JSON.stringify(answer)}`)
      await delay(20)
    }
  }

  #send(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<Response> {
    return this.#house.ask(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  }

  async edit(id: string, text: string): Promise<void> {
    await this.#house.until(
      async () => (await this.#send('PATCH', `${MESSAGES}/${id}`, { author: 'Ann', text: spoken(text) })).ok,
      'the edit was not taken',
    )
  }

  async press(id: string, who: Who, value: string): Promise<void> {
    await this.#send('POST', `${MESSAGES}/${id}/press`, { author: who, value })
  }

  async redeliver(): Promise<void> {
    for (const said of this.#said) await this.#post(said)
  }

  anchor(id: string): string {
    return id
  }

  async seen(_viewer?: Who): Promise<readonly Seen[]> {
    const { messages } = await this.#house.get<{ messages: LocalMessage[] }>(`${MESSAGES}?limit=100`)
    return messages.filter((message) => message.deleted !== true).map(asSeen)
  }

  isDelivered(): boolean {
    return true
  }

  key(id: string): string {
    return `local:lobby:${id}`
  }

  async close(): Promise<void> {}
}

function spoken(text: string): string {
  return `@Golem ${text}`
}

function asSeen(message: LocalMessage): Seen {
  return {
    id: message.id,
    author: { id: message.author.id, name: message.author.name, bot: message.author.kind !== 'person' },
    text: message.text ?? '',
    raw: message,
    ...(message.replyTo ? { replyTo: message.replyTo.id } : {}),
    pings: [],
    links: [],
    buttons: message.buttons ?? [],
    reactions: (message.reactions ?? []).map(({ emoji = '' }) => ({ emoji, by: '' })),
    files: (message.files ?? []).map(({ name, bytes = 0 }) => ({ name, bytes })),
    silent: message.silent ?? false,
    edited: typeof message.editedAt === 'number',
  }
}
