// npm run check [-- NAME ...]: everything that reads the code without running it. Prints what fails, and why.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runToEnd } from './lib/child.mjs'
import { run, SetupError, took } from './lib/say.mjs'
import { ROOT, setUp } from './lib/setup.mjs'

/** @typedef {{ name: string, command: readonly string[], needs?: string }} Check */

/** @type {readonly Check[]} */
const CHECKS = [
  { name: 'types', command: ['@typescript/native/bin/tsc', '-p', 'tsconfig.check.json'] },
  {
    name: 'types-web',
    command: ['@typescript/native/bin/tsc', '-p', 'web/tsconfig.json', '--noEmit'],
    needs: 'web/tsconfig.json',
  },
  { name: 'style', command: ['@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off', '.'] },
  {
    name: 'dependencies',
    command: [
      'dependency-cruiser/bin/dependency-cruise.mjs',
      ...['--config', '.dependency-cruiser.mjs'],
      ...['src', 'adapters', 'web', 'tests', 'bench', 'scripts'].filter((name) =>
        existsSync(join(ROOT, name)),
      ),
    ],
  },
  { name: 'unused', command: ['knip/bin/knip.js', '--no-progress', '--no-config-hints'] },
  { name: 'promises', command: ['eslint/bin/eslint.js', '--max-warnings=0', '.'] },
]

run(async () => {
  const names = process.argv.slice(2)
  for (const name of names) {
    if (CHECKS.some((check) => check.name === name)) continue
    const known = CHECKS.map((check) => check.name).join(', ')
    throw new SetupError(`there is no check named ${name}; the checks are ${known}.`)
  }
  await setUp({ builds: false })
  const queue = CHECKS.filter((check) => names.length === 0 || names.includes(check.name))
  /** @type {string[]} */
  const failed = []
  const worker = async () => {
    for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
      if (!(await passes(check))) failed.push(check.name)
    }
  }
  await Promise.all([worker(), worker()])
  if (failed.length > 0) throw new SetupError(`the check found something: ${failed.sort().join(', ')}`)
})

/** @param {Check} check */
async function passes({ name, command: [script = '', ...args], needs }) {
  if (needs !== undefined && !existsSync(join(ROOT, needs))) return true
  const since = Date.now()
  const program = join(ROOT, 'node_modules', script)
  const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
  const { code, output } = await runToEnd(process.execPath, [program, ...args], { cwd: ROOT, env })
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${took(since)})`)
  if (code !== 0) console.log(output.trimEnd())
  return code === 0
}
