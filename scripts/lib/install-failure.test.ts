import { expect, test } from 'vitest'
import { explainInstallFailure, mayPass } from './install-failure.mjs'

/** What npm and node-gyp really print: [the case, output, platform, words of the cure]. */
const cases: [string, string, NodeJS.Platform, string][] = [
  [
    'no make',
    'prebuild-install warn install getaddrinfo ENOTFOUND github.com\ngyp ERR! build error\ngyp ERR! stack Error: not found: make',
    'linux',
    'apt-get install build-essential',
  ],
  [
    'no g++',
    'make: g++: No such file or directory\nmake: *** [deps/sqlite3.target.mk:120] Error 127',
    'linux',
    'apt-get install build-essential',
  ],
  ['no g++, by a shell', '/bin/sh: 1: g++: not found\nmake: *** Error 127', 'linux', 'build-essential'],
  ['no Xcode', 'gyp: No Xcode or CLT version detected!', 'darwin', 'xcode-select --install'],
  [
    'no Python',
    'gyp ERR! find Python Python is not set from command line',
    'linux',
    'apt-get install python3',
  ],
  [
    'no name service',
    'npm error code EAI_AGAIN\nnpm error request to https://registry/zod failed',
    'linux',
    'connect to the network',
  ],
  ['no network', 'npm error code ENOTFOUND\nnpm error errno ENOTFOUND', 'linux', 'npm config set proxy'],
  [
    'no network, ended early',
    'npm http fetch GET https://registry/zod attempt 1 failed with ENOTFOUND',
    'linux',
    'connect to the network',
  ],
  ['registry is down', 'npm error code ECONNREFUSED', 'linux', 'could not be reached'],
  ['disk full', 'npm error code ENOSPC', 'linux', 'free some space'],
  ['not ours', 'npm error code EACCES\nnpm error syscall mkdir', 'linux', 'make this folder writable'],
  [
    'lock out of step',
    'npm error code EUSAGE\nnpm error `npm ci` can only install packages when your package.json and package-lock.json are in sync',
    'linux',
    'run npm install',
  ],
  ['tampered', 'npm error code EINTEGRITY', 'linux', 'do not trust the registry'],
  ['anything else', 'npm error code ESURPRISE', 'linux', 'for the reason above'],
]

test.each(cases)('%s', (_name, output, platform, cure) => {
  const sentence = explainInstallFailure(output, platform)
  expect(sentence).toContain(cure)
  expect(sentence).not.toContain('\n')
  expect(sentence).toMatch(/\.$/)
})

test('tries again after a stumble of the network, not without one and not without a compiler', () => {
  expect(mayPass('npm error code ECONNRESET')).toBe(true)
  expect(mayPass('npm error code E503')).toBe(true)
  expect(mayPass('npm error code ENOTFOUND')).toBe(false)
  expect(mayPass('npm http fetch GET https://registry/zod attempt 1 failed with EAI_AGAIN')).toBe(true)
  expect(mayPass('prebuild-install warn install read ECONNRESET\nmake: g++: not found')).toBe(false)
})
