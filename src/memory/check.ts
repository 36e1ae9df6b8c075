import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { failedWith, MemoryError } from './error.js'

/**
 * Whether files can be made below this folder, which need not exist yet. Asked at the start, because later every chat
 * would hear of it by itself, when something was to be remembered. Writes nothing.
 *
 * @throws {MemoryError} `read-only`, with the folder and the cure
 */
export async function checkFolder(folder: string): Promise<void> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      if (!(await stat(path)).isDirectory()) throw refused(folder, `${path} is a file`)
      await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
      return
    } catch (error) {
      if (error instanceof MemoryError) throw error
      if (failedWith(error, 'ENOENT', 'ENOTDIR') && dirname(path) !== path) continue
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      throw refused(folder, `${path} may not be written (${code})`, error)
    }
  }
}

function refused(folder: string, why: string, cause?: unknown): MemoryError {
  return new MemoryError(
    'read-only',
    `The memory folder ${folder} cannot be used: ${why}. Give the user that runs Golem a folder it may write there, or set memoryDir in golem.yaml to another one.`,
    { cause },
  )
}
