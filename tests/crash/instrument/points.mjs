/** Points: named and numbered in each thread, written down, and one of them is where the process dies. */
import fs from 'node:fs'

const { appendFileSync } = fs
const trace = process.env.GOLEM_CRASH_TRACE
const target = process.env.GOLEM_CRASH_AT
/** Numbers of an earlier life are not used again. */
const from = Number(process.env.GOLEM_CRASH_FROM ?? 0)
const counts = new Map()

/** @param {string} name without its number */
export function point(name) {
  const count = (counts.get(name) ?? from) + 1
  counts.set(name, count)
  const id = `${name} #${count}`
  if (trace) appendFileSync(trace, `${id}\n`)
  if (id !== target) return
  process.kill(process.pid, 'SIGKILL')
  // The signal takes the whole process; this thread does not get one step further.
  for (;;);
}

export function around(name, run) {
  point(`${name} before`)
  const result = run()
  point(`${name} after`)
  return result
}

export async function aroundAsync(name, run) {
  point(`${name} before`)
  const result = await run()
  point(`${name} after`)
  return result
}
