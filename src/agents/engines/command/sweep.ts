import { readdir, readFile } from 'node:fs/promises'
import { RUN_VARIABLE } from './environment.js'

/** A process that the system cannot end (it waits for a broken disk) must not hold the turn for ever. */
const ROUNDS = 100

/**
 * Ends every process whose environment carries a run's mark. A process that left its group (`setsid`, a daemon) is
 * reached by no group signal; the environment it was started with still names the run.
 *
 * Linux only, and only what this user may see: elsewhere it finds nothing. A process that cleared its environment
 * cannot be found.
 *
 * @param matches whether a mark is one of those to end
 * @returns how many were ended, once they are gone
 */
export async function sweep(matches: (run: string) => boolean): Promise<number> {
  if (process.platform !== 'linux') return 0
  const ended = new Set<string>()
  // Again until none is found: one may have started another meanwhile, and a signal takes a moment to end its process.
  for (let round = 0; round < ROUNDS; round += 1) {
    const names = await readdir('/proc').catch(() => [])
    const pids = names.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    const found = await Promise.all(
      pids.map(async (pid) => (await marked(pid, matches)) && kill(Number(pid))),
    )
    for (const [index, pid] of pids.entries()) if (found[index] === true) ended.add(pid)
    // One that is dying has no environment any more, but is there for a moment.
    const states = await Promise.all([...ended].map(stateOf))
    if (!found.includes(true) && !states.some((state) => state.runs)) break
  }
  return ended.size
}

async function marked(pid: string, matches: (run: string) => boolean): Promise<boolean> {
  try {
    const environ = await readFile(`/proc/${pid}/environ`, 'latin1')
    const entry = environ.split('\0').find((item) => item.startsWith(`${RUN_VARIABLE}=`))
    return entry !== undefined && matches(entry.slice(RUN_VARIABLE.length + 1))
  } catch {
    // Gone, or another user's.
    return false
  }
}

/**
 * Whether anybody of a process group still runs. A zombie does not: where nobody reaps (containers without an init) it
 * stays for ever, and a signal to its group seems to arrive.
 */
export async function groupRuns(group: number): Promise<boolean> {
  try {
    process.kill(-group, 0)
  } catch {
    return false
  }
  if (process.platform !== 'linux') return true
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const states = await Promise.all(pids.map(stateOf))
  return states.some((state) => state.group === group && state.runs)
}

/** Waits, in bounds, until a group that was sent SIGKILL is gone. */
export async function groupEnded(group: number): Promise<void> {
  for (let round = 0; round < ROUNDS && (await groupRuns(group)); round += 1);
}

async function stateOf(pid: string): Promise<{ group: number; runs: boolean }> {
  const line = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  // `pid (any name) state parent group …`
  const [state = '', , group] = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return { group: Number(group), runs: state !== '' && state !== 'Z' && state !== 'X' }
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}
