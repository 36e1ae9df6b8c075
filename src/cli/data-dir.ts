/**
 * Where the data folder is, and nothing else of golem.yaml: `why`, `status` and `queue` are asked just when something
 * else in the file is wrong, or from a shell that has none of the daemon's variables.
 */
import { dirname, resolve } from 'node:path'
import { parseDocument } from 'yaml'
import { expand, maskReferences, unmaskReferences } from '../config/env.js'
import { readSource, wrong } from '../config/source.js'

const DEFAULT = '.golem'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Absolute.
 *
 * @throws {ConfigError} no readable file, or a dataDir that cannot be known from here
 */
export function dataDirOf(configFile: string, env: Environment): string {
  return folderOf(configFile, env, 'dataDir', DEFAULT).path
}

/** A folder that golem.yaml names, or its default; absolute. @throws {ConfigError} as above */
export function folderOf(
  configFile: string,
  env: Environment,
  key: 'dataDir' | 'skillsDir',
  otherwise: string,
): { path: string; configured: boolean } {
  const document = parseDocument(maskReferences(readSource(configFile)), { logLevel: 'silent' })
  const written: unknown = document.get(key)
  const folder = dirname(resolve(configFile))
  if (written === undefined || written === null)
    return { path: resolve(folder, otherwise), configured: false }
  if (typeof written !== 'string' || written === '')
    throw wrong(configFile, `${key} must be the path of a folder.`)
  const { text, bad } = expand(unmaskReferences(written), env)
  const [first] = bad
  if (first !== undefined) throw wrong(configFile, `${key}: ${first.message}`)
  const home = env.HOME ?? env.USERPROFILE
  const path =
    home !== undefined && /^~(?:\/|$)/.test(text) ? resolve(home, text.slice(2)) : resolve(folder, text)
  return { path, configured: true }
}
