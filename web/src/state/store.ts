import { useSyncExternalStore } from 'react'

/** The smallest store that React can follow: a value, a way to change it, a way to hear of changes. */
export interface Store<Value> {
  get(): Value
  set(change: Value | ((old: Value) => Value)): void
  subscribe(run: () => void): () => void
}

export function store<Value extends object | string | number | boolean | null>(first: Value): Store<Value> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(change) {
      const next = typeof change === 'function' ? change(value) : change
      if (Object.is(next, value)) return
      value = next
      for (const run of listeners) run()
    },
    subscribe(run) {
      listeners.add(run)
      return () => listeners.delete(run)
    },
  }
}

export function useStore<Value>(from: Store<Value>): Value {
  return useSyncExternalStore(from.subscribe, from.get)
}

/** A store that outlives the page. What is stored is checked when it is read: another version may have written it. */
export function kept<Value extends object | string | number | boolean | null>(
  key: string,
  first: Value,
  read: (stored: unknown) => Value | undefined,
): Store<Value> {
  let start = first
  try {
    const text = localStorage.getItem(key)
    if (text !== null) start = read(JSON.parse(text)) ?? first
  } catch {
    // Storage is forbidden or its content is not ours: the page works without it.
  }
  const inner = store(start)
  return {
    ...inner,
    set(change) {
      inner.set(change)
      try {
        localStorage.setItem(key, JSON.stringify(inner.get()))
      } catch {
        // Full or forbidden: the choice then lasts as long as the page.
      }
    },
  }
}
