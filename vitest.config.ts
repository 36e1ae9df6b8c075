import { defineConfig } from 'vitest/config'
import { findChromium } from './scripts/lib/chromium.mjs'

const chromium = findChromium()

export default defineConfig({
  test: {
    include: ['{src,adapters,scripts,web,bench,tests}/**/*.test.{ts,tsx}'],
    exclude: [
      '**/node_modules/**',
      'dist/**',
      // The long crash search has a command of its own: npm run test:crash.
      'tests/crash/full/**',
      // Without a browser these are left out and counted: `npm test` says how many. GOLEM_LIST asks for that count.
      ...(chromium === undefined && process.env.GOLEM_LIST === undefined ? ['tests/browser/**'] : []),
    ],
    // Browser tests find their browser here, whichever way vitest was started.
    env: chromium === undefined ? {} : { CHROME_PATH: chromium },
    // A bound for the hanging test, not a measure of speed: machines with two cores run everything at once.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './scripts/vitest/counts.ts'],
  },
})
