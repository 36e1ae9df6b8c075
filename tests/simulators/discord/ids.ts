/**
 * Snowflakes: milliseconds since 2015 in front, a counter behind, so that a later id is a larger number.
 * https://docs.discord.com/developers/reference#snowflakes
 */
const EPOCH_MS = 1_420_070_400_000
/** Worker and process of the real thing, which nobody reads. */
const BITS = 22n

export class Ids {
  #last = 0n

  /** Unique, and larger than every one before, also when the clock stands still. */
  next(now: number): string {
    const least = BigInt(Math.max(0, Math.floor(now) - EPOCH_MS)) << BITS
    this.#last = least > this.#last ? least : this.#last + 1n
    return String(this.#last)
  }
}

/** When the thing with this id was made, in milliseconds since 1970. */
export const timeOf = (id: string): number => Number(BigInt(id) >> BITS) + EPOCH_MS

/** For sorting: ids are numbers that are too large for a number. */
export const compareIds = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : one > other ? 1 : 0)

export const isSnowflake = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{1,20}$/.test(value)
