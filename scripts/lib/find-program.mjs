import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * The path of a program on PATH, or undefined.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined}
 */
export function findProgram(name, env = process.env) {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder !== '' && isProgram(join(folder, name))) return join(folder, name)
  }
  return undefined
}

/**
 * @param {string} path
 * @returns {boolean} whether it is a file that may be executed
 */
export function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
