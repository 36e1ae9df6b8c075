import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileForm } from '../../memory/key.js'
import { EngineError } from '../../messaging/engine.js'
import type { RoomSettings } from '../../messaging/roster.js'

/**
 * The folder a turn works in: the room's, where it has one, else one of the data folder's own for each conversation.
 *
 * @param needed it must exist: something works in it, or files are put there
 * @throws EngineError `folder` when the room's is missing: it may hold somebody's work, so it is never made anew
 */
export async function workingFolder(
  settings: Pick<RoomSettings, 'workingFolder'>,
  conversation: string,
  dataDir: string,
  needed = true,
): Promise<string> {
  const { workingFolder: pinned } = settings
  if (pinned !== null) {
    const found = await stat(pinned).catch(() => null)
    if (found?.isDirectory() === true) return pinned
    const what = found === null ? 'is missing: create it again' : 'is no folder: put a folder there'
    throw new EngineError(
      'folder',
      `The working folder ${pinned} ${what}, or change workingFolder for this room.`,
    )
  }
  const own = join(dataDir, 'work', fileForm(conversation))
  if (!needed) return own
  try {
    await mkdir(own, { recursive: true })
  } catch (cause) {
    throw new EngineError(
      'folder',
      `The working folder ${own} could not be made: give the user that runs Golem write access to ${dataDir} and free some space on its disk.`,
      { cause },
    )
  }
  return own
}
