import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runToEnd } from './child.mjs'
import { filesBelow, hashFiles, readStamp, writeStamp } from './files.mjs'
import { SetupError, say, took } from './say.mjs'

/**
 * @typedef {object} Part one thing that is built
 * @property {string} name in words, for the person who waits
 * @property {string} needs a file without which there is nothing to build
 * @property {readonly string[]} sources files and folders the result depends on
 * @property {(file: string) => boolean} counts which of those files do
 * @property {string} result a file that exists when it is built
 * @property {string} stamp where the hash of the sources is kept
 * @property {readonly string[]} command what Node runs
 */

/** @param {string} file */
const isTest = (file) => /\.(?:test|fixture)\.tsx?$/.test(file)

/** @type {readonly Part[]} */
export const PARTS = [
  {
    name: 'server',
    needs: 'src/cli/main.ts',
    sources: [
      'src',
      'adapters',
      'tests/simulators',
      'tsconfig.json',
      'scripts/lib/compile.mjs',
      'package-lock.json',
    ],
    counts: (file) => !isTest(file) && /\.(?:ts|json|mjs)$/.test(file),
    result: 'dist/golem/src/cli/main.js',
    stamp: 'dist/.built-server',
    command: ['scripts/lib/compile.mjs'],
  },
  {
    name: 'web console',
    needs: 'web/vite.config.ts',
    sources: ['web', 'src/messaging/text', 'package-lock.json'],
    counts: (file) => !isTest(file),
    result: 'dist/web/index.html',
    stamp: 'dist/.built-web',
    command: [
      'node_modules/vite/bin/vite.js',
      'build',
      '--config',
      'web/vite.config.ts',
      '--logLevel',
      'warn',
    ],
  },
]

/**
 * The parts whose sources changed since they were built, or whose result is gone.
 * @param {string} root
 * @param {readonly Part[]} [parts]
 */
export function staleParts(root, parts = PARTS) {
  return parts.filter(
    (part) =>
      existsSync(join(root, part.needs)) &&
      (!existsSync(join(root, part.result)) || readStamp(join(root, part.stamp)) !== hashOf(root, part)),
  )
}

/**
 * @param {string} root
 * @param {Part} part
 */
function hashOf(root, part) {
  return hashFiles(root, filesBelow(root, part.sources).filter(part.counts))
}

/**
 * Builds the given parts, at the same time: they share no output.
 * @param {string} root
 * @param {readonly Part[]} parts
 * @throws {SetupError} after the compiler's own words
 */
export async function build(root, parts) {
  const since = Date.now()
  say(`building the ${parts.map((part) => part.name).join(' and the ')} ...`)
  const results = await Promise.all(
    parts.map(async (part) => {
      const hash = hashOf(root, part)
      const { code, output } = await runToEnd(process.execPath, part.command, { cwd: root })
      if (code === 0) writeStamp(join(root, part.stamp), hash)
      return { part, code, output }
    }),
  )
  const failed = results.filter((result) => result.code !== 0)
  for (const { output } of failed) process.stderr.write(`${output.trimEnd()}\n`)
  if (failed.length > 0) {
    const names = failed.map(({ part }) => part.name).join(' and the ')
    throw new SetupError(
      `the ${names} could not be built, for the reason above; mend the sources, and run the command again.`,
    )
  }
  removeOrphans(root)
  say(`built in ${took(since)}`)
}

/**
 * Removes compiled files whose source is gone: a deleted or renamed module must not live on in dist.
 * @param {string} root
 */
export function removeOrphans(root) {
  for (const file of filesBelow(root, ['dist/src', 'dist/adapters', 'dist/tests'])) {
    if (!/\.js(?:\.map)?$/.test(file)) continue
    const source = file.replace(/^dist\//, '').replace(/\.js(?:\.map)?$/, '.ts')
    if (!existsSync(join(root, source))) rmSync(join(root, file))
  }
}
