/**
 * The local rooms. They live in the daemon: people speak through the connection itself, nothing is lost on the way, and
 * what is acknowledged to whom is the answer to the request that said it.
 */

import local from '../../../adapters/local/index.js'
import { refusedChanges } from '../kit/refusals.js'
// Loaded now, so that the first request of a law takes no longer than the others.
import '../../../adapters/local/routes.js'
import type { Doc, Platform } from '../../../src/messaging/contract.js'
import { type Connection, parseDoc, plainText } from '../../../src/messaging/contract.js'
import { VirtualClock } from '../../simulators/kit/clock.js'
import type { Person, Said, Seen } from '../../simulators/kit/stage.js'
import { samplesOf } from '../kit/samples.js'
import type { Scene, Subject, World } from '../subject.js'

interface View {
  id: string
  author: { id: string; name: string; kind: 'person' | 'bot' | 'self' }
  text: string
  thread?: string
  mentions: { id: string; name: string }[]
  edited?: number
  deleted: boolean
  silent: boolean
  replyTo?: { id: string }
  reactions: { emoji: string; people: { id: string }[] }[]
  buttons: { label: string; value: string }[]
  files: { name: string; bytes: number }[]
}

class LocalWorld implements World, Scene {
  readonly clock = new VirtualClock()
  readonly bot: Person = { id: '@golem', name: 'Golem' }
  readonly acknowledged: string[] = []
  readonly scene: Scene = this
  readonly #people: Person[] = []
  /** Notes for one person, which nothing keeps. */
  readonly #whispers: { chat: string; seen: Seen }[] = []
  readonly #streams = new AbortController()
  #connection: Connection | undefined
  #next = 0

  settings(): Record<string, unknown> {
    return {}
  }

  attach(connection: Connection): void {
    this.#connection = connection
    for (const person of this.#people) void this.#listen(person)
  }

  person(name: string): Person {
    const person = { id: `u${++this.#next}`, name }
    this.#people.push(person)
    if (this.#connection !== undefined) void this.#listen(person)
    return person
  }

  async group(title: string, people: readonly Person[]): Promise<string> {
    const id = `room${++this.#next}`
    await this.#call('POST', 'rooms', { id, title })
    // A person is one of a room once they spoke in it; what they say here is for the bot to hear, and for no law.
    for (const person of people) {
      const hello = await this.say(id, person, 'hello')
      await this.delete(id, hello, person)
    }
    return id
  }

  async dm(person: Person): Promise<string> {
    const id = `dm${++this.#next}`
    await this.#call('POST', 'rooms', { id, title: person.name, kind: 'dm' })
    return id
  }

  async say(chat: string, person: Person, text: string, options: Said = {}): Promise<string> {
    const files = []
    for (const { name, bytes } of options.files ?? []) {
      const uploaded = await this.#call('POST', `rooms/${chat}/files?name=${encodeURIComponent(name)}`, bytes)
      files.push(String(uploaded.id))
    }
    const known = new Set((await this.#views(chat)).map(({ id }) => id))
    const said = this.#call('POST', `rooms/${chat}/messages`, {
      author: person,
      text: options.mention === true ? `@Golem ${text}` : text,
      ...(options.mention === true && { mentions: [{ id: '@golem', name: 'Golem' }] }),
      ...(options.replyTo !== undefined && { replyTo: options.replyTo }),
      ...(options.thread !== undefined && { thread: options.thread }),
      files,
    }).then(({ id, error }) => {
      // "Stored, delivered later" is no acknowledgement.
      if (error === undefined) this.acknowledged.push(String(id))
      return String(id)
    })
    return Promise.race([said, this.#appeared(chat, known, said)])
  }

  /** The request is answered when the core has the message; the message stands in the room before that. */
  async #appeared(chat: string, known: ReadonlySet<string>, said: Promise<string>): Promise<string> {
    let done = false
    void said
      .catch(() => {})
      .finally(() => {
        done = true
      })
    while (!done) {
      const view = (await this.#views(chat)).find(
        ({ id, author }) => !known.has(id) && author.kind !== 'self',
      )
      if (view !== undefined) return view.id
    }
    return said
  }

  async edit(chat: string, id: string, text: string, author: Person): Promise<void> {
    await this.#call('PATCH', `rooms/${chat}/messages/${id}`, { author, text })
  }

  async delete(chat: string, id: string, author: Person): Promise<void> {
    await this.#call('DELETE', `rooms/${chat}/messages/${id}`, { author })
  }

  async react(chat: string, id: string, author: Person, emoji: string): Promise<void> {
    await this.#call('PUT', `rooms/${chat}/messages/${id}/reactions/${encodeURIComponent(emoji)}`, { author })
  }

  async press(chat: string, id: string, author: Person, value: string): Promise<void> {
    await this.#call('POST', `rooms/${chat}/messages/${id}/press`, { author, value })
  }

  async change(chat: string, author: Person): Promise<void> {
    await this.#call('PATCH', `rooms/${chat}`, { title: 'Renamed', author })
  }

  async thread(chat: string, people: readonly Person[]): Promise<{ chat: string; thread: string }> {
    const [person = this.bot] = people
    return { chat, thread: await this.say(chat, person, 'the root of a thread') }
  }

  async seen(chat: string, viewer?: Person): Promise<readonly Seen[]> {
    const views = await this.#views(chat)
    const notes = this.#whispers.filter(
      (note) => note.chat === chat && (viewer === undefined || note.seen.onlyFor === viewer.id),
    )
    return [...views.filter(({ deleted }) => !deleted).map(seenOf), ...notes.map(({ seen }) => seen)]
  }

  async close(): Promise<void> {
    this.#streams.abort()
    this.clock.close()
  }

  async #views(chat: string): Promise<View[]> {
    const { messages } = await this.#call('GET', `rooms/${chat}/messages?limit=200`)
    return messages as View[]
  }

  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const raw = body instanceof Uint8Array
    const request = new Request(`http://127.0.0.1:3000/api/local/${path}`, {
      method,
      ...(body !== undefined && { body: raw ? new Uint8Array(body) : JSON.stringify(body) }),
      headers: { 'content-type': raw ? 'application/octet-stream' : 'application/json' },
    })
    const response = await this.#connection?.serve?.(request, path.split('?')[0] ?? '')
    const answer = (await response?.json()) as Record<string, unknown>
    // 503 with an id: it stands in the room, and the core gets it later.
    if (response?.ok === true || answer.id !== undefined) return answer
    throw new Error(`${method} ${path}: ${response?.status} ${JSON.stringify(answer)}`)
  }

