// npm start [-- FLAGS]: installs what is missing, builds what changed, and becomes `golem start`.
// Everything said on the way goes to stderr; stdout is the daemon's.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { run } from './lib/say.mjs'
import { ROOT, setUp } from './lib/setup.mjs'

run(async () => {
  await setUp()
  const flags = process.argv.slice(2)
  const main = join(ROOT, 'dist/golem/src/cli/main.js')
  process.argv = [process.execPath, main, 'start', ...configFlag(flags), ...flags]
  // The daemon runs in this very process: signals, exit code and process id are its own, and no wrapper stays behind.
  await import(pathToFileURL(main).href)
})

/**
 * The config, unless the person named one: their own golem.yaml if it exists, else the demo, which needs no key.
 * @param {readonly string[]} flags
 */
function configFlag(flags) {
  if (flags.some((flag) => flag === '--config' || flag === '-c' || flag.startsWith('--config='))) return []
  const name = existsSync(join(ROOT, 'golem.yaml')) ? 'golem.yaml' : 'golem.demo.yaml'
  return ['--config', join(ROOT, name)]
}
