// npm test [-- FILES AND FLAGS]: installs what is missing, builds what changed, runs the tests, says what it left
// out, and closes with one line: N passed, N failed, N skipped.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runToEnd } from './lib/child.mjs'
import { findChromium, NO_CHROMIUM } from './lib/chromium.mjs'
import { run, say } from './lib/say.mjs'
import { ROOT, setUp } from './lib/setup.mjs'

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')

run(async () => {
  const args = process.argv.slice(2)
  await setUp()
  const folder = mkdtempSync(join(tmpdir(), 'golem-test-'))
  try {
    const leftOut = await browserTestsLeftOut(args, folder)
    if (leftOut > 0) say(`${leftOut} browser tests will be skipped, because ${NO_CHROMIUM}`)
    const path = join(folder, 'counts.json')
    // A selection that is only browser tests leaves nothing to run, which is no failure.
    const lenient = leftOut > 0 ? ['--passWithNoTests'] : []
    const { code } = await runToEnd(process.execPath, [VITEST, 'run', ...lenient, ...args], {
      cwd: ROOT,
      env: { ...process.env, GOLEM_TEST_COUNTS: path },
      show: 'all',
    })
    process.exitCode = code
    close(readCounts(path), code, leftOut)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/**
 * How many of the selected tests need a browser that is not there. Vitest lists them without running them.
 * @param {readonly string[]} args
 * @param {string} folder for the list
 */
async function browserTestsLeftOut(args, folder) {
  if (findChromium() !== undefined || args.some((arg) => arg.startsWith('--config'))) return 0
  if (!existsSync(join(ROOT, 'tests/browser'))) return 0
  const list = join(folder, 'list.json')
  const env = { ...process.env, GOLEM_LIST: '1' }
  await runToEnd(process.execPath, [VITEST, 'list', ...args, `--json=${list}`], { cwd: ROOT, env })
  if (!existsSync(list)) return 0
  /** @type {{ file: string }[]} */
  const tests = JSON.parse(readFileSync(list, 'utf8'))
  return tests.filter((test) => test.file.startsWith(join(ROOT, 'tests/browser/'))).length
}

/**
 * @param {string} path
 * @returns {import('./vitest/counts.js').Counts}
 */
function readCounts(path) {
  return existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : { passed: 0, failed: 0, skipped: 0, broken: 1 }
}

/**
 * The last lines of the run.
 * @param {import('./vitest/counts.js').Counts} counts
 * @param {number} code how vitest ended
 * @param {number} leftOut
 */
function close(counts, code, leftOut) {
  // Each failure outside a test counts as one, so that the line never says 0 failed of a run that failed.
  const failed = Math.max(counts.failed + counts.broken, code === 0 ? 0 : 1)
  const skipped = counts.skipped + leftOut
  if (leftOut > 0) console.log(`skipped: ${leftOut} browser tests, because ${NO_CHROMIUM}`)
  if (counts.skipped > 0)
    console.log(`skipped: ${counts.skipped} tests that say so themselves (see the log above)`)
  console.log(`${counts.passed} passed, ${failed} failed, ${skipped} skipped`)
}
