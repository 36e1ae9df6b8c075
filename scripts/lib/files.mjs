import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * All files below the given files and folders, sorted, as paths relative to `root`. Names that are missing
 * are left out; `node_modules` is never entered.
 * @param {string} root
 * @param {readonly string[]} names
 * @returns {string[]}
 */
export function filesBelow(root, names) {
  /** @type {string[]} */
  const found = []
  /** @param {string} name */
  const visit = (name) => {
    const path = join(root, name)
    if (!existsSync(path)) return
    if (!statSync(path).isDirectory()) {
      found.push(name)
      return
    }
    for (const entry of readdirSync(path)) if (entry !== 'node_modules') visit(`${name}/${entry}`)
  }
  for (const name of names) visit(name)
  return found.sort()
}

/**
 * A hash over the names and the contents of files: it changes when a file is added, removed, renamed or edited,
 * and does not when a checkout merely touches it (which is why this is no comparison of dates).
 * @param {string} root
 * @param {readonly string[]} files relative to `root`
 * @param {string} [salt] anything else the result depends on
 */
export function hashFiles(root, files, salt = '') {
  const hash = createHash('sha256').update(salt)
  for (const file of files) {
    const content = readFileSync(join(root, file))
    hash.update(`\0${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/**
 * Reads a stamp; a missing one is the empty string, which equals no hash.
 * @param {string} path
 */
export function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
}

/**
 * @param {string} path
 * @param {string} value
 */
export function writeStamp(path, value) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${value}\n`)
}