  async #listen(person: Person): Promise<void> {
    const request = new Request(`http://127.0.0.1:3000/api/local/events?as=${person.id}`, {
      signal: this.#streams.signal,
    })
    const response = await this.#connection?.serve?.(request, 'events')
    const decoder = new TextDecoder()
    for await (const chunk of response?.body ?? []) {
      for (const [, data = ''] of decoder.decode(chunk).matchAll(/event: whisper\ndata: (.*)/g)) {
        const { room, to, text } = JSON.parse(data) as { room: string; to: string; text: string }
        const nobody = { ...seenOf(EMPTY), author: { id: this.bot.id, name: this.bot.name, bot: true } }
        this.#whispers.push({
          chat: room,
          seen: { ...nobody, text: visible(text).text, raw: text, onlyFor: to },
        })
      }
    }
  }
}

const EMPTY: View = {
  id: '',
  author: { id: '', name: '', kind: 'self' },
  text: '',
  mentions: [],
  deleted: false,
  silent: true,
  reactions: [],
  buttons: [],
  files: [],
}

function seenOf(view: View): Seen {
  const { text, links } = visible(view.text)
  return {
    id: view.id,
    author: { id: view.author.id, name: view.author.name, bot: view.author.kind !== 'person' },
    text,
    raw: view.text,
    ...(view.replyTo !== undefined && { replyTo: view.replyTo.id }),
    ...(view.thread !== undefined && { thread: view.thread }),
    pings: view.mentions.map(({ id }) => id),
    links,
    buttons: view.buttons.map(({ label, value }) => ({ label, value })),
    reactions: view.reactions.flatMap(({ emoji, people }) => people.map(({ id }) => ({ emoji, by: id }))),
    files: view.files.map(({ name, bytes }) => ({ name, bytes })),
    silent: view.silent,
    edited: view.edited !== undefined,
  }
}

/** The rooms show Markdown. */
function visible(markdown: string): { text: string; links: { text: string; url: string }[] } {
  const doc = parseDoc(markdown)
  const links: { text: string; url: string }[] = []
  const walk = (node: Doc | Doc['children'][number]): void => {
    if (node.type === 'link')
      links.push({ text: plainText({ type: 'root', children: [node] }), url: node.url })
    if (node.type === 'image') links.push({ text: node.alt ?? '', url: node.url })
    if ('children' in node) for (const child of node.children) walk(child)
  }
  walk(doc)
  return { text: plainText(doc), links }
}

const subject: Subject = {
  platform: local as Platform<never, never> as Platform,
  ways: ['inside'],
  open: async () => new LocalWorld(),
  samples: samplesOf('local'),
  self: { id: '@golem', name: 'Golem' },
  shows: {
    drawn: /^[•>|—]$/u,
    boxes: { done: ['☑'], open: ['☐'] },
    rules: ['———'],
    image: (alt) => ({ text: alt, link: true }),
    linkable: () => true,
    unlinked: (label) => label,
    repeatsHeader: false,
  },
  size: ({ body }) => (body as { text: string }).text.length,
  hostile: ['@Golem', '[@Ann](mention:u1)', '<@u1>'],
  silent: true,
  refusals: [
    {
      name: 'a room that is not there',
      failure: { kind: 'gone', what: 'chat' },
      op: ({ part }) => ({ kind: 'post', place: { chat: 'nowhere' }, part }),
    },
    {
      name: 'a thread that is not there',
      failure: { kind: 'gone', what: 'target' },
      op: ({ chat, part }) => ({ kind: 'post', place: { chat, thread: '99999' }, part }),
    },
    ...refusedChanges('99999'),
    {
      name: 'a text that is too long',
      failure: { kind: 'invalid', field: 'length' },
      op: ({ chat, part }) => ({
        kind: 'post',
        place: { chat },
        part: { ...part, body: { text: 'x'.repeat(8_001), mentions: [] } },
      }),
    },
    {
      name: 'a body that is none',
      failure: { kind: 'invalid', field: 'other' },
      op: ({ chat }) => ({ kind: 'post', place: { chat }, part: { text: '', body: null, mentions: [] } }),
    },
    {
      name: 'a file that is not there',
      failure: { kind: 'invalid', field: 'file' },
      op: ({ chat }) => ({ kind: 'upload', place: { chat }, path: '/nowhere/at/all.txt', name: 'all.txt' }),
    },
  ],
  throttles: [],
}

export default subject
