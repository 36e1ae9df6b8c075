import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { basename } from 'node:path'

/** @type {Record<'all' | 'stderr' | 'nothing', import('node:child_process').StdioOptions>} */
const STDIO = { all: 'inherit', stderr: ['ignore', 2, 2], nothing: ['ignore', 'pipe', 'pipe'] }

/**
 * @typedef {object} Finished
 * @property {number} code exit code; 128 + n after signal n, as a shell reports it
 * @property {string} output stdout and stderr, where they were kept
 */

/**
 * Runs a program to its end. With `show` it writes to this terminal's stderr or inherits everything; without,
 * what it says is kept for a diagnosis, and the program is ended early when that matches `stopAt`.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, show?: 'all' | 'stderr' | 'nothing', stopAt?: RegExp }} options
 * @returns {Promise<Finished>}
 */
export function runToEnd(program, args, { cwd, env = process.env, show = 'nothing', stopAt }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: STDIO[show] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        // The end of a long log is where its reason is.
        output = (output + text).slice(-200_000)
        if (stopAt?.test(output)) child.kill()
      })
    }
    const release = passSignalsOn(child)
    child.once('error', (error) => {
      release()
      reject(error)
    })
    child.once('close', (code, signal) => {
      release()
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), output })
    })
  })
}

/**
 * A signal for us is a signal for the program we wait for; we end when it has ended.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {() => void} undo
 */
function passSignalsOn(child) {
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  /** @param {NodeJS.Signals} signal */
  const pass = (signal) => {
    // Ctrl-C in a terminal reaches the whole process group by itself; a second copy would mean "at once".
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of signals) process.on(signal, pass)
  return () => {
    for (const signal of signals) process.removeListener(signal, pass)
  }
}

/**
 * How to call npm: the npm that called us, so that its version and settings are the same, else the one on PATH.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{ program: string, args: string[] }}
 */
export function npm(env = process.env) {
  const script = env.npm_execpath
  return script !== undefined && basename(script) === 'npm-cli.js'
    ? { program: process.execPath, args: [script] }
    : { program: 'npm', args: [] }
}
