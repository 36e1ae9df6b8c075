import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { findChromium } from './scripts/lib/chromium.mjs'

const chromium = findChromium()

/** `npm test` sets GOLEM_LIST to count the browser tests that a machine without a browser leaves out. */
const isBrowserUsed = chromium !== undefined || process.env.GOLEM_LIST !== undefined

/** Bounds for a test that hangs, not measures of speed: a small machine runs as much as it can at once. */
const bounds = { testTimeout: 30_000, hookTimeout: 60_000 }

/** The same properties, with cases that can be told beforehand where that is wanted. */
const alias = { 'fast-check': fileURLToPath(new URL('./scripts/vitest/properties.ts', import.meta.url)) }

export default defineConfig({
  test: {
    reporters: ['default', './scripts/vitest/counts.ts'],
    projects: [
      {
        resolve: { alias },
        test: {
          ...bounds,
          name: 'rooms',
          include: ['{src,adapters,scripts,web,bench,tests}/**/*.test.{ts,tsx}'],
          // The long crash search has a command of its own: npm run test:crash.
          exclude: ['**/node_modules/**', 'tests/browser/**', 'tests/crash/full/**'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...bounds,
          name: 'browser',
          include: isBrowserUsed ? ['tests/browser/**/*.test.ts'] : [],
          // Browser tests find their browser here, whichever way Vitest was started.
          env: chromium === undefined ? {} : { CHROME_PATH: chromium },
          // After the others: a browser that must share two cores with a hundred test files is late for everything.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
