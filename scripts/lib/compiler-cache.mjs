import { accessSync, constants, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from './find-program.mjs'

/**
 * The environment for an install that may compile better-sqlite3 (a minute of work). Where ccache is installed it
 * is used, with its folder outside the checkout, so that a second clone compiles in seconds. An environment that
 * names its own compilers is left alone.
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [home]
 * @returns {NodeJS.ProcessEnv}
 */
export function compilerEnv(env = process.env, home = homedir()) {
  if (env.CC !== undefined || env.CXX !== undefined) return env
  if ([`ccache`, `gcc`, `g++`].some((name) => findProgram(name, env) === undefined)) return env
  const folder = env.CCACHE_DIR ?? join(env.XDG_CACHE_HOME ?? join(home, '.cache'), 'ccache')
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
  } catch {
    return env // a cache that cannot be written must not stop the compiler
  }
  // Without the working directory in its hash, an object compiled in one clone serves every other.
  return { ...env, CC: 'ccache gcc', CXX: 'ccache g++', CCACHE_DIR: folder, CCACHE_NOHASHDIR: '1' }
}
