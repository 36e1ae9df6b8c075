// Compiles the server: tsc checks the types and writes dist/src, dist/adapters and dist/tests/simulators, module by module;
// then the program that people run is bundled from those into dist/golem, with its threads.
//
// Why a bundle: an idle gateway holds 6 MB less and starts in less time, because the libraries it uses are one file without
// what it does not use of them (zod alone is 95 modules, half of them languages).
import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { runToEnd } from './child.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
const DIST = join(ROOT, 'dist')
const OUT = join(DIST, 'golem')

/** Packages with native code, with threads or files of their own, or that must be one with what an SDK brings along. */
const EXTERNAL = ['better-sqlite3', 'pino', 'ws', 'undici', 'https-proxy-agent', '@slack/*']

const ENTRIES = ['dist/src/cli/main.js', 'dist/src/store/worker.js', 'dist/adapters/local/store/worker.js']

/**
 * A module finds its neighbours (a thread's program, package.json) by its own address. In the bundle it is part of some
 * chunk, and gets the address it would have if it were still a file.
 * @type {import('esbuild').Plugin}
 */
const ownAddress = {
  name: 'own-address',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(DIST) || ENTRIES.some((entry) => path === join(ROOT, entry))) return null
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.url')) return null
      const own = JSON.stringify(`./${relative(DIST, path).split(sep).join('/')}`)
      return { contents: text.replaceAll('import.meta.url', `new URL(${own}, import.meta.url).href`) }
    })
  },
}

/**
 * The words of zod in English only. A library that hands on the whole of zod would bring along fifty languages that
 * nobody here reads: 0.3 MB of source, in the memory of every gateway.
 * @type {import('esbuild').Plugin}
 */
const oneLanguage = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

const { code, output } = await runToEnd(
  process.execPath,
  ['node_modules/@typescript/native/bin/tsc', '-p', 'tsconfig.json'],
  { cwd: ROOT },
)
if (code !== 0) {
  process.stderr.write(output)
  process.exit(code)
}
rmSync(OUT, { recursive: true, force: true })
await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRIES,
  outbase: 'dist',
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: EXTERNAL,
  // Its modules, so that only what is used of it comes along: 0.4 MB of 6. It looks for its version beside itself.
  alias: { '@larksuiteoapi/node-sdk': '@larksuiteoapi/node-sdk/es/index.js' },
  define: { __dirname: 'import.meta.dirname' },
  plugins: [ownAddress, oneLanguage],
  minify: true,
  // For whoever reads a stack: node --enable-source-maps.
  sourcemap: true,
  legalComments: 'external',
  // Packages in CommonJS ask for Node's modules by `require`.
  banner: {
    js: "import { createRequire as golemRequire } from 'node:module'; const require = golemRequire(import.meta.url);",
  },
  logLevel: 'warning',
})
