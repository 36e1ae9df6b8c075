import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Clock, Logger } from '../messaging/ambient.js'
import type { Language } from '../messaging/roster.js'
import { archived, type Condensed, condense, FILE_CHARACTERS } from './condense.js'
import { type Disk, READ_BYTES } from './disk.js'
import { emptyDocument, parseDocument, withHeading } from './document.js'
import { asMemoryError, MemoryError } from './error.js'
import { fileForm } from './key.js'
import { dayOf } from './line.js'
import { merge, union } from './merge.js'
import { type Snapshot, Swap } from './swap.js'

/** Rounds of read, change and swap before the file counts as busy. */
const ROUNDS = 12
const DAMAGE_DELAY = 50

export interface VaultOptions {
  /** Absolute folder of the files. */
  folder: string
  language: Language
  clock: Pick<Clock, 'now'>
  log: Pick<Logger, 'warn' | 'info'>
  disk: Disk
  /** Milliseconds a file may look damaged before it is taken to be so. */
  damageDelay?: number
}

export interface Changed {
  changed: boolean
  path: string
  /** What the summary step did, where the file was full. */
  note?: string
}

interface Loaded {
  text: string
  snapshot: Snapshot | null
  keptAside?: string
}

/**
 * The files of all chats as texts: read whole, changed by pure functions, one change at a time per file. It knows
 * damage, conflicts, bounds and what a stopped process left; it knows nothing of members or decisions.
 */
export class Vault {
  private readonly folder: string
  private readonly swap: Swap
  /** The last piece of work on each file that is at work; an idle file has no entry. */
  private readonly busy = new Map<string, Promise<unknown>>()
  private ready: Promise<void> | null = null
  /** Chats that got another key in this process's life: a turn that began before still asks by the old one. */
  private readonly moved = new Map<string, string>()

  constructor(private readonly options: VaultOptions) {
    this.folder = options.folder
    this.swap = new Swap(options.disk, options.folder)
  }

  /** Files that are being read or changed now; 0 when idle. */
  get atWork(): number {
    return this.busy.size
  }

  pathOf(chatKey: string): string {
    return join(this.folder, `${fileForm(this.keyNow(chatKey))}.md`)
  }

  private keyNow(chatKey: string): string {
    return this.moved.get(chatKey) ?? chatKey
  }

  /** The file's text, or the empty form where there is none. A damaged file is set aside. */
  async read(asked: string): Promise<{ text: string; exists: boolean; keptAside?: string }> {
    const chatKey = this.keyNow(asked)
    const form = fileForm(chatKey)
    return this.alone(form, async () => {
      const { text, snapshot, keptAside } = await this.load(form, chatKey)
      const found = { text, exists: snapshot !== null }
      return keptAside === undefined ? found : { ...found, keptAside }
    })
  }

