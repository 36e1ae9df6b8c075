/** Shared by the benchmarks: numbers, temporary folders, a quiet log. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '../src/messaging/ambient.js'

export interface Spread {
  n: number
  p50: number
  p90: number
  p99: number
  max: number
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)
  return {
    n: sorted.length,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    max: round(sorted.at(-1) ?? Number.NaN),
  }
}

export function round(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}

export function median(values: readonly number[]): number {
  return spread(values).p50
}

export async function withFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'golem-bench-'))
  try {
    return await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const quiet: Logger = {
  debug() {},
  info() {},
  warn(fields, message) {
    process.stderr.write(`warn: ${message} ${JSON.stringify(fields)}\n`)
  },
  error(fields, message) {
    process.stderr.write(`error: ${message} ${JSON.stringify(fields)}\n`)
  },
}
