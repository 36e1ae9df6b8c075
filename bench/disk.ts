/** What the disk can do: every other number is read beside it. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Spread, spread, withFolder } from './support.js'

/** Milliseconds of one 4 kB append and its fdatasync. */
export function fsyncTime(): Promise<Spread> {
  return withFolder(async (folder) => {
    const file = openSync(join(folder, 'probe'), 'w')
    const page = Buffer.alloc(4_096, 1)
    const times: number[] = []
    for (let index = 0; index < 500; index++) {
      const start = performance.now()
      writeSync(file, page)
      fdatasyncSync(file)
      times.push(performance.now() - start)
    }
    closeSync(file)
    return spread(times)
  })
}
