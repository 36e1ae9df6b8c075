/** Reading JSON nobody has checked, as every adapter does: what is not of the expected shape reads as absent. */

/** Any JSON object of the wire. */
export type Fields = Readonly<Record<string, unknown>>

const NOTHING: Fields = {}

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NOTHING
}

/** Without holes, which no JSON has. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? [...(value as unknown[])] : []
}

/** A text that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
