import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const DAY = 24 * 60 * 60_000
/** Files of turns in the data folder are kept this long: far beyond the last try to send one. */
export const FILES_KEPT = 30 * DAY
/** How often old files are looked for. */
export const PRUNE_EVERY = DAY

/**
 * Removes what turns of long ago received and sent, from the data folder: `outgoing/<turn>` and `work/<conversation>/files/<turn>`.
 * What agents wrote there themselves stays, and so does everything in a room's own working folder.
 *
 * @returns how many turns' folders were removed
 */
export async function pruneFiles(dataDir: string, now: number): Promise<number> {
  const work = join(dataDir, 'work')
  const folders = (await names(work)).map((conversation) => join(work, conversation, 'files'))
  let removed = 0
  for (const folder of [join(dataDir, 'outgoing'), ...folders]) {
    for (const turn of await names(folder)) {
      const path = join(folder, turn)
      if (!/^\d+$/.test(turn) || !(await isOlder(path, now - FILES_KEPT))) continue
      await rm(path, { recursive: true, force: true })
      removed += 1
    }
  }
  return removed
}

async function names(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

async function isOlder(path: string, than: number): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found !== null && found.mtimeMs < than
}
