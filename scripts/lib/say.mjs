// What the wrapper scripts say. Everything goes to stderr: stdout belongs to the program they start.

/** A failure the person can do something about: printed as one sentence, without a stack. */
export class SetupError extends Error {
  /** @override */
  name = 'SetupError'
}

/**
 * Prints one line to stderr.
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`golem: ${text}\n`)
}

/**
 * Runs a script's main function. A {@link SetupError} becomes its one sentence and exit code 1.
 * @param {() => Promise<void>} main
 */
export function run(main) {
  main().catch((error) => {
    say(error instanceof SetupError ? error.message : String(error?.stack ?? error))
    process.exitCode = 1
  })
}

/**
 * How long something took, for people.
 * @param {number} since `Date.now()` at the start
 */
export function took(since) {
  const seconds = (Date.now() - since) / 1000
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`
}
