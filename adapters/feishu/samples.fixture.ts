/** Events of real shape, as Feishu sends them: `samples/`. A body alone, or with what the connection knows beside it. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Inbound, InboundMessage, Skipped } from '../../src/messaging/contract.js'
import type { FeishuRaw } from './raw.js'
import { read } from './read.js'

/** The bot of the samples. */
export const SELF = { id: 'ou_bot', name: 'Golem' }

const folder = new URL('./samples/', import.meta.url)

export const SAMPLES: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))
  .sort()

export function sample(name: string): FeishuRaw {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as FeishuRaw
}

/** What the core reads of a sample. */
export function readSample(name: string): Inbound | Skipped {
  return read(sample(name), SELF)
}

export function messageOf(event: Inbound | Skipped): InboundMessage {
  if (event.kind !== 'message') throw new Error(`no message but ${JSON.stringify(event)}`)
  return event
}
