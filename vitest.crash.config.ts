import { defineConfig } from 'vitest/config'

/** The full crash search: a process killed at every write and every call. Minutes, so not part of `npm test`. */
export default defineConfig({
  test: {
    include: ['tests/crash/full/**/*.test.ts'],
    // All scenarios share a few daemons at a time, so each takes about as long as the whole run.
    testTimeout: 2 * 60 * 60_000,
    hookTimeout: 120_000,
    reporters: ['default', './scripts/vitest/counts.ts'],
  },
})
