/**
 * What was said while nobody listened. Slack delivers an event again for some minutes, not for the hours of a longer
 * absence. So the last message heard in each chat and thread is written down, and after an absence what stands behind it
 * is read and handed to the core as if it had just come; what it knows already it knows by the message's own id.
 *
 * Bounded: the chats and threads of the last days, the newest first, a page of each a second. New threads that began
 * under older messages while away are not found: Slack's history leaves out answers.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Host, Place } from '../../src/messaging/contract.js'
import { CallFailed } from './failures.js'
import type { SlackRaw } from './raw.js'
import { read } from './read.js'
import { type Archive, messagesOf, order } from './read-back.js'
import { type Fields, fields, millisOf, nativeId, timestamp } from './shape.js'

/** Chats and threads that are remembered; the longest silent is forgotten first. */
const MOST = 500
/** Chats quiet for longer than this are not looked through. */
const RECENT = 14 * 24 * 60 * 60_000
/** What is older than this is no longer answered. */
const WORTH_ANSWERING = 24 * 60 * 60_000
const PACE = 1_200
const SAVE_AFTER = 2_000

export class CatchUp {
  /** `C1` or `C1:thread` -> the newest message heard there. */
  readonly #heard = new Map<string, string>()
  /** Where hearing ended: what stands behind it is to be read. */
  #missed = new Map<string, string>()
  #running = false
  #closed = false
  #dirty = false
  #cancelSave: (() => void) | null = null
  #saving: Promise<void> = Promise.resolve()
  #wake: () => void = () => undefined

  constructor(
    private readonly archive: Archive,
    private readonly host: Host,
    private readonly file: string,
  ) {}

  /** A live event was accepted. */
  heard(event: Fields): void {
    if (event.type !== 'message' && event.type !== 'app_mention') return
    const channel = nativeId(event.channel)
    const ts = timestamp(event.ts)
    if (channel === undefined || ts === undefined || event.hidden === true) return
    const thread = timestamp(event.thread_ts)
    this.#note(thread === undefined || thread === ts ? channel : `${channel}:${thread}`, ts)
  }

  /** Hearing is about to begin, or has just ended. Called before the first event that may come behind a gap. */
  deaf(): void {
    for (const [key, ts] of this.#heard) if (!this.#missed.has(key)) this.#missed.set(key, ts)
  }

  /** Reads what was missed since {@link deaf}. Never rejects. */
  async run(): Promise<void> {
    const { clock } = this.host
    if (this.#running) return
    this.#running = true
    const marks = [...this.#missed].sort(([, a], [, b]) => order(b, a))
    for (const [key, ts] of marks) {
      if (this.#closed || clock.now() - millisOf(ts) > RECENT) break
      const more = await this.#readOne(key, ts).catch((error: unknown) => this.#troubled(key, error))
      if (more === 'stop') break
      this.#missed.delete(key)
      await this.#sleep(PACE)
    }
    this.#running = false
  }

  close(): void {
    this.#closed = true
    this.#cancelSave?.()
    this.#wake()
  }

  async save(): Promise<void> {
    if (this.#dirty) this.#saving = this.#saving.then(() => this.#write())
    await this.#saving
  }

  async #readOne(key: string, ts: string): Promise<void> {
    const { clock } = this.host
    const place = placeOf(key)
    const oldest = `${Math.floor((clock.now() - WORTH_ANSWERING) / 1_000)}.000000`
    const after = order(ts, oldest) > 0 ? ts : oldest
    const { messages } = await messagesOf(this.archive.web, place, { after })
    for (const message of messages) {
      if (this.#closed) return
      await this.#offer(place, message)
    }
  }

  /** As if it had just come, but for the bot's own posts: those are no news. */
  async #offer(place: Place, message: Fields): Promise<void> {
    const { self, bot, directory } = this.archive
    const event = { ...message, type: 'message', channel: place.chat }
    const names = await directory.names(event)
    const raw: SlackRaw = {
      body: { type: 'event_callback', event },
      names,
      ...(bot !== undefined && { bot }),
    }
    await this.host.accept(read(raw, self))
    this.heard(event)
  }

  #troubled(key: string, error: unknown): 'stop' | undefined {
    const code = error instanceof CallFailed ? error.code : 'not stored'
    if (code === 'channel_not_found' || code === 'not_in_channel' || code === 'thread_not_found') {
      this.#heard.delete(key)
      this.#dirty = true
      return undefined
    }
    this.host.log.debug({ code }, 'what was missed in a chat could not be read')
    return code === 'missing_scope' || code === 'rate_limited' || code === 'not stored' ? 'stop' : undefined
  }

  #note(key: string, ts: string): void {
    const before = this.#heard.get(key)
    if (before !== undefined && order(before, ts) >= 0) return
    this.#heard.delete(key)
    this.#heard.set(key, ts)
    if (this.#heard.size > MOST) {
      const oldest = this.#heard.keys().next().value
      if (oldest !== undefined) this.#heard.delete(oldest)
    }
    this.#dirty = true
    if (this.#cancelSave !== null || this.#closed) return
    const { clock } = this.host
    this.#cancelSave = clock.at(clock.now() + SAVE_AFTER, () => {
      this.#cancelSave = null
      void this.save()
    })
  }

  /** Where an earlier life of this process ended. */
  async load(): Promise<void> {
    const written = await readFile(this.file, 'utf8').catch(() => '{}')
    let known: Fields = {}
    try {
      known = fields(JSON.parse(written))
    } catch {
      // Half written, by hand or by a full disk: begin anew.
    }
    for (const [key, value] of Object.entries(known)) {
      const ts = timestamp(value)
      if (ts !== undefined && /^[A-Z0-9]+(?::\d+\.\d+)?$/.test(key)) this.#heard.set(key, ts)
    }
    this.deaf()
  }

  /** Losing the newest lines costs a few messages read twice, so nothing is synced. */
  async #write(): Promise<void> {
    this.#dirty = false
    try {
      await mkdir(dirname(this.file), { recursive: true, mode: 0o700 })
      const handle = await open(`${this.file}.new`, 'w', 0o600)
      await handle.writeFile(JSON.stringify(Object.fromEntries(this.#heard))).finally(() => handle.close())
      await rename(`${this.file}.new`, this.file)
    } catch (error) {
      this.host.log.warn({ error: String(error) }, 'what was heard last could not be written down')
    }
  }

  #sleep(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve()
    const { clock } = this.host
    return new Promise((resolve) => {
      const cancel = clock.at(clock.now() + ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

function placeOf(key: string): Place {
  const [chat = '', thread] = key.split(':')
  return thread === undefined ? { chat } : { chat, thread }
}
