import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, staleParts } from './build.mjs'
import { install, isInstalled } from './install.mjs'
import { withLock } from './lock.mjs'
import { requireNode } from './node-version.mjs'

/** The checkout this script belongs to, wherever it is called from. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/**
 * Installs and builds what is missing, and nothing else: on a checkout that is up to date it costs some
 * milliseconds and says nothing.
 * @param {{ root?: string, builds?: boolean }} [options]
 */
export async function setUp({ root = ROOT, builds = true } = {}) {
  requireNode()
  const isReady = () => isInstalled(root) && (!builds || staleParts(root).length === 0)
  if (isReady()) return
  await withLock(join(root, '.cache/setup.lock'), async () => {
    if (!isInstalled(root)) await install(root)
    const stale = builds ? staleParts(root) : []
    if (stale.length > 0) await build(root, stale)
  })
}
