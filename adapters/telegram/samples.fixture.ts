/** Updates of real shape, as the Bot API sends them: `samples/`. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Inbound, InboundMessage, Skipped } from '../../src/messaging/contract.js'
import { type Dict, eventsOf } from './raw.js'
import { read } from './read.js'

/** The bot of the samples. */
export const SELF = { id: '7000000001', name: 'Relay Helper', aliases: ['relaybot'] }

const folder = new URL('./samples/', import.meta.url)

export const SAMPLES: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))
  .sort()

export function sample(name: string): Dict {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Dict
}

/** What the core reads of a sample. */
export function readSample(name: string): (Inbound | Skipped)[] {
  return eventsOf(sample(name)).map((raw) => read(raw, SELF))
}

export function messageOf(event: Inbound | Skipped | undefined): InboundMessage {
  if (event?.kind !== 'message') throw new Error(`no message but ${JSON.stringify(event)}`)
  return event
}
