/**
 * The live stream of the local rooms. Reads server-sent events with `fetch` instead of `EventSource`, because a page
 * must know three things that `EventSource` hides: that the session has ended (401), that the line is dead although
 * nobody closed it (a laptop that slept), and when the next attempt is due.
 *
 * Never gives an event twice: an event whose number is not above the last one is dropped.
 */
import { EventParser } from './sse.js'

export type StreamState =
  | { phase: 'connecting' }
  | { phase: 'open' }
  /** `since`: when the line broke. */
  | { phase: 'broken'; since: number; attempt: number }
  | { phase: 'unauthorized' }

export interface StreamOptions {
  url: string
  /** Number of the last event of an earlier stream; null: from now on. */
  last: string | null
  onId(id: string): void
  onEvent(type: string, data: unknown): void
  onState(state: StreamState): void
  /** The line is open again after a break. What is not part of the stream should be asked for anew. */
  onReopened(): void
  /** Longest silence, in ms. The daemon sends a comment every 15 s. */
  silence?: number
}

const SILENCE = 40_000
const FIRST_RETRY = 300
const LONGEST_RETRY = 10_000

/** Delay before the given attempt (1 is the first), with up to 30 % taken off so that many pages do not come at once. */
export function retryDelay(attempt: number, random: number): number {
  const full = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (attempt - 1))
  return Math.round(full * (1 - 0.3 * random))
}

/** True when `id` is not after `last`. Ids that are no numbers are never known. */
export function isKnown(id: string, last: string | null): boolean {
  if (last === null || id === '') return false
  const [a, b] = [Number(id), Number(last)]
  return Number.isFinite(a) && Number.isFinite(b) && a <= b
}

/** Opens the stream and keeps it open until the returned function is called. */
export function openStream(options: StreamOptions): () => void {
  const ended = new AbortController()
  let { last } = options
  let attempt = 0
  let brokenSince: number | null = null
  let opened = last !== null
  let retryNow: () => void = () => {}

  async function once(): Promise<'closed' | 'unauthorized'> {
    const line = new AbortController()
    const stop = () => line.abort()
    ended.signal.addEventListener('abort', stop, { once: true })
    let watchdog = window.setTimeout(stop, options.silence ?? SILENCE)
    const alive = () => {
      window.clearTimeout(watchdog)
      watchdog = window.setTimeout(stop, options.silence ?? SILENCE)
    }
    try {
      const response = await fetch(options.url, {
        headers: { accept: 'text/event-stream', ...(last === null ? {} : { 'last-event-id': last }) },
        credentials: 'same-origin',
        cache: 'no-store',
        signal: line.signal,
      })
      if (response.status === 401) return 'unauthorized'
      if (!response.ok || response.body === null) return 'closed'
      brokenSince = null
      options.onState({ phase: 'open' })
      if (opened) options.onReopened()
      opened = true
      const parser = new EventParser()
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return 'closed'
        alive()
        attempt = 0
        for (const event of parser.feed(value)) {
          // A reset starts a new count: its number may be lower.
          if (event.type !== 'reset' && isKnown(event.id, last)) continue
          if (event.id !== '') {
            last = event.id
            options.onId(last)
          }
          options.onEvent(event.type, JSON.parse(event.data))
        }
      }
    } catch {
      return 'closed'
    } finally {
      window.clearTimeout(watchdog)
      ended.signal.removeEventListener('abort', stop)
      line.abort()
    }
  }

  async function run(): Promise<void> {
    options.onState({ phase: 'connecting' })
    while (!ended.signal.aborted) {
      const end = await once()
      if (ended.signal.aborted) return
      if (end === 'unauthorized') {
        options.onState({ phase: 'unauthorized' })
        return
      }
      attempt++
      brokenSince ??= Date.now()
      options.onState({ phase: 'broken', since: brokenSince, attempt })
      await pause(retryDelay(attempt, Math.random()))
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = window.setTimeout(resolve, ms)
      retryNow = () => {
        window.clearTimeout(timer)
        resolve()
      }
    })
  }

  const wake = () => retryNow()
  window.addEventListener('online', wake)
  window.addEventListener('golem:retry', wake)
  void run()
  return () => {
    window.removeEventListener('online', wake)
    window.removeEventListener('golem:retry', wake)
    ended.abort()
    retryNow()
  }
}
