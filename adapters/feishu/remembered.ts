/**
 * What the connection remembers of messages, so that Feishu is not asked again: who wrote what others answer, by which
 * message a topic is written into, and as what the bot's own posts were made. All of it bounded, and all of it can be
 * asked for.
 */
import { type Fields, fields, list, nativeId, text } from './shape.js'

const MOST = 2_000
const MOST_TOPICS = 5_000
/** A long content is asked for again rather than kept. */
const MOST_CONTENT = 2_000

export class Bounded<V> {
  readonly #held = new Map<string, V>()

  constructor(private readonly most: number) {}

  get(key: string): V | undefined {
    return this.#held.get(key)
  }

  set(key: string, value: V): void {
    this.#held.delete(key)
    this.#held.set(key, value)
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= this.most) break
      this.#held.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#held.delete(key)
  }
}

export class Remembered {
  /** Messages in the shape of `im.v1.message.get`. */
  readonly #messages = new Bounded<Fields>(MOST)
  /** A message of each topic: what is written into a topic answers one. */
  readonly #topics = new Bounded<string>(MOST_TOPICS)

  /** A message as `im.v1.message.get`, the history and answers to posts have it. */
  note(item: Fields): void {
    const id = nativeId(item.message_id)
    if (id === undefined) return
    const topic = nativeId(item.thread_id)
    if (topic !== undefined && item.deleted !== true) this.#topics.set(topic, nativeId(item.root_id) ?? id)
    const content = text(fields(item.body).content) ?? ''
    if (content.length > MOST_CONTENT) this.#messages.delete(id)
    else this.#messages.set(id, item)
  }

  /** The `message` of an event. */
  noteEvent(event: Fields): void {
    const message = fields(event.message)
    const sender = fields(event.sender)
    if (nativeId(message.message_id) === undefined) return
    const { message_type: type, content, mentions, ...rest } = message
    this.note({
      ...rest,
      msg_type: type,
      sender: { id: fields(sender.sender_id).open_id, id_type: 'open_id', sender_type: sender.sender_type },
      body: { content },
      mentions: list(mentions).map((one) => {
        const { id, ...mention } = fields(one)
        return { ...mention, id: fields(id).open_id, id_type: 'open_id' }
      }),
    })
  }

  message(id: string): Fields | undefined {
    return this.#messages.get(id)
  }

  /** As what a post of an app was made: `interactive`, `text`, …; undefined where it is not known any more. */
  typeOf(id: string): string | undefined {
    const message = this.#messages.get(id)
    return fields(message?.sender).sender_type === 'app' ? text(message?.msg_type) : undefined
  }

  topic(thread: string): string | undefined {
    return this.#topics.get(thread)
  }

  forgetTopic(thread: string): void {
    this.#topics.delete(thread)
  }

  /** It was withdrawn. */
  forget(id: string): void {
    const topic = nativeId(this.#messages.get(id)?.thread_id)
    if (topic !== undefined && this.#topics.get(topic) === id) this.#topics.delete(topic)
    this.#messages.delete(id)
  }
}
