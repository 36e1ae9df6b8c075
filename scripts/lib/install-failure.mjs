// Why an install failed, from what npm and node-gyp said. The first rule that matches wins: a missing compiler comes
// before the network, because the package first tries to download itself ready-made and says so when it cannot.

const COMPILER =
  /not found: make|make: [^\n]*(?:No such file|not found)|(?:g\+\+|c\+\+|gcc|cc|clang): (?:command )?not found|(?:g\+\+|gcc|cc|c\+\+): No such file|No Xcode or CLT|gyp ERR! find VS|CC(?:XX)? ?=? ?not found/i
const PYTHON = /gyp ERR! find Python/
const NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b|network request to \S+ failed|code ENOTCACHED/

/** What npm says (at log level http) of a request that found no network: a network that is slow says other things. */
export const NO_NETWORK = /^npm http fetch .* failed with (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH)\b/m

const STUMBLE = /\b(?:EAI_AGAIN|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|E429|E50[0234])\b/

/**
 * Whether the same command may pass when it is called once more.
 * @param {string} output what npm printed
 */
export function mayPass(output) {
  return STUMBLE.test(output) && !COMPILER.test(output) && !PYTHON.test(output)
}

/**
 * One sentence: what failed and what to do.
 * @param {string} output what npm printed
 * @param {NodeJS.Platform} [platform]
 */
export function explainInstallFailure(output, platform = process.platform) {
  if (COMPILER.test(output)) {
    return `better-sqlite3 must be compiled once, and no C++ compiler was found; ${COMPILER_CURE[platform] ?? COMPILER_CURE.linux}, and run the command again.`
  }
  if (PYTHON.test(output)) {
    return `better-sqlite3 must be compiled once, which needs Python 3; ${PYTHON_CURE[platform] ?? PYTHON_CURE.linux}, and run the command again.`
  }
  if (/\bENOSPC\b/.test(output)) {
    return 'the disk is full, so the packages could not be installed (they take about 600 MB); free some space, and run the command again.'
  }
  if (/\b(?:EACCES|EPERM|EROFS)\b/.test(output)) {
    return 'the packages could not be written into node_modules; make this folder writable for the user who runs the command (its owner may be root after a sudo), and run it again.'
  }
  if (/\bEUSAGE\b/.test(output) && /package-lock\.json/.test(output)) {
    return 'package.json and package-lock.json disagree; run npm install, look at what changed in package-lock.json, and run the command again.'
  }
  if (/\bEINTEGRITY\b/.test(output)) {
    return 'a downloaded package is not the one package-lock.json names; run npm cache verify, and the command again; if it stays, do not trust the registry in use (npm config get registry).'
  }
  if (NETWORK.test(output)) {
    return 'the package registry could not be reached, and the first run needs it; connect to the network (behind a proxy: npm config set proxy URL; with a mirror: npm config set registry URL), and run the command again.'
  }
  return 'npm could not install the packages, for the reason above; when it is mended, run the command again.'
}

/** @type {Partial<Record<NodeJS.Platform, string>> & { linux: string }} */
const COMPILER_CURE = {
  linux:
    'install one with apt-get install build-essential python3 (Fedora: dnf install gcc-c++ make python3; Alpine: apk add build-base python3)',
  darwin: 'install one with xcode-select --install',
  win32: 'install the C++ workload of Visual Studio Build Tools',
}

/** @type {Partial<Record<NodeJS.Platform, string>> & { linux: string }} */
const PYTHON_CURE = {
  linux: 'install it with apt-get install python3',
  darwin: 'install it with xcode-select --install',
  win32: 'install it from https://www.python.org',
}
