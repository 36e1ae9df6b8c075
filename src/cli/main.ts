#!/usr/bin/env node
/** The `golem` program. Only what every command needs is loaded here; each command loads the rest itself. */
import './heap.js'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../clock.js'
import { packageRoot } from '../root.js'
import { run } from './run.js'
import type { Output, World } from './world.js'

function output(stream: NodeJS.WriteStream): Output {
  // Who reads us may stop reading (`golem why | head`): that ends the output, not the daemon.
  stream.on('error', () => {})
  return {
    write: (text) => void stream.write(text),
    get isTTY() {
      return stream.isTTY === true
    },
    get columns() {
      return stream.columns
    },
  }
}

function version(): string {
  const found: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : '0.0.0'
}

/** `EDITOR` may hold arguments (`code --wait`): it is the user's own command line, as every program takes it. */
async function edit(editor: string, file: string): Promise<number> {
  const { spawn } = await import('node:child_process')
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

const world: World = {
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  env: process.env,
  cwd: process.cwd(),
  pid: process.pid,
  clock: systemClock,
  on(event, listener) {
    process.on(event, listener)
    return () => void process.off(event, listener)
  },
  edit,
  exit: (code) => process.exit(code),
  version,
  loadStart: async () => (await import('../gateway.js')).startGateway,
  loadSimulators: async () => (await import('./simulators.js')).SIMULATORS,
  loadReader: async () => (await import('../store/reader.js')).openReader,
}

// Whatever a command waits for, it must be able to end: its helpers (a worker thread, a timer) keep no process alive.
const alive = setInterval(() => {}, 2 ** 30)
const code = await run(process.argv.slice(2), world)
clearInterval(alive)
// Pipes are written later: what was said must be out before the process ends, whatever is still open in it.
await Promise.all(
  [process.stdout, process.stderr].map(
    (stream) => new Promise<void>((done) => (stream.writable ? stream.write('', () => done()) : done())),
  ),
)
process.exit(code)
