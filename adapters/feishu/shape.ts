/** Feishu's own shapes: what is not of the expected one reads as absent. */
export { type Fields, fields, list, text } from '../shape.js'

/** A number, also where it is written as text, as Feishu writes sizes and times. */
export function number(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d{1,16}(?:\.\d{1,9})?$/.test(value)) return Number(value)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A native id: of a person, app, chat, message or file. Nothing else ever becomes part of a key. */
export function nativeId(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(value) ? value : undefined
}

/** JSON that stands in a text, as a message's `content` does; undefined where it is none. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return undefined
  }
}

/** A time in milliseconds, whatever Feishu counted it in: seconds, milliseconds or microseconds. 0 where it is none. */
export function millisOf(value: unknown): number {
  const at = number(value)
  if (at === undefined || at <= 0) return 0
  if (at < 100_000_000_000) return Math.round(at * 1_000)
  return at > 100_000_000_000_000 ? Math.round(at / 1_000) : Math.round(at)
}
