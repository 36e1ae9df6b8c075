import { extname } from 'node:path'

/** Longest file name made, in bytes of UTF-8; leaves room for a number in front of the ending. */
const NAME_BYTES = 120
/** Controls, invisible and direction marks (an ending can be made to read backwards), lone surrogates. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu
const SPECIAL = /[\\/:*?"<>|]/g

/** A name from outside as the name of one plain file: no folder, no dot in front, no trick, never empty. */
export function fileName(wanted: string): string {
  const last = wanted.slice(-4_096).split(/[\\/]/).pop() ?? ''
  const clean = last
    .normalize('NFC')
    .replace(HIDDEN, '')
    .replace(SPECIAL, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[.\s~-]+/, '')
    .replace(/[.\s]+$/, '')
  return shorten(clean) || 'file'
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= NAME_BYTES) return name
  const ending = extname(name)
  const kept = Buffer.byteLength(ending) <= 20 ? ending : ''
  const room = NAME_BYTES - Buffer.byteLength(kept)
  let stem = ''
  for (const character of name.slice(0, name.length - kept.length)) {
    if (Buffer.byteLength(stem + character) > room) break
    stem += character
  }
  return stem.trimEnd() + kept
}

/** The first of `a.txt`, `a (2).txt`, `a (3).txt` … that is not taken; taken names are compared without case. */
export function uniqueName(wanted: string, taken: Set<string>): string {
  const clean = fileName(wanted)
  const ending = extname(clean)
  const stem = clean.slice(0, clean.length - ending.length)
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? clean : `${stem} (${number})${ending}`
    const key = name.toLowerCase()
    if (taken.has(key)) continue
    taken.add(key)
    return name
  }
}

/** Files that hold keys or passwords by what they are called; compared without case. */
const SECRET_NAMES: readonly RegExp[] = [
  /^\./,
  /\.env$/,
  /^env$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-].*)?$/,
  /\.(?:pem|key|p12|pfx|p8|ppk|jks|keystore|kdbx?|ovpn|tfstate|asc|gpg|pgp|keytab|token)$/,
  /^(?:credentials?|secrets?|passwords?|passwd|shadow|htpasswd|netrc|pgpass|authorized_keys|known_hosts)(?:\..*)?$/,
  /^(?:service[-_]?account|client[-_]secrets?|application_default_credentials).*\.json$/,
  /^golem\.ya?ml$/,
]

/** Whether a path's parts say that it is hidden or holds a secret. @param parts below the folder it may leave from */
export function isSecretPath(parts: readonly string[]): boolean {
  return parts.some((part, index) => {
    const name = part.toLowerCase()
    if (name.startsWith('.')) return true
    return index === parts.length - 1 && SECRET_NAMES.some((pattern) => pattern.test(name))
  })
}
