/** Payloads of real shape: the samples that lie beside every adapter. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export interface Sample {
  name: string
  raw: unknown
}

/** Those of `adapters/<platform>/samples`: one JSON file each, or one JSON payload a line in a `.jsonl` file. */
export function samplesOf(platform: string): Sample[] {
  const folder = new URL(`../../../adapters/${platform}/samples/`, import.meta.url)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .flatMap((name): Sample[] => {
      const text = () => readFileSync(new URL(name, folder), 'utf8')
      if (name.endsWith('.json')) return [{ name, raw: JSON.parse(text()) as unknown }]
      if (!name.endsWith('.jsonl')) return []
      const lines = text()
        .split('\n')
        .filter((line) => line.trim() !== '')
      return lines.map((line, at) => ({ name: `${name}:${at + 1}`, raw: JSON.parse(line) as unknown }))
    })
}
