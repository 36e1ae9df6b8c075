import { SetupError } from './say.mjs'

/** The oldest Node the packages run on: [major, minor]. Written down again as `engines` in package.json. */
export const OLDEST_NODE = [20, 19]

/**
 * Refuses a Node that is too old, before anything is installed.
 * @param {string} [version] as in `process.versions.node`
 */
export function requireNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new SetupError(
    `Node ${oldestMajor}.${oldestMinor} or newer is needed, and this is Node ${version}; ` +
      'install a current one from https://nodejs.org or with your version manager, and run the command again.',
  )
}
