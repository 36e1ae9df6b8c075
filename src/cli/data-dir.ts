/**
 * Where the data folder and the memory files are, and nothing else of golem.yaml: `why`, `status`, `queue` and `memory` are
 * asked just when something else in the file is wrong, or from a shell that has none of the daemon's variables.
 */
import { dirname, resolve } from 'node:path'
import { type Document, parseDocument } from 'yaml'
import { expand, maskReferences, unmaskReferences } from '../config/env.js'
import { readSource, wrong } from '../config/source.js'

const DEFAULT = '.golem'
const MEMORY = 'memory'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Absolute.
 *
 * @throws {ConfigError} no readable file, or a dataDir that cannot be known from here
 */
export function dataDirOf(configFile: string, env: Env): string {
  return folderAt(read(configFile), 'dataDir', DEFAULT, configFile, env)
}

/** The same for the folder of the memory files, and the language of their headings. */
export function foldersOf(configFile: string, env: Env): { memoryDir: string; language: 'en' | 'zh' } {
  const document = read(configFile)
  return {
    memoryDir: folderAt(document, 'memoryDir', MEMORY, configFile, env),
    language: document.get('language') === 'zh' ? 'zh' : 'en',
  }
}

/** The same for the folder of the skills. `configured`: golem.yaml names it. */
export function skillsDirOf(configFile: string, env: Env): { path: string; configured: boolean } {
  const document = read(configFile)
  return {
    path: folderAt(document, 'skillsDir', 'skills', configFile, env),
    configured: document.get('skillsDir') != null,
  }
}

function read(configFile: string): Document {
  return parseDocument(maskReferences(readSource(configFile)), { logLevel: 'silent' })
}

function folderAt(document: Document, key: string, usual: string, configFile: string, env: Env): string {
  const written: unknown = document.get(key)
  const folder = dirname(resolve(configFile))
  if (written === undefined || written === null) return resolve(folder, usual)
  if (typeof written !== 'string' || written === '')
    throw wrong(configFile, `${key} must be the path of a folder.`)
  const { text, bad } = expand(unmaskReferences(written), env)
  const [first] = bad
  if (first !== undefined) throw wrong(configFile, `${key}: ${first.message}`)
  const home = env.HOME ?? env.USERPROFILE
  return home !== undefined && /^~(?:\/|$)/.test(text) ? resolve(home, text.slice(2)) : resolve(folder, text)
}
