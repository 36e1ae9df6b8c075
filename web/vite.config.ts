import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where the daemon listens while the page is served by `vite`. */
const daemon = process.env.GOLEM_URL ?? 'http://127.0.0.1:3000'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The Content-Security-Policy lets scripts come from files only; small assets must not become data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: {
    proxy: Object.fromEntries(
      // The daemon refuses pages of other origins: to it, this page is its own.
      ['/api', '/health'].map((path) => [
        path,
        { target: daemon, changeOrigin: true, headers: { origin: daemon } },
      ]),
    ),
  },
})
