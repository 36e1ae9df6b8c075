import { findProgram, isProgram } from './find-program.mjs'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const PLACES = [
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** What a person is told where a browser would have been needed. */
export const NO_CHROMIUM =
  process.platform === 'darwin'
    ? 'no Chromium was found; install it with brew install --cask chromium'
    : 'no Chromium was found; install it with apt-get install chromium'

/**
 * The Chromium that browser tests drive: `CHROME_PATH` when it is set, else what PATH or the usual places have.
 * A `CHROME_PATH` that is no program means none, so that a machine can be told to go without.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | undefined}
 */
export function findChromium(env = process.env) {
  if (env.CHROME_PATH !== undefined && env.CHROME_PATH !== '') {
    return isProgram(env.CHROME_PATH) ? env.CHROME_PATH : undefined
  }
  for (const name of NAMES) {
    const path = findProgram(name, env)
    if (path !== undefined) return path
  }
  return PLACES.find(isProgram)
}
