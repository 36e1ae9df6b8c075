/** Which values of golem.yaml must never be shown. */
import type { Path } from './errors.js'

/** Keys whose values people see anyway: names, ids, places and choices. */
const OPEN_KEYS = new Set([
  ...['name', 'title', 'id', 'role', 'aliases', 'users', 'chats', 'language', 'engine', 'effects'],
  ...['model', 'models', 'fallback', 'effort'],
  ...['host', 'port', 'dataDir', 'memoryDir', 'skillsDir', 'turnLimit', 'outputLimit', 'agentConcurrency'],
])
/** Sections that hold nothing else: what they say is shown to people or agents. */
const OPEN_SECTIONS = new Set(['groupChat', 'rooms'])
const SECRET_KEY = /token|secret|password|passphrase|apikey|privatekey|signingkey/i

/** Whether a value that came from the environment and now stands at `path` is a secret. Unknown keys are taken for one. */
export function secretFromEnvironment(path: Path): boolean {
  const [section] = path
  if (path.includes('env')) return true
  if (typeof section === 'string' && OPEN_SECTIONS.has(section)) return false
  // Of a list (`aliases`), the key is that of the list.
  const key = path.findLast((step) => typeof step === 'string' && !/^\d+$/.test(step))
  return typeof key !== 'string' || !OPEN_KEYS.has(key)
}

/** Whether a value written into the file itself is a secret, by the name of its key. */
export function secretByName(path: Path): boolean {
  // What headers carry is a key more often than not, whatever they are called.
  return path.includes('headers') || path.some((step) => typeof step === 'string' && SECRET_KEY.test(step))
}
