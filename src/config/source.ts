/** Reads golem.yaml as text, and says in one sentence why it cannot. */
import { readFileSync, statSync } from 'node:fs'
import { findStandIn } from './env.js'
import { ConfigError } from './errors.js'

/** A configuration is written by hand; anything larger is another file named by mistake. */
export const MAX_BYTES = 1_048_576
/** Levels of lists and mappings within each other. The parser would run out of stack far beyond. */
const MAX_DEPTH = 64

/** How the file is read; tests pass their own. */
export interface Reader {
  stat(file: string): { isFile(): boolean; isDirectory(): boolean; size: number }
  read(file: string): Uint8Array
}

const disk: Reader = { stat: (file) => statSync(file), read: (file) => readFileSync(file) }

const CURES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist. Copy golem.yaml.example to it, or name another file with --config.',
  ENOTDIR: 'does not exist: a part of its path is no folder. Name another file with --config.',
  EACCES: 'may not be read by this user. Give the user that runs golem the right to read it.',
  EPERM: 'may not be read by this user. Give the user that runs golem the right to read it.',
  ELOOP: 'is a link that leads back to itself. Point it at the real file.',
  ENAMETOOLONG: 'has a name that is too long. Name another file with --config.',
}

/** @throws {ConfigError} when the file is missing, no file, unreadable, too large or no UTF-8 text. */
export function readSource(file: string, reader: Reader = disk): string {
  let bytes: Uint8Array
  try {
    const stat = reader.stat(file)
    if (stat.isDirectory()) throw wrong(file, 'is a folder. Name the golem.yaml inside it.')
    if (!stat.isFile()) throw wrong(file, 'is no ordinary file. Name a golem.yaml.')
    if (stat.size > MAX_BYTES) throw tooLarge(file)
    bytes = reader.read(file)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw wrong(file, CURES[code] ?? `cannot be read (${code}). Check the file and its disk.`)
  }
  if (bytes.length > MAX_BYTES) throw tooLarge(file)
  return decode(file, bytes)
}

/** A problem of the file as a whole. */
export function wrong(file: string, message: string): ConfigError {
  return new ConfigError([{ file, line: 0, column: 0, path: '', message }])
}

function tooLarge(file: string): ConfigError {
  return wrong(file, 'is larger than 1 MiB. Is it the right file? A golem.yaml is a few kilobytes.')
}

function decode(file: string, bytes: Uint8Array): string {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw wrong(file, 'is UTF-16 text. Save it as UTF-8.')
  }
  try {
    // A byte order mark in front of UTF-8 does no harm and is dropped by the decoder.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const { line, column } = firstBadByte(bytes)
    const message = 'a byte here is no UTF-8 text. Save the file as UTF-8.'
    throw new ConfigError([{ file, line, column, path: '', message }])
  }
}

function firstBadByte(bytes: Uint8Array): { line: number; column: number } {
  // A decoder in stream mode accepts a character that is cut off, so the longest prefix it takes ends at the bad byte.
  let good = 0
  let bad = bytes.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (decodes(bytes.subarray(0, middle))) good = middle
    else bad = middle
  }
  const before = new TextDecoder('utf-8').decode(bytes.subarray(0, good), { stream: true })
  const lines = before.split(/\r\n|\r|\n/)
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

function decodes(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

const CONTROL = /[^\P{Cc}\t\n\r]/u

/** What must not even reach the YAML parser. `offset` is where it stands. */
export function refuseText(text: string): { offset: number; message: string } | undefined {
  const control = Math.max(text.search(CONTROL), findStandIn(text))
  if (control >= 0) {
    const message = 'a control character stands here, which no text file holds. Remove it.'
    return { offset: control, message }
  }
  const deep = tooDeep(text)
  if (deep < 0) return undefined
  const message = `more than ${MAX_DEPTH} lists or mappings stand within each other. Write the file flatter.`
  return { offset: deep, message }
}

/** Where brackets, or `-`, `?` and `:` in front of each other on one line, first nest deeper than any configuration. */
function tooDeep(text: string): number {
  let brackets = 0
  let dashes = 0
  let leading = true
  for (let index = 0; index < text.length; index++) {
    const mark = text.charAt(index)
    if (mark === '\n') {
      dashes = 0
      leading = true
    } else if (leading && (mark === '-' || mark === '?' || mark === ':')) dashes++
    else if (mark !== ' ' && mark !== '\t') leading = false
    if (mark === '[' || mark === '{') brackets++
    else if ((mark === ']' || mark === '}') && brackets > 0) brackets--
    if (brackets > MAX_BRACKETS || dashes > MAX_DEPTH) return index
  }
  return -1
}

/** Brackets in prose (a bulletin, a comment) need not be balanced, so they get more room; the parser takes 800. */
const MAX_BRACKETS = 400

export { MAX_DEPTH }
