/** Small steps on plain data whose shape is not known yet. */
import type { Path } from './errors.js'

export type Mapping = Record<string, unknown>

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function mappingOf(value: unknown): Mapping {
  return isMapping(value) ? value : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null) return undefined
    return Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined
  }, root)
}

/** Changes the value at a path that is there. */
export function setAt(root: unknown, path: Path, value: unknown): void {
  const last = path.at(-1)
  const parent = valueAt(root, path.slice(0, -1))
  if (last !== undefined && typeof parent === 'object' && parent !== null) Reflect.set(parent, last, value)
}
