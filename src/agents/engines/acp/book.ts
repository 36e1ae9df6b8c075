/** What is known of the sessions that agents keep: a small file for each agent and conversation. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** A session that nobody has used for so long is not taken up again. */
export const SESSION_DAYS = 30
const DAY = 24 * 60 * 60_000
/** Lines a session may have been shown; then a fresh one begins. */
export const SESSION_LINES = 1_000
/** Answers of a session that are known by their hash. */
const ANSWERS = 100

const record = z.object({
  v: z.literal(1),
  /** The agent's own name of it. */
  session: z.string().min(1),
  /** The context that it belongs to; another one after `/new`. */
  context: z.string(),
  cwd: z.string(),
  /** Identity of the program that made it. */
  program: z.string(),
  /** The last turn ended in order, so the session holds all that is written here. */
  proven: z.boolean(),
  at: z.number(),
  salt: z.string(),
  /** Ids of the lines that it was shown, with a hash of their text and when. */
  lines: z.array(z.tuple([z.string(), z.string(), z.number()])),
  /** Hashes of the lasting parts of the prompt, as last shown, by title. */
  blocks: z.record(z.string(), z.string()),
  /** Hashes of its own answers. */
  answers: z.array(z.string()),
  /** What it has cost so far, as the agent says, in USD. */
  cost: z.number().nonnegative(),
})

export type SessionRecord = z.output<typeof record>

export function freshRecord(
  known: Pick<SessionRecord, 'session' | 'context' | 'cwd' | 'program' | 'at'>,
): SessionRecord {
  const salt = randomBytes(9).toString('base64')
  return { v: 1, ...known, proven: false, salt, lines: [], blocks: {}, answers: [], cost: 0 }
}

/** Tells one text from another without keeping it. */
export function hashOf({ salt }: Pick<SessionRecord, 'salt'>, text: string): string {
  return createHash('sha256').update(salt).update(text.trim()).digest('base64url').slice(0, 16)
}

export function withAnswer(known: SessionRecord, text: string): SessionRecord {
  return { ...known, answers: [...known.answers, hashOf(known, text)].slice(-ANSWERS) }
}

/** One agent's records. A file that cannot be read is none. */
export class SessionBook {
  readonly #folder: string
  readonly #agent: string
  #pruned = false

  /** @param folder made when it is needed */
  constructor(folder: string, agent: string) {
    this.#folder = folder
    this.#agent = agent
  }

  async read(conversation: string): Promise<SessionRecord | null> {
    const text = await readFile(this.#file(conversation), 'utf8').catch(() => null)
    if (text === null) return null
    try {
      return record.parse(JSON.parse(text))
    } catch {
      return null
    }
  }

  /** Durable once it resolves; a reader sees the old record or the new one. @throws Error of the disk */
  async write(conversation: string, known: SessionRecord): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    if (!this.#pruned) await this.#prune(known.at)
    const path = this.#file(conversation)
    const temporary = `${path}.new`
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(JSON.stringify(known))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  }

  async remove(conversation: string): Promise<void> {
    await rm(this.#file(conversation), { force: true })
  }

  #file(conversation: string): string {
    const name = createHash('sha256')
      .update(JSON.stringify([this.#agent, conversation]))
      .digest('hex')
      .slice(0, 40)
    return join(this.#folder, `${name}.json`)
  }

  /** Once a start: nothing piles up of conversations that are over. */
  async #prune(now: number): Promise<void> {
    this.#pruned = true
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      const at = (await stat(path).catch(() => null))?.mtimeMs ?? now
      if (now - at > SESSION_DAYS * DAY) await rm(path, { force: true })
    }
  }
}
