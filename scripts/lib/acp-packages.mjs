/** Coding agents that `npm run test:acp` installs and talks to, in a folder outside of the repository. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The newest ones that run on Node 20, each with the program that it brings. */
export const ACP_PACKAGES = /** @type {const} */ ({
  codex: { name: '@zed-industries/codex-acp', version: '0.16.0', program: 'codex-acp' },
  claude: { name: '@zed-industries/claude-agent-acp', version: '0.23.1', program: 'claude-agent-acp' },
  opencode: { name: 'opencode-ai', version: '1.18.33', program: 'opencode' },
  gemini: { name: '@google/gemini-cli', version: '0.61.0', program: 'gemini' },
})

/** @typedef {keyof typeof ACP_PACKAGES} AcpPackage */

/** @param {AcpPackage} id */
export function folderOf(id) {
  const { name, version } = ACP_PACKAGES[id]
  const cache =
    process.env.GOLEM_ACP_CACHE ??
    join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'golem', 'acp')
  return join(cache, `${name.replace(/[^a-z0-9-]/g, '_')}-${version}`)
}

/**
 * The folder of its program; undefined while it is not installed.
 * @param {AcpPackage} id
 */
export function installedBin(id) {
  const bin = join(folderOf(id), 'node_modules', '.bin')
  return existsSync(join(bin, ACP_PACKAGES[id].program)) ? bin : undefined
}
