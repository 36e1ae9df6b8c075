/** The built daemon as a process: how soon it is ready, how much it holds when idle, how often it syncs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, round, withFolder } from './support.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAIN = join(ROOT, 'dist/golem/src/cli/main.js')

export interface Daemon {
  child: ChildProcess
  /** Of the daemon itself, also when it runs under a tracer. */
  pid: number
  url: string
  readyMs: number
}

/** @param yaml of golem.yaml; the demo's when absent */
export async function startDaemon(
  folder: string,
  wrap: readonly string[] = [],
  yaml?: string,
): Promise<Daemon> {
  if (yaml === undefined) copyFileSync(join(ROOT, 'golem.demo.yaml'), join(folder, 'golem.yaml'))
  else writeFileSync(join(folder, 'golem.yaml'), yaml)
  const argv = [
    ...wrap,
    process.execPath,
    MAIN,
    'start',
    '--config',
    join(folder, 'golem.yaml'),
    '--port',
    '0',
    '--json',
  ]
  const start = performance.now()
  const child = spawn(argv[0] ?? '', argv.slice(1), { stdio: ['ignore', 'pipe', 'ignore'] })
  const line = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      // Warnings may come before it.
      const ready = /^.*"event":"ready".*$/m.exec(text)
      if (ready !== null && text.endsWith('\n')) resolve(ready[0])
    })
    child.once('close', (code) => reject(new Error(`the daemon ended with ${code} before it was ready`)))
  })
  const readyMs = performance.now() - start
  const { url, pid } = JSON.parse(line) as { url: string; pid: number }
  return { child, pid, url, readyMs }
}

export async function stopDaemon({ child, pid }: Daemon): Promise<void> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  process.kill(pid, 'SIGTERM')
  await closed
}

export const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Ready line on a built tree, fresh data folder each, and the resident memory after a rest. */
export async function startUp(
  runs = 5,
): Promise<{ readyMs: number; idleRssMb: number; rssAfterTalkMb: number }> {
  const ready: number[] = []
  const idle: number[] = []
  const talked: number[] = []
  for (let run = 0; run < runs; run++)
    await withFolder(async (folder) => {
      const daemon = await startDaemon(folder)
      ready.push(daemon.readyMs)
      await later(3_000)
      idle.push(rssMb(daemon.pid))
      await ask(daemon.url, 20)
      await later(3_000)
      talked.push(rssMb(daemon.pid))
      await stopDaemon(daemon)
    })
  return {
    readyMs: round(median(ready), 0),
    idleRssMb: round(median(idle), 1),
    rssAfterTalkMb: round(median(talked), 1),
  }
}

export function rssMb(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1024
}

/** Questions one after another, each awaited until its answer stands in the room. */
async function ask(url: string, questions: number): Promise<void> {
  for (let index = 0; index < questions; index++) {
    const id = await say(url, 'lobby', '@Golem what can you do?')
    while ((await outcomeOf(url, 'lobby', id)) !== 'answered') await later(5)
  }
}

/** Says it as Ann in a local room. @returns the message's id */
export async function say(url: string, room: string, text: string): Promise<string> {
  const posted = await fetch(`${url}/api/local/rooms/${room}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ author: 'Ann', text }),
  })
  return ((await posted.json()) as { id: string }).id
}

/** What has become of a message so far. */
export async function outcomeOf(url: string, room: string, id: string): Promise<string> {
  const receipt = await fetch(`${url}/api/messages/${encodeURIComponent(`local:${room}:${id}`)}/receipt`)
  return ((await receipt.json()) as { outcome: string }).outcome
}

/** fsync and fdatasync calls per question answered, counted by strace. Null where there is no strace. */
export async function syncsPerMessage(questions = 40): Promise<number | null> {
  return withFolder(async (folder) => {
    const trace = join(folder, 'trace')
    try {
      const daemon = await startDaemon(folder, [
        'strace',
        '-f',
        '-qq',
        '-e',
        'trace=fsync,fdatasync',
        '-o',
        trace,
      ])
      await later(1_000)
      const before = count(trace)
      await ask(daemon.url, questions)
      await later(500)
      const after = count(trace)
      await stopDaemon(daemon)
      return round((after - before) / questions, 1)
    } catch {
      return null
    }
  })
}

function count(trace: string): number {
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => /fdatasync\(|fsync\(/.test(line)).length
}
