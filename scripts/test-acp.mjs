// npm run test:acp [-- codex claude]: installs real coding agents into a cache folder, and has each of them answer
// through the engine, in front of a scripted model on this machine. Without names: the quickest one.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ACP_PACKAGES, folderOf, installedBin } from './lib/acp-packages.mjs'
import { npm, runToEnd } from './lib/child.mjs'
import { run, SetupError, say } from './lib/say.mjs'
import { ROOT, setUp } from './lib/setup.mjs'

run(async () => {
  const names = process.argv.slice(2)
  const wanted = names.length > 0 ? names : ['codex']
  await setUp()
  for (const id of wanted) {
    if (!(id in ACP_PACKAGES))
      throw new SetupError(`There is no ${id}. Known: ${Object.keys(ACP_PACKAGES).join(', ')}.`)
    await install(/** @type {import('./lib/acp-packages.mjs').AcpPackage} */ (id))
  }
  const { code } = await runToEnd(process.execPath, [join(ROOT, 'scripts/test.mjs'), 'tests/acp'], {
    cwd: ROOT,
    show: 'all',
  })
  process.exitCode = code
})

/** @param {import('./lib/acp-packages.mjs').AcpPackage} id */
async function install(id) {
  if (installedBin(id) !== undefined) return
  const { name, version } = ACP_PACKAGES[id]
  const folder = folderOf(id)
  say(`installing ${name} ${version} into ${folder}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const args = ['install', '--no-audit', '--no-fund', '--save-exact', `${name}@${version}`]
  const { program, args: first } = npm()
  const { code } = await runToEnd(program, [...first, ...args], { cwd: folder, show: 'all' })
  if (code !== 0 || installedBin(id) === undefined)
    throw new SetupError(
      `${name} ${version} could not be installed: see what npm says above, and whether it reaches its registry.`,
    )
}
