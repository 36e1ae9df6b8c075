/** Discord's own shapes: what is not of the expected one reads as absent. */
import type { Millis } from '../../src/messaging/contract.js'

export { type Fields, fields, list, number, text } from '../shape.js'

/** A bit of a bitfield is set. Anything but a number has none. */
export function hasFlag(value: unknown, flag: number): boolean {
  return typeof value === 'number' && (value & flag) !== 0
}

/**
 * A native id. Nothing else ever becomes part of a key or of a request's path.
 * https://docs.discord.com/developers/reference#snowflakes: 64 bits, as a string.
 */
export function snowflake(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : undefined
}

/** The first second of 2015, from which snowflakes count. */
const EPOCH = 1_420_070_400_000n

/** When the thing of this id was made, in milliseconds; 0 where it cannot be told. */
export function bornAt(id: string | undefined): Millis {
  if (snowflake(id) === undefined || id === undefined) return 0
  return Number((BigInt(id) >> 22n) + EPOCH)
}

/** The first id of a moment: everything made since then has a greater one. */
export function idAt(at: Millis): string {
  const since = BigInt(Math.max(0, Math.floor(at))) - EPOCH
  return String(since <= 0n ? 0n : since << 22n)
}

/** An ISO 8601 time in milliseconds. */
export function isoMillis(value: unknown): Millis | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at
}

/** An id may be called `constructor`: only what was put there is known. */
export function own<T>(names: Readonly<Record<string, T>> | undefined, id: string): T | undefined {
  return names !== undefined && Object.hasOwn(names, id) ? names[id] : undefined
}