  /** Reads, edits and swaps until nobody came between. `edit` is pure and is asked again for each new text. */
  async change(asked: string, edit: (text: string) => string): Promise<Changed> {
    const chatKey = this.keyNow(asked)
    const form = fileForm(chatKey)
    const path = this.pathOf(chatKey)
    return this.alone(form, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { text, snapshot } = await this.load(form, chatKey)
        const edited = edit(text)
        if (edited === text) return { changed: false, path }
        const { text: next, note } = await this.bounded(form, text, this.headed(form, chatKey, edited))
        if (await this.store(form, chatKey, snapshot, next)) {
          return note === undefined ? { changed: true, path } : { changed: true, path, note }
        }
      }
      throw new MemoryError(
        'busy',
        `Group memory ${path} changes all the time: stop the program that keeps saving it, then say it again.`,
      )
    })
  }

  /**
   * The chat goes on under another key: its file is written anew under it, with what stands there already, and the old one
   * is kept aside. Stopped in between, it is done again. Says whether there was something to move.
   */
  async move(from: string, to: string): Promise<boolean> {
    this.moved.delete(to)
    for (const [key, now] of this.moved) if (now === from) this.moved.set(key, to)
    this.moved.set(from, to)
    const form = fileForm(from)
    const name = `${form}.md`
    return this.alone(form, async () => {
      const { text, snapshot } = await this.load(form, from)
      if (snapshot === null) return false
      await this.takeIn(to, text)
      const aside = await this.swap.setAside(name, this.movedNames(form))
      // Saved by somebody while it was being taken over.
      const late = await this.swap.read(aside)
      const saved = late && late.hash !== snapshot.hash ? decode(late.bytes) : null
      if (saved !== null) await this.takeIn(to, saved)
      this.options.log.info({ memory: form, to: fileForm(to), aside }, 'group memory moved with its chat')
      return true
    })
  }

  private async takeIn(chatKey: string, text: string): Promise<void> {
    const form = fileForm(chatKey)
    const own = withHeading(text, form)
    const empty = emptyDocument(form, this.options.language)
    await this.change(chatKey, (present) => (present === empty ? own : union(present, own)))
  }

  private *movedNames(form: string): Generator<string> {
    yield `${form}.moved.md`
    for (let count = 2; ; count++) yield `${form}.moved-${count}.md`
  }

  /** An edit may take the heading away or change it (an agent's copy); the file stays this chat's. */
  private headed(form: string, chatKey: string, text: string): string {
    return withHeading(
      text.replaceAll('\0', ''),
      form,
      (key) => key === form || key === chatKey.normalize('NFC'),
    )
  }

  /** One swap. False: somebody was faster, read again. */
  private async store(
    form: string,
    chatKey: string,
    snapshot: Snapshot | null,
    text: string,
  ): Promise<boolean> {
    await this.options.disk.makeFolder(this.folder)
    const swapped = await this.swap.replace(`${form}.md`, snapshot, Buffer.from(text))
    if (swapped.state !== 'late') return swapped.state === 'done'
    const base = swapped.foreign ? null : decode(snapshot?.bytes ?? new Uint8Array())
    const edit = decode(swapped.bytes)
    for (let round = 0; edit !== null && round < ROUNDS; round++) {
      const now = await this.load(form, chatKey)
      const merged = base === null ? union(now.text, edit) : merge(base, now.text, edit)
      if (merged === now.text || (await this.tryReplace(form, now.snapshot, merged))) {
        await this.swap.release(swapped.taken)
        return false
      }
    }
    await this.keepAside(form, swapped.taken)
    return false
  }

  private async tryReplace(form: string, snapshot: Snapshot | null, text: string): Promise<boolean> {
    return (await this.swap.replace(`${form}.md`, snapshot, Buffer.from(text))).state === 'done'
  }

  private async keepAside(form: string, name: string): Promise<string> {
    const keptAside = join(this.folder, await this.swap.setAside(name, this.asideNames(form)))
    this.options.log.warn(
      { memory: form, keptAside },
      'a group memory file was damaged: it is kept aside and a new one is begun; take over by hand what can be saved of it',
    )
    return keptAside
  }

  private async load(form: string, chatKey: string): Promise<Loaded> {
    await this.recovered()
    const name = `${form}.md`
    const path = join(this.folder, name)
    const snapshot = await this.swap.read(name)
    const text = snapshot && decode(snapshot.bytes)
    const heading = `# Group: ${form}`
    // Bytes that are no text, nothing at all, or the beginning of our own first line: a write that was cut off.
    if (snapshot && (text === null || isTorn(text, heading))) {
      // An editor that saves in place looks like this for an instant.
      await setTimeout(this.options.damageDelay ?? DAMAGE_DELAY)
      if ((await this.swap.read(name))?.hash !== snapshot.hash) return this.load(form, chatKey)
      const keptAside = await this.keepAside(form, name)
      return { text: emptyDocument(form, this.options.language), snapshot: null, keptAside }
    }
    if (text === null) return { text: emptyDocument(form, this.options.language), snapshot: null }
    const { key } = parseDocument(text)
    if (key !== null && key !== form && key !== chatKey.normalize('NFC')) {
      throw new MemoryError(
        'wrong-key',
        `Group memory ${path} says it belongs to ${JSON.stringify(key.slice(0, 80))}, not to ${form}; it is neither used nor changed: correct its first line to "${heading}" or move it away.`,
      )
    }
    return { text, snapshot }
  }

  private *asideNames(form: string): Generator<string> {
    const time = new Date(this.options.clock.now()).toISOString().replace(/[-:]|\.\d+/g, '')
    yield `${form}.damaged-${time}.md`
    for (let count = 2; ; count++) yield `${form}.damaged-${time}-${count}.md`
  }

  /** The text within the bound; what had to leave is in the archive before this resolves. */
  private async bounded(
    form: string,
    before: string,
    text: string,
  ): Promise<{ text: string; note?: string }> {
    // A person's own long file may be changed as long as it does not grow.
    if (text.length <= Math.max(FILE_CHARACTERS, before.length)) return { text }
    const archive = await this.archiveFor(form, Buffer.byteLength(text))
    const condensed = condense(text, archive)
    if (condensed === null) {
      throw new MemoryError(
        'full',
        `Group memory ${join(this.folder, `${form}.md`)} is full (${FILE_CHARACTERS} characters) and its lists are too short to be summarised: shorten it by hand.`,
      )
    }
    await this.archive(form, archive, condensed.moved)
    const count = condensed.moved.reduce((sum, item) => sum + item.lines.length, 0)
    const note = `Group memory was full: ${count} older lines moved to ${archive} in full, an extract of them stands in their place.`
    this.options.log.info({ memory: form, archive, lines: count }, 'group memory was summarised')
    return { text: condensed.text, note }
  }

  /** The first archive that can be read and has room for all that could leave a file. */
  private async archiveFor(form: string, room: number): Promise<string> {
    for (let count = 1; ; count++) {
      const name = `${form}.archive${count === 1 ? '' : `-${count}`}.md`
      try {
        const archive = await this.swap.read(name)
        if (!archive || (decode(archive.bytes) !== null && archive.bytes.length + room <= READ_BYTES))
          return name
      } catch (error) {
        if (!(error instanceof MemoryError)) throw error
      }
    }
  }

  private async archive(form: string, name: string, moved: Condensed['moved']): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const snapshot = await this.swap.read(name)
      const text = archived(
        decode(snapshot?.bytes ?? new Uint8Array()) ?? '',
        form,
        dayOf(this.options.clock.now()),
        moved,
      )
      if ((await this.swap.replace(name, snapshot, Buffer.from(text))).state === 'done') return
    }
    throw new MemoryError(
      'busy',
      `Group memory archive ${join(this.folder, name)} changes all the time: try again later.`,
    )
  }

  /** Once in a process: what an earlier one left in the middle of a swap. */
  private recovered(): Promise<void> {
    this.ready ??= this.swap
      .recover(async (name, bytes, taken) => {
        const form = name.replace(/\.md$/, '')
        const edit = decode(bytes)
        for (let round = 0; edit !== null && round < ROUNDS; round++) {
          const now = await this.swap.read(name)
          const text = now && decode(now.bytes)
          const merged = text === null ? edit : union(text, edit)
          if (merged === text || (await this.tryReplace(form, now, merged))) return
        }
        await this.keepAside(form, taken)
      })
      .catch((error: unknown) => {
        // Tried again by the next call: the folder may be unreadable only for now.
        this.ready = null
        throw error
      })
    return this.ready
  }

  /** One at a time per file, in the order of the calls. */
  private async alone<T>(form: string, work: () => Promise<T>): Promise<T> {
    const before = this.busy.get(form) ?? Promise.resolve()
    const run = before.then(work, work)
    const settled = run.catch(() => undefined)
    this.busy.set(form, settled)
    try {
      return await run
    } catch (error) {
      throw asMemoryError(error, join(this.folder, `${form}.md`))
    } finally {
      if (this.busy.get(form) === settled) this.busy.delete(form)
    }
  }
}

/** The text of a file; null where it is no text (not UTF-8, zero bytes of a torn write, or nothing at all). */
export function decode(bytes: Uint8Array): string | null {
  if (bytes.length === 0 || bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The beginning of our own first line and no more. */
function isTorn(text: string, heading: string): boolean {
  const begun = text.trim()
  return begun !== '' && begun !== heading && heading.startsWith(begun)
}
