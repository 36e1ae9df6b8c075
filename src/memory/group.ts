import { join } from 'node:path'
import type { Clock, Logger } from '../messaging/ambient.js'
import type { Language } from '../messaging/roster.js'
import { checkFolder } from './check.js'
import { type Disk, NEW_MODE, nodeDisk } from './disk.js'
import {
  addEntry,
  entriesOf,
  findEntries,
  parseDocument,
  removeEntries,
  replaceEntry,
  type SectionName,
  sectionOf,
  TITLES,
} from './document.js'
import { asMemoryError, MemoryError } from './error.js'
import { fileForm } from './key.js'
import { cleanLine, cleanName, dated, isAbout, sameness } from './line.js'
import { merge } from './merge.js'
import { Recent } from './recent.js'
import { hashOf } from './swap.js'
import { type Changed, decode, Vault } from './vault.js'

/** Members that the gateway adds by itself; people and agents may add more. */
export const KNOWN_MEMBERS = 200
/** (chat, name) pairs known to be written, so that a busy chat does not read its file for each message. */
const NOTED = 5_000

/** A chat's memory as it is now. */
export interface Memory {
  /** Absolute path of the file, also where it does not exist yet. */
  path: string
  /** The whole file; the empty form with its sections where there is none. */
  text: string
  /** SHA-256 of `text`, in hex. */
  hash: string
  exists: boolean
  sections: Readonly<Record<SectionName, readonly string[]>>
  /** A damaged file was found and kept under this path. */
  keptAside?: string
}

export interface Remembered {
  /** False: it was there already. */
  changed: boolean
  section: SectionName
  /** The line as it stands in the file. */
  line: string
  path: string
  /** What the summary step did, where the file was full. */
  note?: string
}

export interface Forgotten {
  /** Lines that were removed. */
  removed: readonly string[]
  /** Several lines fit and none was removed: one of them must be named. */
  candidates: readonly string[]
  path: string
}

/** A copy for a command-line agent. `base` is what it was copied from. */
export interface MemoryCopy {
  path: string
  base: string
}

export interface GroupMemoryOptions {
  /** Absolute; the files land in `groups/` below it. */
  memoryDir: string
  /** Titles of new sections. */
  language: Language
  clock: Pick<Clock, 'now'>
  log: Pick<Logger, 'warn' | 'info'>
  /** The file system; tests pass one that stops at a chosen call. */
  disk?: Disk
  /** Milliseconds a file may look damaged (an editor that saves in place) before it is taken to be so; default 50. */
  damageDelay?: number
}

/**
 * The memory files of chats: one Markdown file each, which people edit too.
 *
 * It never overwrites what somebody saved since it read, never shortens a line or a file in silence, never replaces a
 * file it cannot read, and keeps nothing in RAM that grows with the number of chats. Every failure is a
 * {@link MemoryError} that names the file and the cure.
 */
export class GroupMemory {
  private readonly disk: Disk
  private readonly vault: Vault
  private readonly noted = new Set<string>()
  private readonly recent: Recent<Memory>

  constructor(private readonly options: GroupMemoryOptions) {
    this.disk = options.disk ?? nodeDisk
    this.recent = new Recent(this.disk)
    this.vault = new Vault({ ...options, disk: this.disk, folder: join(options.memoryDir, 'groups') })
  }

  /** Files that are being read or changed now; 0 when idle. */
  get atWork(): number {
    return this.vault.atWork
  }

  /**
   * Asked once at the start.
   *
   * @throws {MemoryError} the folder cannot be used
   */
  check(): Promise<void> {
    return checkFolder(join(this.options.memoryDir, 'groups'))
  }

  /** Absolute path of a chat's file. */
  pathOf(chatKey: string): string {
    return this.vault.pathOf(chatKey)
  }

  read(chatKey: string): Promise<Memory> {
    return this.recent.get(this.pathOf(chatKey), () => this.readNow(chatKey))
  }

  private async readNow(chatKey: string): Promise<Memory> {
    const { text, exists, keptAside } = await this.vault.read(chatKey)
    const memory = { path: this.pathOf(chatKey), text, hash: hashOf(text), exists, sections: entriesOf(text) }
    return keptAside === undefined ? memory : { ...memory, keptAside }
  }

