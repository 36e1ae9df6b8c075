/** What every platform's rooms have: the core's own API. */
import { request } from './http.js'
import type { CoreRoom, Health, QueuedTurn, Receipt, TranscriptRow } from './wire.js'

const withSignal = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal })

export async function coreRooms(signal?: AbortSignal): Promise<readonly CoreRoom[]> {
  return (await request<{ rooms: CoreRoom[] }>('/api/rooms', withSignal(signal))).rooms
}

/** A page of a room's transcript, oldest first; `before` is the core's own id of a message. */
export async function transcript(
  key: string,
  range: { before?: number; limit: number },
  signal?: AbortSignal,
): Promise<readonly TranscriptRow[]> {
  const query = new URLSearchParams({ limit: String(range.limit) })
  if (range.before !== undefined) query.set('before', String(range.before))
  const path = `/api/rooms/${encodeURIComponent(key)}/messages?${query}`
  return (await request<{ messages: TranscriptRow[] }>(path, withSignal(signal))).messages
}

export function receipt(reference: string, signal?: AbortSignal): Promise<Receipt> {
  return request(`/api/messages/${encodeURIComponent(reference)}/receipt`, withSignal(signal))
}

export async function queue(signal?: AbortSignal): Promise<readonly QueuedTurn[]> {
  return (await request<{ turns: QueuedTurn[] }>('/api/queue', withSignal(signal))).turns
}

export function health(signal?: AbortSignal): Promise<Health> {
  return request('/health', withSignal(signal))
}

/** Trades the token for a session that no script can read. */
export async function logIn(token: string): Promise<void> {
  await request('/api/session', { method: 'POST', json: { token }, loggingIn: true })
}
