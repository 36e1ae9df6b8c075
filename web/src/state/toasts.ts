import { sentence } from '../api/http.js'
import { store } from './store.js'

export interface Toast {
  id: number
  title: string
  text: string
}

export const toasts = store<readonly Toast[]>([])

let next = 1
const LIFE = 9_000

export function dismiss(id: number): void {
  toasts.set((old) => old.filter((toast) => toast.id !== id))
}

/** Says what failed. The same sentence twice stands there once. */
export function complain(title: string, error: unknown): void {
  const toast = { id: next++, title, text: sentence(error) }
  toasts.set((old) =>
    [...old.filter((one) => one.title !== title || one.text !== toast.text), toast].slice(-3),
  )
  window.setTimeout(() => dismiss(toast.id), LIFE)
}