  /**
   * Adds one line to a section, dated where it is a decision. What is there already is not said twice.
   *
   * @param section a section's name or its title in either language
   */
  async remember(chatKey: string, section: string, line: string): Promise<Remembered> {
    const name = sectionOf(section)
    if (name === null) {
      const titles = Object.values(TITLES.en).join(', ')
      throw new MemoryError(
        'section',
        `Group memory has no section ${JSON.stringify(section.slice(0, 40))}: use one of ${titles}.`,
      )
    }
    const clean = cleanLine(line)
    const wanted = name === 'decisions' ? dated(clean, this.options.clock.now()) : clean
    let written = wanted
    const result = await this.vault.change(chatKey, (text) => {
      const entries = parseDocument(text).sections.flatMap((item) => (item.name === name ? item.entries : []))
      const known = entries.find((entry) => sameness(entry.text) === sameness(wanted))
      written = known?.text ?? wanted
      if (known) return text
      // A bare name that the gateway noted is completed, not said twice.
      const person = name === 'members' ? /^[^:：]+(?=[:：])/u.exec(wanted)?.[0].trim() : undefined
      const bareName = entries.find((entry) => person && sameness(entry.text) === sameness(person))
      return bareName
        ? replaceEntry(text, bareName, wanted)
        : addEntry(text, name, wanted, this.options.language)
    })
    return { ...result, section: name, line: written }
  }

  /** Removes the line that says this; with several that hold it, none is removed and they are named. */
  async forget(chatKey: string, line: string): Promise<Forgotten> {
    let removed: string[] = []
    let candidates: string[] = []
    const { path } = await this.vault.change(chatKey, (text) => {
      const found = findEntries(text, line)
      const words = new Set(found.map((entry) => sameness(entry.text)))
      removed = words.size === 1 ? found.map((entry) => entry.text) : []
      candidates = words.size > 1 ? found.map((entry) => entry.text) : []
      return removed.length > 0 ? removeEntries(text, found) : text
    })
    return { removed, candidates, path }
  }

  /** Adds a person to Members, once, unless a line there is about them already. Says whether it did. */
  noteMember(chatKey: string, name: string): Promise<boolean> {
    return this.noteMembers(chatKey, [name])
  }

  /** The same for several people, with one write. */
  async noteMembers(chatKey: string, names: readonly string[]): Promise<boolean> {
    const form = fileForm(chatKey)
    const fresh = [...new Set(names.map(cleanName))].filter(
      (name) => name !== '' && !this.noted.has(`${form}\n${name}`),
    )
    if (fresh.length === 0) return false
    const { changed } = await this.vault.change(chatKey, (text) =>
      fresh.reduce((before, name) => {
        const { members } = entriesOf(before)
        if (members.length >= KNOWN_MEMBERS || members.some((entry) => isAbout(entry, name))) return before
        return addEntry(before, 'members', name, this.options.language)
      }, text),
    )
    for (const name of fresh) this.noted.add(`${form}\n${name}`)
    for (const oldest of this.noted) {
      if (this.noted.size <= NOTED) break
      this.noted.delete(oldest)
    }
    return changed
  }

  /**
   * The chat goes on under another key: its memory goes with it, and is merged with what is there. Idempotent.
   *
   * @returns whether there was a file to move
   */
  move(from: string, to: string): Promise<boolean> {
    return this.vault.move(from, to)
  }

  /** Writes a copy into an agent's working folder, whatever stood at its name there. */
  async copyTo(chatKey: string, folder: string): Promise<MemoryCopy> {
    const { text } = await this.read(chatKey)
    const path = join(folder, `${fileForm(chatKey)}.md`)
    try {
      await this.disk.makeFolder(folder)
      // Removed first: a link that an earlier run left here must not be written through.
      await this.disk.remove(path)
      const file = await this.disk.create(path, NEW_MODE)
      try {
        await file.write(Buffer.from(text))
      } finally {
        await file.close()
      }
    } catch (error) {
      throw asMemoryError(error, path)
    }
    return { path, base: text }
  }

  /** Merges what an agent made of its copy. A copy that is gone, empty or unreadable changes nothing. */
  async collect(chatKey: string, copy: MemoryCopy): Promise<Changed> {
    let changed: string | null
    try {
      changed = decode((await this.disk.read(copy.path))?.bytes ?? new Uint8Array())
    } catch (error) {
      throw asMemoryError(error, copy.path)
    }
    if (changed === null)
      this.options.log.warn({ copy: copy.path }, 'agent left no readable copy of group memory')
    return this.mergeBack(chatKey, copy.base, changed ?? copy.base)
  }

  /**
   * Replaces the whole text, if it is still the one with this hash.
   *
   * @throws MemoryError `conflict`: somebody else changed it
   */
  async put(chatKey: string, next: string, hash: string): Promise<Changed> {
    return this.vault.change(chatKey, (text) => {
      if (hashOf(text) === hash) return next
      throw new MemoryError(
        'conflict',
        `Group memory ${this.pathOf(chatKey)} was changed since it was read: read it again.`,
      )
    })
  }

  /** Three-way merge by line of an agent's text into the file as it is now. */
  async mergeBack(chatKey: string, base: string, changed: string): Promise<Changed> {
    return this.vault.change(chatKey, (text) => merge(base, text, changed))
  }
}
