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

/** Keys whose values people see anyway: names, places and choices. Everything else from the environment is secret. */
const OPEN_KEYS = new Set([
  'name',
  'language',
  'role',
  'aliases',
  'engine',
  'host',
  'port',
  'members',
  'defaultResponder',
  'description',
  'workingFolder',
  'dataDir',
  'memoryDir',
  'skillsDir',
])
const OPEN_SECTIONS = new Set(['groupChat'])
const SECRET_KEY = /token|secret|password|passphrase|apikey|privatekey|signingkey/i

/** Whether a value that came from the environment and now stands at `path` is a secret. */
export function secretFromEnvironment(path: Path): boolean {
  const [section] = path
  if (section === 'channels') return true
  if (typeof section === 'string' && OPEN_SECTIONS.has(section)) return false
  if (path.includes('env')) return true
  return !path.some((step) => typeof step === 'string' && OPEN_KEYS.has(step))
}

/** Whether a value written into the file itself is a secret, by the name of its key. */
export function secretByName(path: Path): boolean {
  return path.some((step) => typeof step === 'string' && SECRET_KEY.test(step))
}
