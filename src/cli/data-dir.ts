/**
 * Where the data folder is, and nothing else of golem.yaml: `why`, `status` and `queue` are asked just when something
 * else in the file is wrong, or from a shell that has none of the daemon's variables.
 */
import { dirname, resolve } from 'node:path'
import { parseDocument } from 'yaml'
import { expand, maskReferences, unmaskReferences } from '../config/env.js'
import { readSource, wrong } from '../config/source.js'

const DEFAULT = '.golem'

/**
 * Absolute.
 *
 * @throws {ConfigError} no readable file, or a dataDir that cannot be known from here
 */
export function dataDirOf(configFile: string, env: Readonly<Record<string, string | undefined>>): string {
  const document = parseDocument(maskReferences(readSource(configFile)), { logLevel: 'silent' })
  const written: unknown = document.get('dataDir')
  const folder = dirname(resolve(configFile))
  if (written === undefined || written === null) return resolve(folder, DEFAULT)
  if (typeof written !== 'string' || written === '')
    throw wrong(configFile, 'dataDir must be the path of a folder.')
  const { text, bad } = expand(unmaskReferences(written), env)
  const [first] = bad
  if (first !== undefined) throw wrong(configFile, `dataDir: ${first.message}`)
  const home = env.HOME ?? env.USERPROFILE
  return home !== undefined && /^~(?:\/|$)/.test(text) ? resolve(home, text.slice(2)) : resolve(folder, text)
}
