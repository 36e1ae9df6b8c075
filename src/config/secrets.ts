/** Which texts must never be shown, and how they are taken out of what is shown. */
import type { Path } from './errors.js'

/** Shorter values are no secrets, and blotting them out would spoil every log line. */
const SHORTEST = 6

const BLOT = '[secret]'

/** Replaces every known secret of at least six characters. */
export function redact(text: string, secrets: ReadonlySet<string>): string {
  let redacted = text
  // Longest first: a secret may hold another one.
  for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
    if (secret.length >= SHORTEST) redacted = redacted.replaceAll(secret, BLOT)
  }
  return redacted
}

/** Keys whose values people see anyway: names, ids, places and choices. */
const OPEN_KEYS = new Set([
  ...['name', 'title', 'id', 'role', 'aliases', 'users', 'chats', 'language', 'engine', 'effects'],
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
  return path.some((step) => typeof step === 'string' && SECRET_KEY.test(step))
}
