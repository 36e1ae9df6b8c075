import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** How a run ended. `broken` counts files and hooks that failed outside any test. */
export interface Counts {
  passed: number
  failed: number
  skipped: number
  broken: number
}

/** Counts the tests of a run: skipped ones too, and files that never got as far as a test. */
export function count(modules: readonly TestModule[], errors: readonly unknown[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0, broken: errors.length }
  for (const module of modules) {
    let failed = 0
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') counts.passed += 1
      else if (state === 'failed') failed += 1
      else counts.skipped += 1
    }
    counts.failed += failed
    if (failed === 0 && module.state() === 'failed') counts.broken += 1
  }
  return counts
}

/**
 * Hands the counts of a run to `npm test`, which prints them as its last line. Vitest's own summary is for people,
 * and other reporters may write after it.
 */
export default class CountsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const path = process.env.GOLEM_TEST_COUNTS
    if (path !== undefined) writeFileSync(path, JSON.stringify(count(modules, errors)))
  }
}
