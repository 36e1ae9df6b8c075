/** What the world lends to the core: time and a place to write lines. Passed in, so that tests own both. */

/** Milliseconds since the epoch. */
export type Millis = number

export interface Clock {
  now(): Millis
  /** Calls back once, at or after `at`. Returns its own undo. */
  at(when: Millis, run: () => void): () => void
}

export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
