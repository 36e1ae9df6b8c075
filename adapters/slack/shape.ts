/** Slack's own shapes: what is not of the expected one reads as absent. */
export { type Fields, fields, list, number, text } from '../shape.js'

/** A native id: of a person, bot, channel or file. Nothing else ever becomes part of a key. */
export function nativeId(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value) ? value : undefined
}

/** A message's native id: `1700000000.000100`. https://docs.slack.dev/messaging/retrieving-messages */
export function timestamp(value: unknown): string | undefined {
  return typeof value === 'string' && TS.test(value) ? value : undefined
}

const TS = /^\d{1,12}\.\d{1,6}$/

/** When a message was written, in milliseconds; 0 where it cannot be told. */
export function millisOf(ts: string | undefined): number {
  const seconds = Number(ts)
  return ts !== undefined && Number.isFinite(seconds) ? Math.round(seconds * 1_000) : 0
}
